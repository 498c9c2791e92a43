// Shards of a network on one mesh, for one micro-batch after the other.
//
// Loops are laid alike whatever the micro-batch, and every number of elements is proportional to it or does not depend
// on it. Two derivations, d samples apart, so give all between them:
//
//   n(b) = n(b0) + (b - b0) / d (n(b0 + d) - n(b0))
//
// A layer without a rule takes the cheapest of several shardings; costs are as linear, so what is the cheapest for both
// is it for all between. Domain: where the ranks that split the batch of a layer do not divide those that hold other
// samples, shares are rounded up; every micro-batch is then derived on its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "plan/shard.hpp"

namespace dodona::plan {

class MeshShards {
public:
    /// The graph must outlive the object.
    MeshShards(const graph::Graph& graph, Mesh mesh) : graph_(graph), mesh_(std::move(mesh)) {}

    /// As shard() derives them. Domain: always the same strategy.
    SharedShards of(const Strategy& strategy, std::int64_t microbatch);

private:
    /// d: a power of two, so that whole numbers of elements stay whole.
    static constexpr std::int64_t kApart = 1024;

    [[nodiscard]] SharedShards derived(const Strategy& strategy, std::int64_t microbatch) const;
    /// Whether shards follow from two derivations.
    bool are_linear(const Strategy& strategy);

    const graph::Graph& graph_;
    Mesh mesh_;
    SharedShards first_;  ///< of the micro-batch that was asked for first
    SharedShards last_;   ///< of kApart samples more
    std::optional<bool> linear_;
    std::shared_ptr<ShardedGraph> between_;  ///< written again where nobody uses it
};

}  // namespace dodona::plan
