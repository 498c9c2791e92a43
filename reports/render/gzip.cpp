#include "reports/render/gzip.hpp"

#include <zlib.h>

#include "base/check.hpp"

namespace dodona::reports {

std::string gzipped(const std::string& text) {
    constexpr int kGzip = 16;  // added to the window: a header of gzip, without a time
    z_stream stream{};
    check(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK,
          "zlib has memory to work in");
    std::string packed(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    check(deflate(&stream, Z_FINISH) == Z_STREAM_END, "the bound of zlib suffices");
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

}  // namespace dodona::reports
