#include "step/offload.hpp"

#include <algorithm>

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
    const bool on_host = plan.updates_on_host();
    const double f = plan.offload.optimizer_share;
    const Bytes g = plan.offload.weights ? all.gradients : plan.offloads_gradients() ? f * all.gradients : Bytes{};
    const Bytes updated = plan.offload.weights ? states.updated : Bytes{};
    const Bytes s = plan.offload.optimizer ? f * all.optimizer : Bytes{};
    const Bytes k = plan.offload.activations ? kept.microbatch : Bytes{};
    const Copies forward{.in = w, .out = k};
    const double m = static_cast<double>(microbatches);
    const Copies backward{.in = w + (on_host ? (m - 1) / m : 1) * g + k, .out = g};
    const Copies update = on_host ? Copies{} : Copies{.in = s, .out = s + updated};
    const Bytes gradients = on_host && !plan.offloads_gradients() ? f * states.update_gradients : Bytes{};
    const Bytes weights = on_host && !plan.offload.weights ? f * states.update_weights : Bytes{};

    StageOffload offload;
    offload.forward = forward.over(bandwidth);
    offload.backward = backward.over(bandwidth);
    offload.update = update.over(bandwidth);
    offload.gradients = gradients / bandwidth;
    offload.weights = weights / bandwidth;
    offload.in = m * (forward.in + backward.in) + update.in + weights;
    offload.out = m * (forward.out + backward.out) + update.out + gradients;
    offload.kept = w + g + gradients + s + (plan.offload.activations ? kept.blocks : Bytes{});
    const bool hides = plan.overlap.offload;
    const double one = one_of(kept.segments);
    const auto copies = [&](Seconds busy, Seconds pass) {
        return HostCopies{.busy = busy, .alone = one, .hides = hides, .time = step::exposed(busy, pass, one, hides)};
    };
    offload.exposed = {copies(offload.forward, alone.forward), copies(offload.backward, alone.back)};
    return offload;
}

void add_pages(StageOffload& offload, const cluster::Cluster& cluster, const plan::Plan& plan, const StateSums& states,
               Bytes beyond, std::int64_t microbatches) {
    if (!plan.offload.pages || beyond <= Bytes{}) {
        return;
    }
    const Bytes idle = plan.offload.optimizer ? Bytes{} : (states.blocks + states.token).optimizer;
    const Bytes once = min(beyond, idle);
    const Bytes moved = once + static_cast<double>(microbatches) * (beyond - once);
    offload.paging = 2 * moved / (kPageRate * cluster.host->bandwidth);
    offload.in += moved;
    offload.out += moved;
    offload.kept += beyond;
}

Seconds exposed_update(const StageOffload& offload, const plan::Plan& plan, const UpdateWindow& window,
                       std::int64_t buckets) {
    const Seconds until_reduced = window.backward + offload.exposed.back.time + window.reductions;
    const Seconds free = max(Seconds{}, until_reduced - offload.backward);
    const double one = one_of(buckets);
    const bool hides = plan.overlap.offload;
    return offload.paging + exposed(offload.update, free + window.update, one, hides) +
           exposed(offload.gradients, free, one, hides) + exposed(offload.weights, window.update, one, hides);
}

Estimate update_time(const CostedGraph& costed, const plan::Plan& plan, const StateSums& states, double share) {
    if (!plan.updates_on_host()) {
        return states.matrices + costed.update_time(states.update_traffic, share);
    }
    const double rest = 1 - plan.offload.optimizer_share;
    Estimate time = states.matrices + host_update(*costed.cluster, plan, states);
    if (rest > 0) {
        time += costed.update_time(rest * states.update_traffic, rest * share);
    }
    return time;
}

Estimate host_update(const cluster::Cluster& cluster, const plan::Plan& plan, const StateSums& states) {
    check(cluster.host.has_value() && plan.updates_on_host(), "the update runs on a host that is described");
    const std::optional<BytesPerSecond>& known = cluster.host->memory_bandwidth;
    const auto devices = static_cast<double>(std::min(plan.devices(), cluster.node_size()));
    const double slower = plan.framework[plan::FrameworkParameter::host_update] * plan.offload.optimizer_share;
    const auto at = [&](BytesPerSecond bandwidth) {
        return slower * devices * states.update_traffic / known.value_or(bandwidth);
    };
    return {at(cluster::kUsualHostMemory), at(cluster::kMaxHostMemory), at(cluster::kLeastHostMemory)};
}

}  // namespace dodona::step
