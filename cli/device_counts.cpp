#include "cli/device_counts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/workload.hpp"
#include "search/sweep.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMaxSweepCounts = 10'000;

}  // namespace

DeviceCounts read_device_counts(Arguments& arguments) {
    const std::string name = "--gpus";
    DeviceCounts asked;
    const auto typed = arguments.text(name);
    const std::size_t dots = typed ? typed->find("..") : std::string::npos;
    if (typed && dots == std::string::npos) {
        asked.listed = arguments.counts(name);
        std::sort(asked.listed.begin(), asked.listed.end());
        asked.listed.erase(std::unique(asked.listed.begin(), asked.listed.end()), asked.listed.end());
    } else if (typed) {
        const std::size_t colon = typed->find(':', dots);
        asked.least = arguments.count_from(name, typed->substr(0, dots));
        asked.most =
            arguments.count_from(name, typed->substr(dots + 2, colon == std::string::npos ? colon : colon - dots - 2));
        if (colon != std::string::npos) {
            asked.step = arguments.count_from(name, typed->substr(colon + 1));
        }
        if (asked.least && asked.most && *asked.least > *asked.most) {
            arguments.fault(name, fmt::format("{} is empty", as_typed(*typed)),
                            "the smaller number comes first: 8..1024");
        }
    }
    return asked;
}

std::vector<std::int64_t> counts_on(Arguments& arguments, const DeviceCounts& asked, const cluster::Cluster& cluster) {
    if (!asked.listed.empty()) {
        check_devices(arguments, cluster, asked.listed.back());
        return asked.listed;
    }
    const std::int64_t least = asked.least.value_or(1);
    const std::int64_t most = asked.most.value_or(cluster.devices());
    check_devices(arguments, cluster, most);
    if (!asked.step) {
        return search::doublings(cluster, least, most);
    }
    if ((most - least) / *asked.step > kMaxSweepCounts) {
        arguments.fault("--gpus", "so many numbers are too many",
                        fmt::format("{} at most: a larger step, such as {}..{}:{}", kMaxSweepCounts, least, most,
                                    cluster.node_size()));
        return {};
    }
    return questions::stepped_counts(least, most, *asked.step);
}

}  // namespace dodona::cli
