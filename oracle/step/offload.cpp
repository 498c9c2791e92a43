#include "step/offload.hpp"

#include "base/check.hpp"

namespace dodona::step {

namespace {

struct Copies {
    Bytes in;
    Bytes out;
    [[nodiscard]] Seconds over(BytesPerSecond bandwidth) const { return max(in, out) / bandwidth; }
};

}  // namespace

StageOffload stage_offload(const cluster::Cluster& cluster, const plan::Plan& plan, const StateSums& states,
                           const KeptActivations& kept, const PassTotals& alone, std::int64_t microbatches) {
    if (!plan.offload.any()) {
        return {};
    }
    check(cluster.host.has_value(), "a plan offloads to a host that is described");
    const BytesPerSecond bandwidth = cluster.host->bandwidth;
    const StateBytes all = states.blocks + states.token;
    const Bytes w = plan.offload.weights ? all.weights : Bytes{};
    const Bytes g = plan.offload.weights ? all.gradients : Bytes{};
    const Bytes updated = plan.offload.weights ? states.updated : Bytes{};
    const Bytes s = plan.offload.optimizer ? all.optimizer : Bytes{};
    const Bytes k = plan.offload.activations ? kept.microbatch : Bytes{};
    const Copies forward{.in = w, .out = k};
    const Copies backward{.in = w + g + k, .out = g};
    const Copies update{.in = s, .out = s + updated};
    const double m = static_cast<double>(microbatches);

    StageOffload offload;
    offload.forward = forward.over(bandwidth);
    offload.backward = backward.over(bandwidth);
    offload.update = update.over(bandwidth);
    offload.in = m * (forward.in + backward.in) + update.in;
    offload.out = m * (forward.out + backward.out) + update.out;
    offload.kept = w + g + s + (plan.offload.activations ? kept.total() : Bytes{});
    const bool hides = plan.overlap.offload;
    const double one = one_of(kept.segments);
    const auto beside = [&](Seconds busy, Seconds pass) {
        return HostCopies{.busy = busy, .alone = one, .hides = hides, .time = step::exposed(busy, pass, one, hides)};
    };
    offload.exposed = {beside(offload.forward, alone.forward), beside(offload.backward, alone.back)};
    return offload;
}

Seconds exposed_update(const StageOffload& offload, const plan::Plan& plan, const UpdateWindow& window,
                       std::int64_t buckets) {
    const Seconds until_reduced = window.backward + offload.exposed.back.time + window.reductions;
    const Seconds free = max(Seconds{}, until_reduced - offload.backward);
    return exposed(offload.update, free + window.update, one_of(buckets), plan.overlap.offload);
}

}  // namespace dodona::step
