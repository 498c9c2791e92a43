#include "lab/replicas/prediction.hpp"

#include <algorithm>
#include <functional>

#include "calibrate/compression/quantisation.hpp"
#include "calibrate/compression/selection.hpp"
#include "lab/replicas/party.hpp"
#include "lab/replicas/worker.hpp"

namespace dodona::calibrate {

namespace {

using exchange::CompressionKind;

constexpr int kRounds = 5;

Seconds least_time(const std::function<void()>& work) {
    Seconds least = 1_s * 3600;
    for (int round = 0; round < kRounds; ++round) {
        const Clock::time_point start = Clock::now();
        work();
        least = min(least, std::chrono::duration<double>(Clock::now() - start).count() * 1_s);
    }
    return least;
}

/// One compression of all elements, and the way back.
Seconds compression_time(const exchange::Compression& how, std::size_t elements) {
    std::vector<float> values(elements);
    for (std::size_t i = 0; i < elements; ++i) {
        values[i] = static_cast<float>((i * 7919) % 104729) - 52364.0F;
    }
    if (how.kind == CompressionKind::top_k) {
        const auto k = std::max<std::size_t>(1, static_cast<std::size_t>(how.density * static_cast<double>(elements)));
        return least_time([&] {
            how.selection == exchange::Selection::exact ? largest_exactly(values, k)
                                                        : largest_by_threshold(values, k, static_cast<int>(how.passes));
        });
    }
    const CodeFormat format = code_format(how.kind);
    const auto block = static_cast<std::size_t>(how.block);
    std::vector<std::uint8_t> codes(packed_bytes(format, elements, block));
    return least_time([&] {
        quantise(format, values, block, codes);
        dequantise(format, codes, block, values);
    });
}

BytesPerSecond sum_rate(std::size_t elements) {
    std::vector<float> sum(elements, 1.0F);
    const std::vector<float> values(elements, 1.0F);
    const Seconds time = least_time([&] {
        for (std::size_t i = 0; i < elements; ++i) {
            sum[i] += values[i];
        }
    });
    return 4 * static_cast<double>(elements) * unit::byte / max(time, 0.001_us);
}

}  // namespace

exchange::ExchangeCost predicted_cost(const TrainingSettings& settings, std::size_t workers) {
    const exchange::ReplicaWork work = replica_work(settings);
    const auto elements = static_cast<std::size_t>(work.gradients.elements);
    const BytesPerSecond rate = sum_rate(elements);
    exchange::Network network =
        exchange::network_of(exchange::EqualWorkers{static_cast<std::int64_t>(workers), *settings.link, rate, rate});
    const exchange::Compression& how = settings.exchange.compression;
    if (how.kind != CompressionKind::none) {
        const Seconds measured = compression_time(how, elements);
        network.compress = [whole = work.gradients.bytes, measured](const exchange::Compression& /*how*/,
                                                                    const exchange::Buffer& buffer) {
            return buffer.bytes / whole * measured;
        };
    }
    return exchange::exchange_cost(settings.exchange, network, work);
}

}  // namespace dodona::calibrate
