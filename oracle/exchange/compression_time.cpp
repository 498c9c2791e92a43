#include "exchange/compression_time.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "cost/device_time.hpp"

namespace dodona::exchange {

namespace {

using cluster::CompressionCurve;
using cluster::CompressionKernel;

Seconds time_on(const CompressionCurve& curve, Bytes bytes) {
    const auto above = std::find_if(curve.points.begin(), curve.points.end(),
                                    [&](const CompressionCurve::Point& point) { return point.bytes >= bytes; });
    if (above == curve.points.begin() || above == curve.points.end()) {
        const CompressionCurve::Point& end = above == curve.points.end() ? curve.points.back() : curve.points.front();
        return bytes / end.bytes * end.time;
    }
    const CompressionCurve::Point& below = *(above - 1);
    const double slope = std::log(above->time / below.time) / std::log(above->bytes / below.bytes);
    return std::pow(bytes / below.bytes, slope) * below.time;
}

}  // namespace

CompressionKernel compression_kernel(const Compression& compression) {
    switch (compression.kind) {
        case CompressionKind::top_k:
            return compression.selection == Selection::exact ? CompressionKernel::exact_top_k
                                                             : CompressionKernel::threshold_top_k;
        case CompressionKind::int8: return CompressionKernel::int8;
        case CompressionKind::fp8: return CompressionKernel::fp8;
        case CompressionKind::int4: return CompressionKernel::int4;
        case CompressionKind::one_bit: return CompressionKernel::one_bit;
        case CompressionKind::none: break;
    }
    throw InternalError("kernels of no compression");
}

const CompressionCurve* measured_compression(const Compression& compression, const cluster::Device& device) {
    const CompressionKernel kernel = compression_kernel(compression);
    return found_in(device.compressions, &CompressionCurve::kernel, kernel);
}

Seconds compression_time(const Compression& compression, const Buffer& buffer, const cluster::Device& device) {
    const Bytes traffic = kernel_traffic(compression, buffer);
    const CompressionCurve* const curve = measured_compression(compression, device);
    if (curve == nullptr) {
        return cost::stream_time(device, traffic).time.value;
    }
    const Bytes feedback = feedback_traffic(compression, buffer);
    const Seconds passes = feedback > Bytes{} ? cost::stream_time(device, feedback).time.value : Seconds{};
    return time_on(*curve, traffic - feedback) + passes;
}

}  // namespace dodona::exchange
