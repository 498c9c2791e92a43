#include "base/whole_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/diagnostic.hpp"

namespace dodona {

namespace {

[[noreturn]] void cannot_write(const std::string& path, int reason) {
    fail({}, fmt::format("{} cannot be written: {}", path, std::strerror(reason)));
}

void write_in_place(const std::filesystem::path& path, const std::string& text) {
    errno = 0;
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) {
        cannot_write(path.string(), errno);
    }
}

}  // namespace

void write_whole(const std::string& path, const std::string& text) {
    std::error_code ignored;
    std::filesystem::path target = path;
    if (std::filesystem::is_symlink(target, ignored)) {
        std::error_code fault;
        target = std::filesystem::weakly_canonical(target, fault);
        if (fault) {
            cannot_write(path, fault.value());
        }
    }
    if (std::filesystem::exists(target, ignored) && !std::filesystem::is_regular_file(target, ignored)) {
        write_in_place(target, text);
        return;
    }
    std::filesystem::path unfinished = target;
    unfinished += fmt::format(".{}.unfinished", getpid());
    try {
        write_in_place(unfinished, text);
        std::filesystem::rename(unfinished, target);
    } catch (const InputError&) {
        const int reason = errno;
        std::filesystem::remove(unfinished, ignored);
        cannot_write(path, reason);
    } catch (const std::filesystem::filesystem_error& error) {
        std::filesystem::remove(unfinished, ignored);
        cannot_write(path, error.code().value());
    }
}

}  // namespace dodona
