#include "traces/byte_stream.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <zlib.h>

#include "base/read_file.hpp"
#include "files/text.hpp"

namespace dodona::traces {

ByteStream::ByteStream(const std::string& path, const std::string& name)
    : whole_{std::make_shared<Source>(Source{name, {}}), 0, 0, 1}, piece_(kStart) {
    check_regular(path, path, {});
    file_ = gzopen(path.c_str(), "rb");
    if (file_ == nullptr) {
        fail({}, fmt::format("{} cannot be read: {}", path, std::strerror(errno)), "check its permissions");
    }
    if (underflow() != traits_type::eof()) {
        start_.assign(gptr(), egptr());
    }
}

ByteStream::~ByteStream() {
    if (file_ != nullptr) {
        gzclose(static_cast<gzFile>(file_));
    }
}

ByteStream::int_type ByteStream::underflow() {
    const int read = gzread(static_cast<gzFile>(file_), piece_.data(), static_cast<unsigned>(piece_.size()));
    if (read <= 0) {
        int code = Z_OK;
        gzerror(static_cast<gzFile>(file_), &code);
        broken_ = broken_ || read < 0 || (code != Z_OK && code != Z_STREAM_END);
        return traits_type::eof();
    }
    unpacked_ += static_cast<std::size_t>(read);
    if (unpacked_ > kMaxUnpacked) {
        fail(whole_, fmt::format("larger than {} MiB", kMaxUnpacked >> 20), "profile fewer steps");
    }
    setg(piece_.data(), piece_.data(), piece_.data() + read);
    return traits_type::to_int_type(*gptr());
}

std::string ByteStream::text() {
    std::string all;
    while (all.size() <= files::kMaxBytes && sgetc() != traits_type::eof()) {
        all.append(gptr(), egptr());
        setg(eback(), egptr(), egptr());
    }
    check();
    return all;  // the reader of text reports what is too large
}

void ByteStream::check() const {
    if (broken_) {
        fail(whole_, "the gzip file is incomplete", "was the copy cut short?");
    }
}

}  // namespace dodona::traces
