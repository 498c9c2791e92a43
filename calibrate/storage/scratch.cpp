#include "calibrate/storage/scratch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

namespace {

[[noreturn]] void cannot_write(const std::string& directory) {
    throw CannotMeasure(fmt::format("no file can be made in {}: {}; give a directory that you may write to", directory,
                                    std::strerror(errno)));
}

/// The life of the guard: it holds nothing open but its end of the pipe, and no signal from a terminal ends it.
[[noreturn]] void guard(int pipe, const std::string& folder) {
    setsid();
    for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        signal(ignored, SIG_IGN);
    }
    const long most = sysconf(_SC_OPEN_MAX);
    for (int other = 0; other < (most > 0 && most < 65'536 ? static_cast<int>(most) : 65'536); ++other) {
        if (other != pipe) {
            close(other);
        }
    }
    char none = 0;
    while (read(pipe, &none, 1) < 0 && errno == EINTR) {
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    _exit(0);
}

}  // namespace

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

OpenFile::~OpenFile() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

OpenFile nameless_file(const std::string& directory) {
    OpenFile file(open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file.get() >= 0) {
        return file;
    }
    std::string path = directory + "/dodona-storage-XXXXXX";  // file systems without O_TMPFILE
    OpenFile named(mkostemp(path.data(), O_CLOEXEC));
    if (named.get() < 0) {
        cannot_write(directory);
    }
    unlink(path.c_str());
    return named;
}

ScratchFolder::ScratchFolder(const std::string& directory) : path_(directory + "/dodona-storage-XXXXXX") {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        cannot_write(directory);
    }
    const OpenFile guarded(ends[0]);
    alive_ = OpenFile(ends[1]);
    if (mkdtemp(path_.data()) == nullptr) {
        cannot_write(directory);
    }
    guard_ = fork();
    if (guard_ == 0) {
        guard(ends[0], path_);
    }
    if (guard_ < 0) {
        rmdir(path_.c_str());
        cannot_write(directory);
    }
}

ScratchFolder::~ScratchFolder() {
    alive_ = OpenFile();  // swapped into the temporary, which closes it
    while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace dodona::calibrate
