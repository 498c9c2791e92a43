#include "step/placement.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.hpp"

namespace dodona::step {

namespace {

/// Index of a rank among those that differ in some atoms.
std::size_t coordinate(const cluster::Group& group, std::int64_t rank) {
    std::int64_t at = 0;
    std::int64_t below = 1;
    for (const cluster::Group::Stride& stride : group.strides) {
        at += rank / stride.stride % stride.size * below;
        below *= stride.size;
    }
    return static_cast<std::size_t>(at);
}

std::vector<ReplicaKind> alike(std::vector<std::vector<DeviceSet>> replicas) {
    std::vector<ReplicaKind> kinds;
    std::map<std::vector<DeviceSet>, std::size_t> known;
    for (std::vector<DeviceSet>& devices : replicas) {
        const auto [found, is_new] = known.emplace(devices, kinds.size());
        if (is_new) {
            kinds.push_back({std::move(devices), 1});
        } else {
            ++kinds[found->second].count;
        }
    }
    return kinds;
}

}  // namespace

Placement place(const cluster::Cluster& cluster, const plan::Mesh& mesh, plan::Atoms stages, plan::Atoms replicas) {
    Placement placement{.kinds = cluster.device_kinds(mesh.devices()), .replicas = {}};
    const auto stage_count = static_cast<std::size_t>(mesh.ways(stages));
    if (!placement.mixed()) {
        placement.replicas = {{std::vector<DeviceSet>(stage_count, 1), mesh.ways(replicas)}};
        return placement;
    }
    check(placement.kinds.size() <= kMaxDeviceKinds, "a job has no more kinds of devices than validate() allows");
    std::vector<std::vector<DeviceSet>> cells(static_cast<std::size_t>(mesh.ways(replicas)),
                                              std::vector<DeviceSet>(stage_count, 0));
    const cluster::Group stage_group = mesh.group(stages);
    const cluster::Group replica_group = mesh.group(replicas);
    std::int64_t rank = 0;
    for (const cluster::DeviceKind& run : cluster.device_runs(mesh.devices())) {
        const auto kind = std::find_if(placement.kinds.begin(), placement.kinds.end(),
                                       [&](const cluster::DeviceKind& other) { return *other.device == *run.device; });
        const DeviceSet bit = DeviceSet{1} << (kind - placement.kinds.begin());
        for (const std::int64_t end = rank + run.ranks; rank < end; ++rank) {
            cells[coordinate(replica_group, rank)][coordinate(stage_group, rank)] |= bit;
        }
    }
    placement.replicas = alike(std::move(cells));
    return placement;
}

Placement in_step(const Placement& placement) {
    Placement together{.kinds = placement.kinds, .replicas = {placement.replicas.front()}};
    ReplicaKind& all = together.replicas.front();
    all.count = 1;
    for (const ReplicaKind& replica : placement.replicas) {
        for (std::size_t s = 0; s < all.devices.size(); ++s) {
            all.devices[s] |= replica.devices[s];
        }
    }
    return together;
}

plan::Atoms data_atoms(const plan::Mesh& mesh, const plan::Strategy& strategy) {
    std::set<std::string> axes;
    const auto note = [&](const std::vector<plan::Lay>& lays) {
        for (const plan::Lay& lay : lays) {
            if (lay.dimension == "batch") {
                axes.insert(lay.axes.begin(), lay.axes.end());
            }
        }
    };
    note(strategy.everywhere);
    for (const plan::Rule& rule : strategy.rules) {
        note(rule.lay);
    }
    return mesh.axes({axes.begin(), axes.end()});
}

}  // namespace dodona::step
