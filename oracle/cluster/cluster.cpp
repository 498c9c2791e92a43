#include "cluster/cluster.hpp"

#include "base/check.hpp"

namespace dodona::cluster {

std::int64_t Cluster::devices() const { return levels.empty() ? 1 : unit_size(levels.size() - 1); }

std::int64_t Cluster::unit_size(std::size_t level) const {
    check(level < levels.size(), "a cluster has the level that is asked for");
    std::int64_t devices = 1;
    for (std::size_t i = 0; i <= level; ++i) {
        devices *= levels[i].size;
    }
    return devices;
}

const Device& Cluster::device_of(std::int64_t rank) const {
    for (const DeviceRange& range : mixed) {
        if (rank >= range.first && rank < range.first + range.ranks) {
            return range.device;
        }
    }
    return device;
}

std::int64_t Group::size() const {
    std::int64_t ranks = 1;
    for (const Stride& stride : strides) {
        ranks *= stride.size;
    }
    return ranks;
}

}  // namespace dodona::cluster
