// Times of one network's kernels and passes under varied conditions, shared by the conditions under which its kernels
// take as long.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "search/least_passes.hpp"
#include "step/layer_times.hpp"

namespace dodona::search {

class PassesUnder {
public:
    /// Of the plan its precisions are used. The network must outlive the object.
    PassesUnder(const graph::Graph& graph, const plan::Plan& plan) : graph_(graph), plan_(plan), shards_(graph) {}

    /// Of the cluster's first device. The answer holds until as many others as are kept were asked for.
    LeastPasses& of(const cluster::Cluster& cluster, const plan::Framework& framework);

private:
    struct Known {
        cluster::Device device;
        plan::Framework framework;
        step::LayerTimes times;
        LeastPasses passes;

        Known(const graph::Graph& graph, cluster::Device on, const plan::Plan& plan, KnownShards& shards);
    };
    /// Kept beside those asked for first, which are the question's own: both sides of a derivative.
    static constexpr std::size_t kOthers = 2;

    const graph::Graph& graph_;
    plan::Plan plan_;
    KnownShards shards_;
    std::deque<std::unique_ptr<Known>> known_;
};

}  // namespace dodona::search
