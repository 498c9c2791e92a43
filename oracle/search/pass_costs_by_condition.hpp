// Times of one network's kernels and passes under varied conditions, shared by the conditions under which its kernels
// take as long, and the orders of its pipelines.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "search/compute_time_bounds.hpp"
#include "step/layer_times.hpp"
#include "step/schedule_timings.hpp"

namespace dodona::search {

struct Space;

/// What searches under one condition share.
struct SoftwarePasses {
    std::vector<ComputeTimeBounds*> by_software;  ///< of a space, on a cluster's first device under its precision
    step::ScheduleTimings* orders = nullptr;
};

class PassCostsByCondition {
public:
    /// `keeps_shards`: for several searches (KnownShards). The network must outlive the object.
    PassCostsByCondition(const graph::Graph& graph, const Space& space, bool keeps_shards);

    /// Of the cluster's first device. The answer holds until as many others as are kept were asked for.
    ComputeTimeBounds& of(const cluster::Cluster& cluster, const plan::Framework& framework);
    /// Holds until the software under more than one other condition was asked about.
    SoftwarePasses of(const cluster::Cluster& cluster, const Space& space);
    /// The same under all conditions.
    step::ScheduleTimings& orders() { return orders_; }

private:
    struct Known {
        cluster::Device device;
        plan::Framework framework;
        step::LayerTimes times;
        ComputeTimeBounds passes;

        Known(const graph::Graph& graph, cluster::Device on, const plan::Plan& plan, KnownShards* shards);
    };
    /// Conditions kept beside those asked about first, which are the question's own: both sides of a derivative.
    static constexpr std::size_t kOthers = 2;

    const graph::Graph& graph_;
    plan::Plan plan_;  ///< its precisions are used
    std::size_t software_ = 1;
    std::optional<KnownShards> shards_;
    std::deque<std::unique_ptr<Known>> known_;
    step::ScheduleTimings orders_;
};

}  // namespace dodona::search
