#include "questions/question.hpp"

#include <fmt/format.h>

namespace dodona::questions {

std::vector<std::int64_t> stepped_counts(std::int64_t least, std::int64_t most, std::int64_t step) {
    std::vector<std::int64_t> counts{least};
    for (std::int64_t count = (least / step + 1) * step; count <= most; count += step) {
        counts.push_back(count);
    }
    return counts;
}

void check_devices(const cluster::Cluster& cluster, std::int64_t devices, Faults& faults) {
    if (devices > cluster.devices()) {
        faults.push_back({"gpus", fmt::format("{} are more than {} has: {}", devices, cluster.name, cluster.devices()),
                          "`dodona machines` lists others"});
    }
}

}  // namespace dodona::questions
