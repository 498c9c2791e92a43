// Which ranks of a job synchronise with one another, and how often.
//
// Ranks of one stage and replica synchronise in every pass: they are a group. Replicas synchronise once a step, at the
// reduction of gradients; those that share gradients or parameters in every pass are one (step/placement.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.hpp"
#include "plan/mesh.hpp"
#include "plan/plan.hpp"

namespace dodona::play {

struct RankLayout {
    std::int64_t stages = 1;
    std::int64_t replicas = 1;
    std::int64_t node_size = 1;
    std::vector<std::vector<std::int64_t>> groups;  ///< ranks of a stage and replica, stage first

    [[nodiscard]] const std::vector<std::int64_t>& group(std::int64_t stage, std::int64_t replica) const {
        return groups[static_cast<std::size_t>(stage * replicas + replica)];
    }
    [[nodiscard]] std::int64_t node(std::int64_t rank) const { return rank / node_size; }
    [[nodiscard]] std::int64_t ranks() const;
    [[nodiscard]] std::int64_t nodes() const { return (ranks() + node_size - 1) / node_size; }
    /// Whether ranks of the group are on several nodes.
    [[nodiscard]] bool leaves_node(std::int64_t stage, std::int64_t replica) const;
};

/// `replicas`: see step::PipelineCosts.
RankLayout rank_layout(const cluster::Cluster& cluster, const plan::Plan& plan, plan::Atoms replicas);

}  // namespace dodona::play
