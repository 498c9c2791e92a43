#include "play/rank_layout.hpp"

#include "base/ranges.hpp"

namespace dodona::play {

namespace {

/// The ranks of a group that rank 0 is in, first stride innermost.
std::vector<std::int64_t> offsets(const cluster::Group& group) {
    std::vector<std::int64_t> all{0};
    for (const cluster::Group::Stride& stride : group.strides) {
        const std::size_t inner = all.size();
        for (std::int64_t i = 1; i < stride.size; ++i) {
            for (std::size_t k = 0; k < inner; ++k) {
                all.push_back(all[k] + i * stride.stride);
            }
        }
    }
    return all;
}

}  // namespace

std::int64_t RankLayout::ranks() const {
    std::int64_t sum = 0;
    for (const std::vector<std::int64_t>& group : groups) {
        sum += static_cast<std::int64_t>(group.size());
    }
    return sum;
}

bool RankLayout::leaves_node(std::int64_t stage, std::int64_t replica) const {
    const std::vector<std::int64_t>& ranks = group(stage, replica);
    return any_of(ranks, [&](std::int64_t rank) { return node(rank) != node(ranks.front()); });
}

RankLayout rank_layout(const cluster::Cluster& cluster, const plan::Plan& plan, plan::Atoms replicas) {
    const plan::Mesh mesh(plan, {});
    const plan::Atoms stages = plan.strategy.pipeline ? mesh.axis(*plan.strategy.pipeline) : 0;
    const std::vector<std::int64_t> of_stage = offsets(mesh.group(stages));
    const std::vector<std::int64_t> of_replica = offsets(mesh.group(replicas));
    const std::vector<std::int64_t> inside = offsets(mesh.group(mesh.all() & ~stages & ~replicas));
    RankLayout layout{.stages = static_cast<std::int64_t>(of_stage.size()),
                      .replicas = static_cast<std::int64_t>(of_replica.size()),
                      .node_size = cluster.node_size()};
    for (const std::int64_t stage : of_stage) {
        for (const std::int64_t replica : of_replica) {
            std::vector<std::int64_t>& group = layout.groups.emplace_back(inside);
            for (std::int64_t& rank : group) {
                rank += stage + replica;
            }
        }
    }
    return layout;
}

}  // namespace dodona::play
