#include "play/flow_step.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <set>
#include <span>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "play/cluster_topology.hpp"
#include "play/flow_tasks.hpp"
#include "play/memory_over_time.hpp"
#include "simulate/play.hpp"

namespace dodona::play {

namespace {

using simulate::TaskId;

constexpr std::int64_t kMaxFlowRanks = 8192;
/// Two steps that differ by less are of equal length.
constexpr double kSameStep = 1e-9;

/// One of the jobs on the machine.
struct PlacedJob {
    const SimulatedStep& step;
    const StepCommunication& communication;
    std::vector<std::int64_t> devices;  ///< of each rank
    std::int64_t steps = 1;             ///< consecutive ones
};

/// Jobs played at the same time.
struct PlayedJobs {
    SharedTasks shared;
    std::deque<FlowStepBuilder> jobs;
    simulate::TaskGraph graph;
    simulate::Timeline timeline;

    /// `with_tails`: of the first job.
    PlayedJobs(std::span<const PlacedJob> placed, const cluster::Cluster& cluster, simulate::Routes& routes,
               bool with_tails)
        : shared(cluster, routes) {
        for (const PlacedJob& job : placed) {
            jobs.emplace_back(job.step, job.communication, job.devices, shared);
            for (std::int64_t step = 0; step < job.steps; ++step) {
                jobs.back().add_step(with_tails || jobs.size() > 1);
            }
        }
        graph = std::move(shared.builder).build();
        timeline = simulate::play(graph, &routes);
    }

    /// The task that ends a replica of a job, and the first of those of all its replicas that end last.
    [[nodiscard]] TaskId last_of(const FlowStepBuilder& job, std::size_t replica) const {
        TaskId last = simulate::kNoTask;
        for (std::size_t i = 0; i < job.tasks(); ++i) {
            const TaskId task = job.last(i, replica);
            if (task != simulate::kNoTask && (last == simulate::kNoTask || end(task) > end(last))) {
                last = task;
            }
        }
        return last;
    }
    [[nodiscard]] std::size_t slowest_replica(const FlowStepBuilder& job) const {
        std::size_t slowest = 0;
        for (std::size_t replica = 1; replica < job.replicas().count(); ++replica) {
            if (end(last_of(job, replica)) > end(last_of(job, slowest))) {
                slowest = replica;
            }
        }
        return slowest;
    }
    [[nodiscard]] TaskId last_of(const FlowStepBuilder& job) const { return last_of(job, slowest_replica(job)); }
    [[nodiscard]] Seconds end(TaskId task) const { return timeline.end[simulate::index(task)]; }
    [[nodiscard]] Seconds end_of(const FlowStepBuilder& job) const { return end(last_of(job)); }
};

/// The tasks of the replica of the first job that finishes last.
simulate::Timeline timeline_of(const PlayedJobs& played, const SimulatedStep& step) {
    const FlowStepBuilder& job = played.jobs.front();
    const std::size_t replica = played.slowest_replica(job);
    const simulate::Timeline& all = played.timeline;
    simulate::Timeline one;
    one.makespan = played.end_of(job);
    one.busy.resize(step.steps.graph.resources.size());
    one.time_of_kind.resize(step.steps.graph.kinds.size());
    for (std::size_t i = 0; i < step.steps.tasks.size(); ++i) {
        one.start.push_back(all.start[simulate::index(job.first(i, replica))]);
        one.end.push_back(all.end[simulate::index(job.last(i, replica))]);
        one.cause.push_back(simulate::kNoCause);
        const Seconds time = one.end.back() - one.start.back();
        one.busy[simulate::index(step.steps.graph.resource_of[i])] += time;
        one.time_of_kind[simulate::index(step.steps.graph.kind_of[i])] += time;
    }
    return one;
}

constexpr std::size_t kBusiestLinks = 5;

/// Links with the highest utilisation; of equals the first.
std::vector<LinkUse> busiest_links(const simulate::TaskGraph& graph, const simulate::Routes& routes, Seconds time) {
    const simulate::Topology& topology = routes.topology();
    std::vector<Bytes> moved(topology.links().size());
    for (const simulate::Flow& flow : graph.flows) {
        for (const simulate::Hop& hop : routes.hops(flow.route)) {
            moved[simulate::index(hop.link)] += flow.weight * hop.share * flow.bytes;
        }
    }
    std::vector<LinkUse> uses;
    for (std::size_t i = 0; i < moved.size(); ++i) {
        const simulate::Link& link = topology.links()[i];
        if (moved[i] > Bytes{}) {
            uses.push_back({topology.node(link.from).name, topology.node(link.to).name, moved[i],
                            moved[i] / (link.bandwidth() * time)});
        }
    }
    stable_sort(uses, [](const LinkUse& a, const LinkUse& b) { return a.utilisation > b.utilisation; });
    uses.resize(std::min(uses.size(), kBusiestLinks));
    return uses;
}

/// Of each rank of each job. Nodes are dealt in turn to the jobs that lack some.
std::vector<std::vector<std::int64_t>> devices_of(const std::vector<std::int64_t>& ranks, std::int64_t node_size) {
    std::vector<std::vector<std::int64_t>> devices(ranks.size());
    const auto lacks = [&](std::size_t job) { return static_cast<std::int64_t>(devices[job].size()) < ranks[job]; };
    std::int64_t next = 0;
    for (bool dealt = true; dealt;) {
        dealt = false;
        for (std::size_t job = 0; job < ranks.size(); ++job) {
            for (std::int64_t i = 0; i < node_size && lacks(job); ++i) {
                devices[job].push_back(next++);
                dealt = true;
            }
        }
    }
    return devices;
}

void check_jobs(const std::vector<std::int64_t>& ranks, const cluster::Cluster& cluster) {
    const std::int64_t all = std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0});
    const auto* part_of_node = found_in(ranks, [&](std::int64_t job) { return job % cluster.node_size() != 0; });
    if (ranks.size() > 1 && part_of_node != nullptr) {
        fail({},
             fmt::format("a job of {} ranks beside others does not fill nodes of {}", *part_of_node,
                         cluster.node_size()),
             "whole nodes for each job");
    }
    if (all > cluster.devices()) {
        fail({},
             fmt::format("{} jobs of {} ranks together are more than the {} devices of {}", ranks.size(), all,
                         cluster.devices(), cluster.name),
             "fewer or smaller jobs");
    }
    if (all > kMaxFlowRanks) {
        fail_too_large(fmt::format("{} ranks, more than {}", all, kMaxFlowRanks));
    }
}

/// The job that was asked about, then those beside it.
std::vector<PlacedJob> placed_jobs(const SimulatedStep& step, const StepCommunication& communication,
                                   const std::vector<NetworkJob>& beside, const cluster::Cluster& cluster) {
    std::vector<std::int64_t> ranks{communication.ranks};
    for (const NetworkJob& other : beside) {
        ranks.push_back(other.communication.ranks);
    }
    check_jobs(ranks, cluster);
    std::vector<std::vector<std::int64_t>> devices = devices_of(ranks, cluster.node_size());
    std::vector<PlacedJob> placed{{step, communication, std::move(devices.front())}};
    for (std::size_t k = 0; k < beside.size(); ++k) {
        placed.push_back({beside[k].step, beside[k].communication, std::move(devices[k + 1])});
    }
    return placed;
}

/// The jobs with as many steps as fill `time`.
std::vector<PlacedJob> repeated(std::vector<PlacedJob> jobs, Seconds time) {
    for (PlacedJob& job : jobs) {
        const double steps = time / job.step.timeline.makespan;
        job.steps = std::max<std::int64_t>(1, std::llround(std::ceil(steps - kSameStep)));
    }
    return jobs;
}

/// Every job while the longest has one step.
std::vector<JobTime> job_times(const std::vector<PlacedJob>& placed, const std::vector<NetworkJob>& beside,
                               const cluster::Cluster& cluster, simulate::Routes& routes) {
    if (placed.size() == 1) {
        return {};
    }
    Seconds longest;
    for (const PlacedJob& job : placed) {
        longest = max(longest, job.step.timeline.makespan);
    }
    const std::vector<PlacedJob> all = repeated(placed, longest);
    const PlayedJobs together(all, cluster, routes, true);
    std::vector<JobTime> times;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const PlayedJobs alone(std::span<const PlacedJob>(placed).subspan(k, 1), cluster, routes, true);
        times.push_back({.name = k == 0 ? "" : beside[k - 1].name,
                         .ranks = all[k].communication.ranks,
                         .alone = alone.end_of(alone.jobs.front()),
                         .together = together.end_of(together.jobs[k]) / static_cast<double>(all[k].steps)});
    }
    return times;
}

}  // namespace

void play_flows(SimulatedStep& step, const StepCommunication& communication, const cluster::Cluster& cluster,
                const NetworkConditions& conditions) {
    const std::vector<PlacedJob> once = placed_jobs(step, communication, conditions.beside, cluster);
    const std::vector<PlacedJob> placed = repeated(once, step.timeline.makespan);
    std::int64_t ranks = 0;
    for (const PlacedJob& job : placed) {
        ranks += job.communication.ranks;
    }
    simulate::Topology topology = cluster_topology(cluster, ranks);
    for (const auto& [part, factor] : conditions.degraded) {
        degrade(topology, part, factor);
    }
    simulate::Routes routes(std::move(topology));
    const PlayedJobs without_tails(placed, cluster, routes, false);
    const Seconds passes = without_tails.end_of(without_tails.jobs.front());
    const PlayedJobs played(placed, cluster, routes, true);
    NetworkFlows network{.ranks = ranks,
                         .jobs = job_times(once, conditions.beside, cluster, routes),
                         .flows = played.graph.flows.size(),
                         .tabulated = {},
                         .degraded = conditions.degraded,
                         .busiest = busiest_links(played.graph, routes, played.timeline.makespan)};
    std::set<std::string> tabulated;
    for (const FlowStepBuilder& job : played.jobs) {
        tabulated.insert(job.tabulated().begin(), job.tabulated().end());
    }
    network.tabulated.assign(tabulated.begin(), tabulated.end());
    const FlowStepBuilder& asked = played.jobs.front();
    step.critical_path = simulate::path_to(played.last_of(asked), played.graph, played.timeline);
    step.timeline = timeline_of(played, step);
    step.stages = stage_uses(step.steps, step.timeline);
    step.memory = memory_uses(step.steps, step.timeline, step.costs);
    step.parts.transfers.played = passes - step.parts.passes.played;
    step.parts.tail.played = step.timeline.makespan - passes;
    step.network = std::move(network);
}

}  // namespace dodona::play
