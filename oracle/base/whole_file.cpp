#include "base/whole_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostic.hpp"

namespace dodona {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path, int reason) {
    fail({}, fmt::format("{} cannot be written: {}", path, std::strerror(reason)));
}

/// Returns false with errno.
bool write_all(int file, const std::string& text) {
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t count = ::write(file, text.data() + written, text.size() - written);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        written += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return true;
}

/// A pipe is opened once it has a reader, which is not waited for without end.
void write_in_place(const std::string& path, const std::string& text) {
    constexpr int kPatienceMs = 5000;
    constexpr int kStepMs = 50;
    int file = -1;
    for (int waited = 0; waited <= kPatienceMs && file < 0; waited += kStepMs) {
        file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        if (file < 0 && (errno != ENXIO || ::poll(nullptr, 0, kStepMs) < 0)) {
            cannot_write(path, errno);
        }
    }
    if (file < 0) {
        fail({}, fmt::format("{} is a pipe without a reader", path), "start its reader first, or name a file");
    }
    const bool is_written = ::fcntl(file, F_SETFL, 0) == 0 && write_all(file, text);
    const int reason = errno;
    if (::close(file) != 0 || !is_written) {
        cannot_write(path, is_written ? errno : reason);
    }
}

/// A new file beside another, which is gone again unless it takes that one's place. Nobody can guess its name and put a
/// link there.
class Unfinished {
public:
    explicit Unfinished(const fs::path& target) {
        constexpr int kTries = 10;
        std::random_device random;
        for (int tries = 0; file_ < 0 && (tries == 0 || errno == EEXIST) && tries < kTries; ++tries) {
            path_ = fmt::format("{}.{:08x}{:08x}.unfinished", target.string(), random(), random());
            file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        }
    }
    ~Unfinished() {
        if (file_ >= 0) {
            ::close(file_);
            ::unlink(path_.c_str());
        }
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    [[nodiscard]] bool is_open() const { return file_ >= 0; }

    /// The owner, where that is allowed, and the mode.
    [[nodiscard]] bool take_over(const struct stat& before) const {
        const bool is_owned = ::fchown(file_, before.st_uid, before.st_gid) == 0;
        const mode_t mode = before.st_mode & (is_owned ? 07777 : 0777);
        return ::fchmod(file_, mode) == 0;
    }

    /// To the disk. Returns false with errno.
    [[nodiscard]] bool write(const std::string& text) const {
        // Some file systems have no such thing as fsync.
        return write_all(file_, text) && (::fsync(file_) == 0 || errno == EINVAL);
    }

    [[nodiscard]] bool replace(const fs::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0) {
            return false;
        }
        ::close(file_);
        file_ = -1;
        return true;
    }

private:
    std::string path_;
    int file_ = -1;
};

/// That a file was renamed is on the disk too, where the file system can say so.
void write_through(const fs::path& folder) {
    const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        ::fsync(file);
        ::close(file);
    }
}

}  // namespace

void write_whole(const std::string& path, const std::string& text) {
    std::error_code ignored;
    fs::path target = path;
    if (fs::is_symlink(target, ignored)) {
        std::error_code fault;
        target = fs::weakly_canonical(target, fault);
        if (fault) {
            cannot_write(path, fault.value());
        }
    }
    struct stat before {};
    const bool is_there = ::stat(target.c_str(), &before) == 0;
    if (is_there && !S_ISREG(before.st_mode)) {
        write_in_place(target.string(), text);
        return;
    }
    Unfinished unfinished(target);
    if (!unfinished.is_open() || (is_there && !unfinished.take_over(before)) || !unfinished.write(text) ||
        !unfinished.replace(target)) {
        cannot_write(path, errno);
    }
    write_through(target.parent_path());
}

}  // namespace dodona
