// Which devices the ranks of a composed have, where its nodes are not alike.
//
// Rank r sits on device r of the cluster. Ranks of one stage and one data rank work in step in every layer: the slowest
// device among them counts for time, the smallest memory for memory. Data ranks that exchange anything within a
// micro-batch (experts, statistics, gathered weights) work in step as well and count as one. What is left are replicas:
// pipelines that go their own pace and meet once a step, to reduce gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.hpp"
#include "plan/mesh.hpp"
#include "plan/strategy.hpp"

namespace dodona::step {

/// Devices of a placement, one bit each.
using DeviceSet = std::uint64_t;
inline constexpr std::size_t kMostDeviceKinds = 64;

/// Replicas that have the same devices in every stage.
struct ReplicaKind {
    std::vector<DeviceSet> devices;  ///< by stage
    std::int64_t count = 1;
    bool operator==(const ReplicaKind&) const = default;
};

struct Placement {
    std::vector<cluster::DeviceKind> kinds;  ///< distinct devices, in the order of their first rank
    std::vector<ReplicaKind> replicas;       ///< in the order of their first rank
    [[nodiscard]] bool mixed() const { return kinds.size() > 1; }
};

/// `stages`, `replicas`: atoms that tell stages and replicas apart. One device only: one kind, one replica of it.
Placement place(const cluster::Cluster& cluster, const plan::Mesh& mesh, plan::Atoms stages, plan::Atoms replicas);

/// The same job with all its replicas in step.
Placement in_step(const Placement& placement);

/// The atoms that lay the batch.
plan::Atoms data_atoms(const plan::Mesh& mesh, const plan::Strategy& strategy);

}  // namespace dodona::step
