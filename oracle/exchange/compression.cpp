#include "exchange/compression.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::exchange {

namespace {

constexpr double kScaleBytes = 4;
constexpr double kSparseBytes = 8;  // a value and its index
constexpr double kExactPasses = 4;

double bytes_an_element(CompressionKind kind) {
    switch (kind) {
        case CompressionKind::int8:
        case CompressionKind::fp8: return 1;
        case CompressionKind::int4: return 1.0 / 2;
        case CompressionKind::one_bit: return 1.0 / 8;
        case CompressionKind::none:
        case CompressionKind::top_k: break;
    }
    return 0;
}

double kept_elements(const Compression& compression, const Buffer& buffer) {
    return std::min(buffer.elements, std::max(1.0, std::round(compression.density * buffer.elements)));
}

}  // namespace

Bytes compressed(const Compression& compression, const Buffer& buffer) {
    if (compression.kind == CompressionKind::none || buffer.elements <= 0) {
        return buffer.bytes;
    }
    if (compression.kind == CompressionKind::top_k) {
        return kSparseBytes * kept_elements(compression, buffer) * unit::byte;
    }
    const double scales = kScaleBytes / static_cast<double>(compression.block);
    return (bytes_an_element(compression.kind) + scales) * buffer.elements * unit::byte;
}

Bytes feedback_traffic(const Compression& compression, const Buffer& buffer) {
    return compression.error_feedback ? 2.0 * buffer.bytes : Bytes{};
}

Bytes kernel_traffic(const Compression& compression, const Buffer& buffer) {
    if (compression.kind == CompressionKind::none) {
        return Bytes{};
    }
    const Bytes sent = compressed(compression, buffer);
    const Bytes feedback = feedback_traffic(compression, buffer);
    if (compression.kind == CompressionKind::top_k) {
        const double passes =
            compression.selection == Selection::exact ? kExactPasses : static_cast<double>(compression.passes) + 1;
        return (passes + 1) * buffer.bytes + 2.0 * sent + feedback;
    }
    return 2.0 * (buffer.bytes + sent) + feedback;
}

}  // namespace dodona::exchange
