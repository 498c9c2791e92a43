#include "step/bottlenecks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::step {

namespace {

/// A halo exchange below this share of the step is not reported, however small the gradient exchange.
constexpr double kNegligible = 0.01;

class Finder {
public:
    Finder(const Prediction& prediction, const Redundancy& redundancy, const ScalingHeadroom& headroom)
        : p_(prediction), r_(redundancy), headroom_(headroom) {}

    std::vector<Bottleneck> run() {
        shares();
        halo();
        congestion();
        balance();
        memory();
        redundant_work();
        devices();
        stable_sort(found_, [](const auto& a, const auto& b) { return a.second > b.second; });
        std::vector<Bottleneck> bottlenecks;
        for (auto& [bottleneck, cost] : found_) {
            bottlenecks.push_back(std::move(bottleneck));
        }
        return bottlenecks;
    }

private:
    [[nodiscard]] double share(TimePart part) const {
        return p_.step.value > Seconds{} ? p_.time[part] / p_.step.value : 0.0;
    }

    /// Reports a bottleneck above its threshold. `cost`: share of the step that it takes, 0 if it takes none yet.
    void note(BottleneckKind kind, double value, double cost, std::string text) {
        if (value > row_of(kind).threshold + 1e-9) {
            found_.emplace_back(Bottleneck{.kind = kind, .share = value, .text = std::move(text)}, cost);
        }
    }

    /// Parts of the step whose share has a threshold.
    void shares() {
        const auto part = [&](BottleneckKind kind, TimePart which, std::string_view text) {
            const double value = share(which);
            note(kind, value, value, fmt::format("{:.0f} % of the step {}", 100 * value, text));
        };
        part(BottleneckKind::gradient_exchange, TimePart::gradients,
             "is gradient reduction that nothing hides: larger batches per rank, fewer data ranks or overlap would "
             "help");
        part(BottleneckKind::layer_collectives, TimePart::layer,
             "is collectives inside layers: fewer ways, or a faster link under them, would help");
        part(BottleneckKind::stage_transfers, TimePart::pipeline,
             "sends tensors between stages: fewer stages or virtual stages, or overlapping the transfers, would help");
        part(BottleneckKind::weight_update, TimePart::optimizer,
             p_.plan.updates_on_host()
                 ? "updates weights on the host, whose memory all devices of a node share: states "
                   "that stay on devices, or more nodes, would help"
                 : "updates weights: sharding the optimizer states divides it");
        part(BottleneckKind::bubble, TimePart::bubble,
             "waits for other stages: more micro-batches or virtual stages would help");
        part(BottleneckKind::input, TimePart::input,
             "waits for samples: faster storage, more readers or samples staged on the nodes would help");
        part(BottleneckKind::launch, TimePart::host,
             "devices wait for the host to start kernels: larger micro-batches, graph capture or fused kernels would "
             "help");
        part(BottleneckKind::host_link, TimePart::offload,
             "waits for copies to and from the host: overlap, larger micro-batches or offloading less would help");
    }

    void halo() {
        const Seconds gradients = p_.busy[TimePart::gradients];
        const double halo = share(TimePart::halo);
        if (halo < kNegligible) {
            return;
        }
        const bool reduces = gradients > Seconds{};
        const double ratio = reduces ? p_.time[TimePart::halo] / gradients : std::numeric_limits<double>::infinity();
        note(BottleneckKind::halo_exchange, ratio, halo,
             fmt::format(
                 "halo exchanges take {:.0f} % of the step{}: splitting fewer ways, or over a faster link, would "
                 "help",
                 100 * halo, reduces ? fmt::format(", {:.1f} times the gradient exchange", ratio) : ""));
    }

    void congestion() {
        const CommunicationLine* worst = nullptr;
        Seconds lost;
        for (const CommunicationLine& line : p_.communication) {
            if (line.contention > 1) {
                lost += (1.0 - 1.0 / line.contention) * line.time;
                worst = worst == nullptr || line.contention > worst->contention ? &line : worst;
            }
        }
        if (worst == nullptr) {
            return;
        }
        const double cost = p_.step.value > Seconds{} ? lost / p_.step.value : 0.0;
        note(
            BottleneckKind::congestion, worst->contention, cost,
            fmt::format("{:.3g} of the job's own flows share a link ({}), which costs up to {:.1f} % of the step: more "
                        "links a node, or the axis inside nodes, would help",
                        worst->contention, step::text(*worst), 100 * cost));
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
        const double ratio = sum > Seconds{} ? slowest / (sum / static_cast<double>(p_.stages.size())) : 1.0;
        note(BottleneckKind::balance, ratio, 1.0 - 1.0 / ratio,
             fmt::format(
                 "the slowest stage works {:.2f} times the mean: other cuts (--cut), fewer stages or virtual stages "
                 "would help",
                 ratio));
    }

    [[nodiscard]] double ranks() const {
        return static_cast<double>(p_.plan.devices()) / static_cast<double>(std::max<std::size_t>(1, p_.stages.size()));
    }

    /// Share of a part of the states that is a redundant copy; `shard_ways` ranks shard it.
    [[nodiscard]] double copied(bool sharded) const {
        const double copies = r_.local_elements * ranks() / std::max(1.0, r_.whole_elements) /
                              static_cast<double>(sharded ? r_.shard_ways : 1);
        return copies > 1 ? 1.0 - 1.0 / copies : 0.0;
    }

    void memory() {
        if (p_.memory.total() <= Bytes{}) {
            return;
        }
        const double full = p_.memory_limit > Bytes{} ? p_.memory.total() / p_.memory_limit : 0.0;
        // No allocator stalls where the plan does not fit.
        note(BottleneckKind::memory_stalling, full > 1 ? 0 : full, 0,
             fmt::format("{:.0f} % of device memory is in use, where allocators stall or fail: smaller micro-batches, "
                         "recomputation or sharding would free some",
                         100 * full));
        const plan::ShardLevel level = p_.plan.exchanged_shard();
        const double states = (copied(level >= plan::ShardLevel::parameters) * p_.memory[MemoryPart::weights] +
                               copied(level >= plan::ShardLevel::gradients) * p_.memory[MemoryPart::gradients] +
                               copied(level >= plan::ShardLevel::states) * p_.memory[MemoryPart::optimizer]) /
                              p_.memory.total();
        const double kept = r_.kept_elsewhere * (p_.memory[MemoryPart::activations] / p_.memory.total());
        note(BottleneckKind::memory_redundancy, states + kept, 0,
             fmt::format("{:.0f} % of memory holds what other ranks hold too ({:.0f} % weights and states, {:.0f} % "
                         "activations): {} would free it",
                         100 * (states + kept), 100 * states, 100 * kept,
                         states >= kept ? "sharding the states" : "splitting the layers that are whole"));
    }

    void redundant_work() {
        const double executed = r_.executed.in(unit::flop)*ranks();
        const double repeated = executed > 0 ? 1.0 - r_.whole_executed.in(unit::flop) / executed : 0.0;
        note(BottleneckKind::compute_redundancy, repeated,
             repeated * (share(TimePart::forward) + share(TimePart::backward)),
             fmt::format("{:.0f} % of the arithmetic is done by several ranks alike: layers that the strategy leaves "
                         "whole dominate, and more ways divide only the rest",
                         100 * repeated));
    }

    void devices() {
        if (headroom_.stopped_by.empty()) {
            return;
        }
        const bool samples =
            std::any_of(headroom_.stopped_by.begin(), headroom_.stopped_by.end(),
                        [](const plan::Limit& limit) { return std::holds_alternative<plan::BatchLimit>(limit.cause); });
        const std::string limits = plan::text(headroom_.stopped_by);
        note(BottleneckKind::devices, headroom_.taken, 0,
             headroom_.taken > 1 ? fmt::format("more than the strategy can use: {}", limits)
                                 : fmt::format("no axis can be doubled: {}; {} would take more devices", limits,
                                               samples ? "a larger batch" : "a strategy with another axis"));
    }

    const Prediction& p_;
    const Redundancy& r_;
    const ScalingHeadroom& headroom_;
    std::vector<std::pair<Bottleneck, double>> found_;
};

}  // namespace

std::vector<Bottleneck> find_bottlenecks(const Prediction& prediction, const Redundancy& redundancy,
                                         const ScalingHeadroom& headroom) {
    return Finder(prediction, redundancy, headroom).run();
}

}  // namespace dodona::step
