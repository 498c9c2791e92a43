#include "lab/replicas/worker.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace dodona::calibrate {

namespace {

constexpr double kForwardShare = 1.0 / 3;
constexpr double kBackwardShare = 2.0 / 3;
constexpr float kExactStep = 0x1p-16F;  // sums of 256 numbers below 1 have at most 24 bits
constexpr std::uint64_t kHeldOut = 0xffffffff;
constexpr int kHeldOutSamples = 512;
constexpr double kElementBytes = 4;

void round_exactly(std::span<float> values) {
    for (float& value : values) {
        value = std::clamp(std::nearbyint(value / kExactStep) * kExactStep, -1.0F, 1.0F);
    }
}

}  // namespace

Worker::Worker(const TrainingSettings& settings, std::size_t rank)
    : settings_(settings), rank_(rank), network_(settings.widths) {
    const std::size_t elements = network_.weights();
    replica.weights = first_weights();
    replica.anchor = replica.weights;
    replica.gradient.assign(elements, 0.0F);
    replica.payload.assign(elements, 0.0F);
    replica.result.assign(elements, 0.0F);
    replica.velocity.assign(elements, 0.0F);
    replica.rate = static_cast<float>(settings.rate);
    replica.outer = settings.exchange.outer;
    replica.sends = settings.exchange.sends;
}

Part Worker::range_of(std::size_t first, std::size_t last) const {
    const std::size_t from = network_.layers()[first].first;
    const Perceptron::Layer& end = network_.layers()[last];
    return {from, end.first + end.count - from};
}

void Worker::start_step(std::int64_t step) {
    network_.start(generated_batch(settings_.widths.front(), settings_.widths.back(), settings_.batch,
                                   settings_.seed + 1 + rank_, static_cast<std::uint64_t>(step)));
}

void Worker::pass(std::size_t layer, double share, const std::function<void()>& work) {
    const Clock::time_point start = Clock::now();
    work();
    if (settings_.compute) {
        const double weights = static_cast<double>(network_.layers()[layer].count) / static_cast<double>(elements());
        const double slow = rank_ == 0 ? settings_.slow : 1;
        late_ -= settings_.compute->in(1_s) * share * weights * slow;
        std::this_thread::sleep_until(
            start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(-late_)));
        late_ += std::chrono::duration<double>(Clock::now() - start).count();
    }
    computed_ += std::chrono::duration<double>(Clock::now() - start).count() * 1_s;
}

void Worker::forward(std::size_t layer) {
    pass(layer, kForwardShare, [&] { network_.forward(layer, replica.weights); });
}

void Worker::backward(std::size_t layer) {
    pass(layer, kBackwardShare, [&] {
        network_.backward(layer, replica.weights, replica.gradient);
        if (settings_.exact_sums) {
            const Part range = range_of(layer, layer);
            round_exactly(std::span(replica.gradient).subspan(range.first, range.count));
        }
    });
}

double Worker::held_out_loss() {
    network_.start(generated_batch(settings_.widths.front(), settings_.widths.back(), kHeldOutSamples, kHeldOut, 0));
    for (std::size_t layer = 0; layer < layers(); ++layer) {
        network_.forward(layer, replica.weights);
    }
    return network_.loss();
}

exchange::ReplicaWork replica_work(const TrainingSettings& settings) {
    const Perceptron network(settings.widths);
    const auto all = static_cast<double>(network.weights());
    exchange::ReplicaWork work{.layers = {},
                               .compute = settings.compute.value_or(Seconds{}),
                               .gradients = {all, kElementBytes * all * unit::byte}};
    for (const Perceptron::Layer& layer : network.layers()) {
        const auto elements = static_cast<double>(layer.count);
        const Seconds share = elements / all * work.compute;
        work.layers.push_back({.forward = kForwardShare * share,
                               .backward = kBackwardShare * share,
                               .bytes = kElementBytes * elements * unit::byte,
                               .elements = elements});
    }
    return work;
}

}  // namespace dodona::calibrate
