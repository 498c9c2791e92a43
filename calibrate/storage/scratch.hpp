// Places for files that leave nothing behind.
#pragma once

#include <sys/types.h>

#include <string>

namespace dodona::calibrate {

/// A file descriptor that closes.
class OpenFile {
public:
    OpenFile() = default;
    explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
    OpenFile(OpenFile&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
    OpenFile& operator=(OpenFile&& other) noexcept;
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile();
    [[nodiscard]] int get() const { return descriptor_; }

private:
    int descriptor_ = -1;
};

/// A file of that directory without a name, for reading and writing: gone once closed. Throws CannotMeasure.
OpenFile nameless_file(const std::string& directory);

/// A new folder in a directory, removed with its files (not folders) at the end of this object or, by a process that
/// waits for it, of this process. Throws CannotMeasure.
class ScratchFolder {
public:
    explicit ScratchFolder(const std::string& directory);
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder();
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
    OpenFile alive_;  ///< the guard removes the folder once this end of a pipe closes
    pid_t guard_ = -1;
};

}  // namespace dodona::calibrate
