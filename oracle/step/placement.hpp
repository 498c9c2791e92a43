// The devices of a job's ranks on clusters with several kinds of nodes.
//
// Rank r runs on device r of the cluster. Ranks of one stage and data rank synchronise in every layer, so their slowest
// device sets the time and their smallest memory the limit. Data ranks that communicate within a micro-batch (experts,
// statistics, gathered weights) synchronise too and count as one. The rest are replicas: independent pipelines that
// synchronise once a step, to reduce gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.hpp"
#include "plan/mesh.hpp"
#include "plan/strategy.hpp"

namespace dodona::step {

/// Devices of a placement, one bit each.
using DeviceSet = std::uint64_t;
inline constexpr std::size_t kMaxDeviceKinds = 64;

/// Replicas with the same devices in every stage.
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

/// `stages`, `replicas`: the atoms that index stages and replicas. On one kind of device there is one replica kind.
Placement place(const cluster::Cluster& cluster, const plan::Mesh& mesh, plan::Atoms stages, plan::Atoms replicas);

/// The same job with all replicas synchronised in every micro-batch.
Placement in_step(const Placement& placement);

/// The atoms that lay the batch.
plan::Atoms data_atoms(const plan::Mesh& mesh, const plan::Strategy& strategy);

}  // namespace dodona::step
