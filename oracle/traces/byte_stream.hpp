// The bytes of a file, unpacked where gzip packed them, read a piece at a time.
#pragma once

#include <cstddef>
#include <istream>
#include <streambuf>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace dodona::traces {

class ByteStream : private std::streambuf {
public:
    /// `name` is how messages call the file. Throws InputError where it cannot be read, and reading where it is larger
    /// than kMaxUnpacked.
    ByteStream(const std::string& path, const std::string& name);
    ~ByteStream() override;
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;

    /// The first bytes, at most kStart of them, without taking them.
    [[nodiscard]] const std::string& start() const { return start_; }
    [[nodiscard]] std::istream& stream() { return stream_; }
    [[nodiscard]] Location whole() const { return whole_; }

    /// All that is left. Throws InputError where it is larger than a text may be.
    std::string text();
    /// Throws InputError where the file turned out not to be whole.
    void check() const;

    static constexpr std::size_t kMaxUnpacked = std::size_t{1} << 30;  ///< of a file, however well it was packed
    static constexpr std::size_t kStart = std::size_t{1} << 16;

private:
    int_type underflow() override;

    Location whole_;
    void* file_ = nullptr;  ///< zlib's gzFile
    bool broken_ = false;
    std::size_t unpacked_ = 0;
    std::vector<char> piece_;
    std::string start_;
    std::istream stream_{this};
};

}  // namespace dodona::traces
