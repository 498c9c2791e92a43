#include "step/split_norms.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include "cost/collective_time.hpp"
#include "cost/device_time.hpp"

namespace dodona::step {

namespace {

constexpr double kNorms = 2;  ///< of a tensor: of its weights, and of its gradient or update
constexpr Bytes kNumber = Bytes::of_base(4);

/// What the norms of each tensor take, tied weights once.
std::vector<Seconds> tensor_times(const graph::Graph& graph, const cluster::Device& device) {
    std::vector<Seconds> times;
    for (graph::Vertex vertex = 0; vertex < graph.layers.size(); ++vertex) {
        const graph::Layer& layer = graph.layer(vertex);
        for (const graph::Weight& weight : layer.nest.weights) {
            if (!layer.frozen && weight.tied_to.empty()) {
                const Seconds norms = kNorms * cost::stream_time(device, weight.elements() * kNumber).time.value;
                times.insert(times.end(), static_cast<std::size_t>(graph.instances(vertex)), norms);
            }
        }
    }
    return times;
}

/// The rank that takes longest, where each tensor goes to the one with least so far, the longest first.
Seconds longest_share(std::vector<Seconds> times, std::int64_t ranks) {
    std::sort(times.begin(), times.end(), std::greater<>());
    std::priority_queue<Seconds, std::vector<Seconds>, std::greater<>> loads;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        loads.push({});
    }
    Seconds longest;
    for (const Seconds time : times) {
        const Seconds load = loads.top() + time;
        loads.pop();
        loads.push(load);
        longest = max(longest, load);
    }
    return longest;
}

}  // namespace

std::optional<SplitNorms> split_norms(const graph::Graph& graph, const cluster::Cluster& cluster,
                                      const Prediction& prediction) {
    const plan::Plan& plan = prediction.plan;
    const bool takes_norms = plan.optimizer == plan::OptimizerKind::lars || plan.optimizer == plan::OptimizerKind::lamb;
    const std::int64_t ranks = prediction.data_ranks;
    if (!takes_norms || ranks < 2 || ranks != plan.devices() || plan.shard != plan::ShardLevel::none) {
        return {};
    }
    const std::vector<Seconds> times = tensor_times(graph, cluster.device);
    SplitNorms norms{.tensors = static_cast<std::int64_t>(times.size()), .ranks = ranks};
    for (const Seconds time : times) {
        norms.all += time;
    }
    norms.most = longest_share(times, ranks);
    norms.gather = cost::collective_time(cluster, {.collective = cluster::Collective::all_gather,
                                                   .group = {.strides = {{.stride = 1, .size = ranks}}},
                                                   .size = kNorms * static_cast<double>(times.size()) * kNumber,
                                                   .ranks = ranks})
                       .time.value;
    return norms;
}

}  // namespace dodona::step
