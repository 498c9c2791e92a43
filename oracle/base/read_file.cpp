#include "base/read_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace dodona {

namespace {

constexpr int kPatienceMs = 5000;

[[noreturn]] void cannot_read(const std::string& name, const Location& where, int reason) {
    fail(where, fmt::format("{} cannot be read: {}", name, std::strerror(reason)),
         reason == EACCES ? "check its permissions, and those of its folders" : "");
}

class OpenForReading {
public:
    OpenForReading(const std::filesystem::path& path, const std::string& name, const Location& where)
        : name_(name), where_(where), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (file_ < 0) {
            cannot_read(name_, where_, errno);
        }
    }
    OpenForReading(const OpenForReading&) = delete;
    OpenForReading& operator=(const OpenForReading&) = delete;
    ~OpenForReading() { ::close(file_); }

    /// The bytes that were read; 0 at the end.
    std::size_t into(char* piece, std::size_t size) const {
        for (;;) {
            pollfd waiting{.fd = file_, .events = POLLIN, .revents = 0};
            const int ready = ::poll(&waiting, 1, kPatienceMs);
            if (ready == 0) {
                fail(where_, fmt::format("{} is a pipe that says nothing", name_),
                     "write what is to be read into a file");
            }
            const ssize_t read = ready > 0 ? ::read(file_, piece, size) : -1;
            if (read >= 0) {
                return static_cast<std::size_t>(read);
            }
            if (errno != EINTR && errno != EAGAIN) {
                cannot_read(name_, where_, errno);
            }
        }
    }

private:
    const std::string& name_;
    const Location& where_;
    int file_;
};

std::filesystem::file_status checked_status(const std::filesystem::path& path, const std::string& name,
                                            const Location& where) {
    std::error_code fault;
    const std::filesystem::file_status status = std::filesystem::status(path, fault);
    if (status.type() == std::filesystem::file_type::not_found) {
        fail(where, fmt::format("there is no file {}", name));
    }
    if (fault) {
        cannot_read(name, where, fault.value());
    }
    if (std::filesystem::is_directory(status)) {
        fail(where, fmt::format("{} is a directory; expected a file", name));
    }
    if (std::filesystem::is_character_file(status) || std::filesystem::is_block_file(status)) {
        fail(where, fmt::format("{} is a device; expected a file", name));
    }
    return status;
}

}  // namespace

void check_regular(const std::filesystem::path& path, const std::string& name, const Location& where) {
    if (!std::filesystem::is_regular_file(checked_status(path, name, where))) {
        fail(where, fmt::format("{} is a pipe; expected a file", name), "write what is to be read into a file");
    }
}

std::string read_file(const std::filesystem::path& path, const std::string& name, const Location& where,
                      std::size_t most) {
    static_cast<void>(checked_status(path, name, where));
    const OpenForReading file(path, name, where);
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    std::string text;
    std::string piece(kPiece, '\0');
    while (text.size() <= most) {
        const std::size_t read = file.into(piece.data(), kPiece);
        if (read == 0) {
            break;
        }
        text.append(piece, 0, read);
    }
    return text;
}

}  // namespace dodona
