#include "calibrate/machine/measured_compression.hpp"

#include <map>
#include <optional>

#include "calibrate/measure/journal.hpp"
#include "exchange/compression.hpp"

namespace dodona::calibrate {

namespace {

using cluster::CompressionCurve;
using cluster::CompressionKernel;
using exchange::Compression;
using exchange::CompressionKind;

constexpr double kElementBytes = 4;

CompressionKind kind_of(CompressionKernel kernel) {
    switch (kernel) {
        case CompressionKernel::int8: return CompressionKind::int8;
        case CompressionKernel::fp8: return CompressionKind::fp8;
        case CompressionKernel::int4: return CompressionKind::int4;
        case CompressionKernel::one_bit: return CompressionKind::one_bit;
        case CompressionKernel::exact_top_k:
        case CompressionKernel::threshold_top_k: break;
    }
    return CompressionKind::top_k;
}

Bytes moved(CompressionKernel kernel, const Case& of) {
    Compression how{.kind = kind_of(kernel)};
    how.selection = kernel == CompressionKernel::exact_top_k ? exchange::Selection::exact : how.selection;
    how.density = of.number("density", how.density);
    how.passes = static_cast<std::int64_t>(of.number("passes", static_cast<double>(how.passes)));
    how.block = static_cast<std::int64_t>(of.number("block", static_cast<double>(how.block)));
    const double elements = of.number("elements");
    return exchange::kernel_traffic(how, {elements, kElementBytes * elements * unit::byte});
}

std::optional<CompressionKernel> kernel_of(const Case& of) {
    return of.benchmark == "compression" ? value_of<CompressionKernel>(of.word("kernel")) : std::nullopt;
}

}  // namespace

std::vector<CompressionCurve> measured_compressions(std::span<const Record> records, const cluster::Provenance& from) {
    std::map<CompressionKernel, std::map<Bytes, Seconds>> times;
    for (const Measurement& measurement : latest({records.begin(), records.end()})) {
        const auto kernel = kernel_of(measurement.of);
        if (kernel && measurement.time.samples > 0 && measurement.time.value() > Seconds{}) {
            const Seconds time = measurement.time.value();
            Seconds& least = times[*kernel].try_emplace(moved(*kernel, measurement.of), time).first->second;
            least = min(least, time);
        }
    }
    std::vector<CompressionCurve> curves;
    for (const auto& [kernel, of_sizes] : times) {
        CompressionCurve& curve =
            curves.emplace_back(CompressionCurve{.kernel = kernel, .points = {}, .provenance = from});
        for (const auto& [bytes, time] : of_sizes) {
            curve.points.push_back({bytes, time});
        }
    }
    return curves;
}

}  // namespace dodona::calibrate
