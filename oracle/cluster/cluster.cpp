#include "cluster/cluster.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace dodona::cluster {

std::int64_t Cluster::devices() const { return levels.empty() ? 1 : domain_size(levels.size() - 1); }

std::int64_t Cluster::domain_size(std::size_t level) const {
    check(level < levels.size(), "a cluster has the level that is asked for");
    std::int64_t devices = 1;
    for (std::size_t i = 0; i <= level; ++i) {
        devices *= levels[i].size;
    }
    return devices;
}

std::int64_t Cluster::taken(std::size_t level, std::int64_t ranks) const {
    check(level < levels.size(), "a cluster has the level that is asked for");
    const std::int64_t size = levels[level].size;
    const std::int64_t unit = domain_size(level);
    if (!levels[level].segment || ranks <= unit || ranks % unit == 0) {
        return size;
    }
    const std::int64_t child = unit / size;
    const std::int64_t units = devices() / unit;
    for (std::int64_t segment = std::min(*levels[level].segment, size); 2 * segment >= size; --segment) {
        if (ranks % (segment * child) == 0 && ranks / (segment * child) <= units) {
            return segment;
        }
    }
    return size;
}

std::int64_t Cluster::domain_size(std::size_t level, std::int64_t ranks) const {
    std::int64_t inside = 1;
    for (std::size_t i = 0; i <= level; ++i) {
        inside *= taken(i, ranks);
    }
    return inside;
}

std::size_t Cluster::fast_levels() const {
    const auto of_device = [&](std::size_t i) {
        const double child = i == 0 ? 1 : static_cast<double>(domain_size(i - 1));
        return static_cast<double>(levels[i].links) / levels[i].taper / child * levels[i].bandwidth;
    };
    std::size_t level = node_level;
    while (level + 1 < levels.size() && of_device(level + 1) >= of_device(node_level)) {
        ++level;
    }
    return level - node_level;
}

std::span<const Algorithm> Cluster::allowed(Collective collective) const {
    if (!algorithms.empty()) {
        return algorithms;
    }
    return collectives ? algorithms_of(*collectives, collective) : std::span<const Algorithm>{};
}

std::vector<DeviceKind> Cluster::device_runs(std::int64_t ranks) const {
    std::vector<DeviceKind> runs;
    std::int64_t next = 0;
    const auto add = [&](const Device& held, std::int64_t end) {
        if (const std::int64_t last = std::min(end, ranks); last > next) {
            runs.push_back({&held, last - next});
            next = last;
        }
    };
    for (const DeviceRange& range : mixed) {
        add(device, range.first);
        add(range.device, range.first + range.ranks);
    }
    add(device, ranks);
    return runs;
}

std::vector<DeviceKind> Cluster::device_kinds(std::int64_t ranks) const {
    std::vector<DeviceKind> kinds;
    for (const DeviceKind& run : device_runs(ranks)) {
        const auto known = std::find_if(kinds.begin(), kinds.end(),
                                        [&](const DeviceKind& kind) { return *kind.device == *run.device; });
        if (known == kinds.end()) {
            kinds.push_back(run);
        } else {
            known->ranks += run.ranks;
        }
    }
    return kinds;
}

std::int64_t Group::size() const {
    std::int64_t ranks = 1;
    for (const Stride& stride : strides) {
        ranks *= stride.size;
    }
    return ranks;
}

}  // namespace dodona::cluster
