// Laws that hold for collectives on every machine that comes with Dodona: of every size, over groups inside nodes, over
// one device of each node, over whole nodes. Curves are measured, and separate measurements scatter; which machines break
// a law is named here, with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cost/collective_time.hpp"
#include "files/library.hpp"

namespace dodona {
namespace machine_laws_test {

using cluster::Cluster;
using cluster::Collective;
using cost::CollectiveRequest;
using namespace dodona::literals;

constexpr std::int64_t kMaxNodes = 256;
constexpr std::size_t kMaxShown = 12;

const std::vector<Cluster>& machines() {
    static const std::vector<Cluster> all = [] {
        const files::Library library{std::getenv("DODONA_SOURCE")};
        std::vector<Cluster> clusters;
        for (const std::string& name : library.clusters()) {
            clusters.push_back(library.cluster(name));
        }
        return clusters;
    }();
    return all;
}

/// Groups of a job that fills its nodes: inside a node, over one device of each node, over whole nodes.
std::vector<CollectiveRequest> groups(const Cluster& machine) {
    const std::int64_t node = machine.node_size();
    const std::int64_t nodes = std::min(machine.devices() / node, kMaxNodes);
    std::vector<CollectiveRequest> all;
    const auto add = [&](std::int64_t stride, std::int64_t ranks, std::int64_t job) {
        CollectiveRequest request;
        request.group.strides = {{stride, ranks}};
        request.ranks = job;
        all.push_back(request);
    };
    for (std::int64_t ranks = 2; ranks <= node; ranks *= 2) {
        add(1, ranks, node - node % ranks);
    }
    for (std::int64_t count = 2; count <= nodes; count *= 2) {
        add(1, node * count, node * count);
        if (node > 1) {
            add(node, count, node * count);
        }
    }
    return all;
}

Seconds time(const Cluster& machine, CollectiveRequest request, Collective collective) {
    request.collective = collective;
    return cost::collective_time(machine, request).time.value;
}

/// Part of a node whose devices are joined in a ring or cube mesh: how many links lead from one to another is not
/// modelled (cost/collective_curve.hpp), so that what was measured there and what was not do not fit together.
bool has_unknown_links(const Cluster& machine, const CollectiveRequest& request) {
    return machine.levels.front().kind == cluster::LevelKind::ring && request.group.size() < machine.node_size();
}

/// The ratio that a law bounds, and for what.
struct Finding {
    double ratio = 0;
    std::string text;
};

/// Of all machines, groups and sizes from `least`, those whose ratio is above `most`, the worst first.
std::string broken(Bytes least, double most,
                   const std::function<double(const Cluster& machine, const CollectiveRequest& request)>& ratio) {
    std::vector<Finding> found;
    for (const Cluster& machine : machines()) {
        Finding worst;
        for (CollectiveRequest request : groups(machine)) {
            if (has_unknown_links(machine, request)) {
                continue;
            }
            for (request.size = least; request.size <= 32_GiB; request.size *= 2) {
                const double is = ratio(machine, request);
                if (is > most && is > worst.ratio) {
                    const auto& stride = request.group.strides.front();
                    worst = {is, fmt::format("{}: {:.2f} for {} ranks {} apart of {}, {:.3g} MiB\n", machine.name, is,
                                             stride.size, stride.stride, request.ranks, request.size / 1_MiB)};
                }
            }
        }
        if (worst.ratio > 0) {
            found.push_back(std::move(worst));
        }
    }
    std::sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) { return a.ratio > b.ratio; });
    std::string text;
    for (std::size_t i = 0; i < std::min(found.size(), kMaxShown); ++i) {
        text += found[i].text;
    }
    return text;
}

double over_its_halves(const Cluster& machine, const CollectiveRequest& request) {
    return time(machine, request, Collective::all_reduce) /
           (time(machine, request, Collective::reduce_scatter) + time(machine, request, Collective::all_gather));
}

// All-reduces and halves that were measured separately, or halves that were not measured, differ by up to 16 %: 2 ranks
// of InfiniBand NDR, 1 and 32 MiB. Long buffers, up to 9 % on the A100s of vTrain, depend on the last sizes that were
// measured, where one disturbed transfer made all-reduces of 8 nodes 24 % longer.
TEST(MachineLaws, AnAllReduceIsNoSlowerThanAReduceScatterAndAnAllGather) {
    EXPECT_EQ(broken(1_MiB, 1.17, over_its_halves), "");
    EXPECT_EQ(broken(512_MiB, 1.1, over_its_halves), "");
}

/// Libraries have trees for all-reduces, and for the halves rings of as many steps as ranks: what steps alone take, as
/// 1 MiB shows, is a fifth of the time or more.
bool waits_for_steps(const Cluster& machine, CollectiveRequest request, Collective collective) {
    const Seconds whole = time(machine, request, collective);
    request.size = 1_MiB;
    return time(machine, request, collective) > 0.2 * whole;
}

// Switches that reduce carry a buffer once for an all-reduce; over nodes NCCL has rings alone for the halves, up to 1.41
// times as long over 1,024 GPUs of NVL72.
TEST(MachineLaws, AnAllReduceIsNoFasterThanEitherHalf) {
    EXPECT_EQ(broken(1_GiB, 1.45,
                     [](const Cluster& machine, const CollectiveRequest& request) {
                         if (waits_for_steps(machine, request, Collective::all_gather) ||
                             waits_for_steps(machine, request, Collective::reduce_scatter)) {
                             return 0.0;
                         }
                         return max(time(machine, request, Collective::reduce_scatter),
                                    time(machine, request, Collective::all_gather)) /
                                time(machine, request, Collective::all_reduce);
                     }),
              "");
}

// Between the counts of ranks that were measured, a change of algorithm and the corrections either side of it do not meet:
// up to 8 % over 32 ranks of NVL72.
TEST(MachineLaws, MoreBytesTakeNoLessTime) {
    for (const Collective collective : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                        Collective::all_to_all, Collective::send}) {
        EXPECT_EQ(broken(1_MiB, 1.1,
                         [&](const Cluster& machine, CollectiveRequest request) {
                             const Seconds less = time(machine, request, collective);
                             request.size *= 2;
                             return less / time(machine, request, collective);
                         }),
                  "")
            << name(collective);
    }
}

// The bandwidth of long buffers does not fall: measured times scatter by some per cent.
TEST(MachineLaws, TwiceTheBytesTakeNoMoreThanTwiceTheTime) {
    for (const Collective collective : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                        Collective::all_to_all, Collective::send}) {
        EXPECT_EQ(broken(256_MiB, 2.1,
                         [&](const Cluster& machine, CollectiveRequest request) {
                             const Seconds once = time(machine, request, collective);
                             request.size *= 2;
                             return time(machine, request, collective) / once;
                         }),
                  "")
            << name(collective);
    }
}

TEST(MachineLaws, CurvesAreNotFarFromTheModelOfTheirLinks) {
    for (const Collective collective : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
        EXPECT_EQ(broken(64_MiB, 2.5,
                         [&](const Cluster& machine, CollectiveRequest request) {
                             request.collective = collective;
                             const double slower =
                                 time(machine, request, collective) / cost::modelled_time(machine, request);
                             return std::max(slower, 1 / slower);
                         }),
                  "")
            << name(collective);
    }
}

}  // namespace machine_laws_test
}  // namespace dodona
