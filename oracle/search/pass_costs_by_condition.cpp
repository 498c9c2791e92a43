#include "search/pass_costs_by_condition.hpp"

#include <algorithm>
#include <utility>

#include "search/mesh_layouts.hpp"
#include "step/kernel_cost.hpp"

namespace dodona::search {

PassCostsByCondition::Known::Known(const graph::Graph& graph, cluster::Device on, const plan::Plan& plan,
                                   KnownShards* shards)
    : device(std::move(on)), framework(plan.framework), times(graph, device, plan), passes(graph, times, shards) {}

PassCostsByCondition::PassCostsByCondition(const graph::Graph& graph, const Space& space, bool keeps_shards)
    : graph_(graph), plan_(plan_of(space)), software_(space.software.size()) {
    if (keeps_shards) {
        shards_.emplace(graph);
    }
}

ComputeTimeBounds& PassCostsByCondition::of(const cluster::Cluster& cluster, const plan::Framework& framework) {
    cluster::Device device = *cluster.device_kinds(1).front().device;
    const auto alike = [&](const std::unique_ptr<Known>& known) {
        device.memory = known->device.memory;  // decides what fits, not how long it takes
        return step::kernels_are_alike(known->framework, framework) && known->device == device;
    };
    const auto found = std::find_if(known_.begin(), known_.end(), alike);
    if (found != known_.end()) {
        return (*found)->passes;
    }
    if (known_.size() >= (1 + kOthers) * software_) {
        known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(software_));
    }
    plan_.framework = framework;
    KnownShards* const shards = shards_ ? &*shards_ : nullptr;
    return known_.emplace_back(std::make_unique<Known>(graph_, std::move(device), plan_, shards))->passes;
}

SoftwarePasses PassCostsByCondition::of(const cluster::Cluster& cluster, const Space& space) {
    SoftwarePasses passes{.by_software = {}, .orders = &orders_};
    for (const Software& software : space.software) {
        passes.by_software.push_back(&of(cluster, software.framework));
    }
    return passes;
}

}  // namespace dodona::search
