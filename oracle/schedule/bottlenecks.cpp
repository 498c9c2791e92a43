#include "schedule/bottlenecks.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dodona::schedule {

namespace {

// Thresholds: shares from which an effect decides the scaling. Derived for the rows of Table 6; the bubble, input,
// launches and host copies are not in that table and their thresholds are ours.
constexpr double kGradientExchange = 0.20;
constexpr double kLayerCollectives = 0.50;
constexpr double kHaloOfGradients = 0.25;
constexpr double kMemoryRedundancy = 0.50;
constexpr double kMemoryStalling = 0.80;
constexpr double kWeightUpdate = 0.10;
constexpr double kImbalance = 1.10;
constexpr double kComputeRedundancy = 0.50;
constexpr double kBubble = 0.20;
constexpr double kInput = 0.10;
constexpr double kOffload = 0.20;
constexpr double kLaunch = 0.10;

class Finder {
public:
    Finder(const Prediction& prediction, const Redundancy& redundancy) : p_(prediction), r_(redundancy) {}

    std::vector<Bottleneck> run() {
        const double ge = share(TimePart::gradients);
        note(
            ge > kGradientExchange, "gradient exchange", ge,
            fmt::format("{:.0f} % of the step is gradient reduction that nothing hides: larger batches per rank, fewer "
                        "data ranks or overlap would help",
                        100 * ge));
        const double layer = share(TimePart::layer);
        note(layer > kLayerCollectives, "layer-wise collective", layer,
             fmt::format("{:.0f} % of the step is collectives inside layers: fewer ways, or a faster link under them, "
                         "would help",
                         100 * layer));
        halo();
        congestion();
        memory();
        const double update = share(TimePart::optimizer);
        note(update > kWeightUpdate, "weight update", update,
             fmt::format("{:.0f} % of the step updates weights: sharding the optimizer states divides it",
                         100 * update));
        balance();
        const double bubble = share(TimePart::bubble);
        note(bubble > kBubble, "pipeline bubble", bubble,
             fmt::format("{:.0f} % of the step waits for other stages: more micro-batches or interleaved chunks would "
                         "help",
                         100 * bubble));
        const double input = share(TimePart::input);
        note(input > kInput, "input/output", input,
             fmt::format("{:.0f} % of the step waits for samples from storage", 100 * input));
        const double host = share(TimePart::host);
        note(host > kLaunch, "launch-bound", host,
             fmt::format("{:.0f} % of the step devices wait for the host to start kernels: larger micro-batches, graph "
                         "capture or fused kernels would help",
                         100 * host));
        const double offload = share(TimePart::offload);
        note(offload > kOffload, "host link", offload,
             fmt::format("{:.0f} % of the step waits for copies to and from the host: overlap, larger micro-batches or "
                         "offloading less would help",
                         100 * offload));
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Bottleneck& a, const Bottleneck& b) { return a.share > b.share; });
        return std::move(found_);
    }

private:
    [[nodiscard]] double share(TimePart part) const {
        return p_.step.value > Seconds{} ? p_.time[part] / p_.step.value : 0.0;
    }

    void note(bool triggered, std::string kind, double value, std::string text) {
        if (triggered) {
            found_.push_back({std::move(kind), value, std::move(text)});
        }
    }

    void halo() {
        const Seconds gradients = p_.busy[TimePart::gradients];
        if (p_.time[TimePart::halo] > kHaloOfGradients * gradients && p_.time[TimePart::halo] > Seconds{}) {
            note(true, "point-to-point", share(TimePart::halo),
                 fmt::format("halo exchanges take {:.0f} % of the step, {:.1f} times the gradient exchange",
                             100 * share(TimePart::halo),
                             gradients > Seconds{} ? p_.time[TimePart::halo] / gradients : 0.0));
        }
    }

    void congestion() {
        double phi = 1;
        std::string what;
        for (const CommunicationLine& line : p_.communication) {
            if (line.contention > phi) {
                phi = line.contention;
                what = line.what;
            }
        }
        note(phi > 1.0 + 1e-9, "network congestion", phi,
             fmt::format("{:.3g} of the job's own flows share a link ({})", phi, what));
    }

    void memory() {
        const double full = p_.memory_limit > Bytes{} ? p_.memory.total() / p_.memory_limit : 0.0;
        note(full > kMemoryStalling, "memory stalling", full,
             fmt::format("{:.0f} % of device memory is in use: fragmentation may stall the allocator", 100 * full));
        const double ranks =
            static_cast<double>(p_.plan.devices()) / static_cast<double>(std::max<std::size_t>(1, p_.stages.size()));
        const double copies = r_.local_elements * ranks / std::max(1.0, r_.whole_elements);
        const Bytes states =
            p_.memory[MemoryPart::weights] + p_.memory[MemoryPart::gradients] + p_.memory[MemoryPart::optimizer];
        const bool sharded = p_.plan.shard != plan::ShardLevel::none;
        const double redundant = copies > 1 && !sharded ? (1.0 - 1.0 / copies) * (states / p_.memory.total()) : 0.0;
        note(redundant > kMemoryRedundancy, "memory redundancy", redundant,
             fmt::format("{:.0f} % of memory holds copies of weights and states that other ranks hold too: sharding "
                         "them would free it",
                         100 * redundant));
        const double executed = r_.executed.in(unit::flop)*ranks;
        const double needed = r_.whole_executed.in(unit::flop);
        const double repeated = executed > 0 ? 1.0 - needed / executed : 0.0;
        note(repeated > kComputeRedundancy, "computation redundancy", repeated,
             fmt::format("{:.0f} % of the arithmetic is done by several ranks alike: layers that the strategy leaves "
                         "whole dominate",
                         100 * repeated));
    }

    void balance() {
        if (p_.stages.size() < 2) {
            return;
        }
        Seconds sum;
        Seconds slowest;
        for (const StagePrediction& stage : p_.stages) {
            sum += stage.time;
            slowest = max(slowest, stage.time);
        }
        const double ratio = slowest / (sum / static_cast<double>(p_.stages.size()));
        note(ratio > kImbalance, "workload balance", ratio,
             fmt::format("the slowest stage works {:.2f} times the mean", ratio));
    }

    const Prediction& p_;
    const Redundancy& r_;
    std::vector<Bottleneck> found_;
};

}  // namespace

std::vector<Bottleneck> find_bottlenecks(const Prediction& prediction, const Redundancy& redundancy) {
    return Finder(prediction, redundancy).run();
}

}  // namespace dodona::schedule
