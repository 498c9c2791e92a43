#include "play/flow_step.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "cluster/group_members.hpp"
#include "play/cluster_topology.hpp"
#include "play/exchange_flows.hpp"
#include "play/memory_over_time.hpp"
#include "simulate/play.hpp"

namespace dodona::play {

namespace {

using simulate::TaskId;

constexpr std::int64_t kMostFlowRanks = 8192;
/// Tasks and flows of a run by events, which plays some 1 to 2 million a second.
constexpr std::size_t kMostFlowTasks = 8'000'000;

[[noreturn]] void fail_too_large(const std::string& what) {
    fail({}, fmt::format("the step has {}: too large to be played as flows", what),
         "--network tabulated, or a smaller batch");
}

/// Ranks of a stage that run in step, in every stage: a replica. Those of a job follow those of the job before.
class Replicas {
public:
    Replicas(const StepCommunication& communication, std::int64_t jobs)
        : communication_(communication), jobs_(static_cast<std::size_t>(jobs)) {
        for (std::int64_t rank = 0; rank < communication.ranks; ++rank) {
            if (communication.stage_of(rank) == 0 && cluster::member_index(communication.lockstep, rank) == 0) {
                number_.emplace(rank, first_.size());
                first_.push_back(rank);
            }
        }
    }
    [[nodiscard]] std::size_t count() const { return jobs_ * first_.size(); }
    [[nodiscard]] std::size_t of_one_job() const { return first_.size(); }
    [[nodiscard]] std::size_t jobs() const { return jobs_; }
    /// In their job.
    [[nodiscard]] std::vector<std::int64_t> ranks(std::int32_t stage, std::size_t replica) const {
        const std::int64_t first = first_[replica % first_.size()];
        return cluster::members(communication_.lockstep, communication_.counterpart(first, stage));
    }
    [[nodiscard]] std::size_t of(std::size_t job, std::int64_t rank) const {
        return job * first_.size() +
               number_.at(cluster::member(communication_.lockstep, communication_.counterpart(rank, 0), 0));
    }

private:
    const StepCommunication& communication_;
    std::size_t jobs_;
    std::vector<std::int64_t> first_;             ///< rank of each replica in the first stage
    std::map<std::int64_t, std::size_t> number_;  ///< by that rank
};

/// The whole job as tasks: those of the tabulated step for each replica.
class FlowStepBuilder {
public:
    FlowStepBuilder(const SimulatedStep& step, const StepCommunication& communication, const cluster::Cluster& cluster,
                    simulate::Routes& routes, std::int64_t jobs)
        : step_(step),
          communication_(communication),
          replicas_(communication, jobs),
          node_size_(cluster.node_size()),
          flows_(cluster, routes, builder_),
          first_(step.steps.tasks.size() * replicas_.count(), simulate::kNoTask),
          last_(first_) {
        for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
            for (const simulate::Resource& resource : step.steps.graph.resources) {
                builder_.add_resource(resource);
            }
        }
        for (const Work work : kWork) {
            kinds_.push_back(builder_.add_kind(std::string(name(work))));
        }
    }

    /// `with_tails`: with what follows the last backward passes.
    simulate::TaskGraph build(bool with_tails) {
        if (replicas_.count() * step_.steps.tasks.size() > kMostFlowTasks) {
            fail_too_large(fmt::format("{} replicas of {} tasks", replicas_.count(), step_.steps.tasks.size()));
        }
        for (std::size_t i = 0; i < step_.steps.tasks.size(); ++i) {
            const StepTask& task = step_.steps.tasks[i];
            const bool is_tail = task.work == Work::gradients || task.work == Work::optimizer ||
                                 task.work == Work::parameters || task.work == Work::overhead;
            if (is_tail && !with_tails) {
                continue;
            }
            switch (task.work) {
                case Work::pipeline: add_receipt(i); break;
                case Work::gradients:
                    begin(i);
                    reductions_.push_back(i);
                    break;
                case Work::parameters:
                    begin(i);
                    add_states({i}, true);
                    break;
                default: add_as_tabulated(i); break;
            }
            if (task.work == Work::gradients && static_cast<std::int32_t>(reductions_.size()) == step_.steps.stages) {
                add_states(reductions_, false);
            }
        }
        return std::move(builder_).build();
    }

    [[nodiscard]] const Replicas& replicas() const { return replicas_; }
    [[nodiscard]] TaskId first(std::size_t task, std::size_t replica) const { return first_[place(task, replica)]; }
    [[nodiscard]] TaskId last(std::size_t task, std::size_t replica) const { return last_[place(task, replica)]; }
    [[nodiscard]] const std::set<std::string>& tabulated() const { return tabulated_; }

private:
    [[nodiscard]] std::size_t place(std::size_t task, std::size_t replica) const {
        return task * replicas_.count() + replica;
    }

    [[nodiscard]] simulate::Task task_of(std::size_t i, std::size_t replica, Seconds duration) const {
        const std::size_t resource = simulate::index(step_.steps.graph.resource_of[i]);
        return {
            .duration = duration,
            .resource = simulate::id_at<simulate::ResourceId>(replica * step_.steps.graph.resources.size() + resource),
            .kind = kind(i)};
    }
    [[nodiscard]] simulate::KindId kind(std::size_t i) const {
        return kinds_[static_cast<std::size_t>(step_.steps.tasks[i].work)];
    }

    [[nodiscard]] std::vector<TaskId> before(std::size_t i, std::size_t replica) const {
        std::vector<TaskId> after;
        for (const std::uint32_t earlier : step_.steps.graph.predecessors.of(i)) {
            after.push_back(last(earlier, replica));
        }
        return after;
    }

    void add_as_tabulated(std::size_t i) {
        for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
            first_[place(i, replica)] =
                builder_.add(task_of(i, replica, step_.steps.graph.durations[i]), before(i, replica));
            last_[place(i, replica)] = first_[place(i, replica)];
        }
    }

    void begin(std::size_t i) {
        for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
            first_[place(i, replica)] = builder_.add(task_of(i, replica, {}), before(i, replica));
        }
    }

    /// What began ends after `flows` and another `duration`; its stream is held until then.
    void end(std::size_t i, std::size_t replica, const std::vector<TaskId>& flows, Seconds duration) {
        const TaskId ended = builder_.add({.duration = duration, .kind = kind(i)}, flows);
        builder_.hold(first(i, replica), ended);
        last_[place(i, replica)] = ended;
    }

    void add_receipt(std::size_t i) {
        const StepTask& task = step_.steps.tasks[i];
        const StepTask& sender = step_.steps.tasks[simulate::index(task.sender)];
        const bool back = sender.work != Work::forward;
        const PositionExchange& boundary =
            communication_.positions[static_cast<std::size_t>(task.position) + (back ? 1 : 0)];
        Seconds gathers;
        for (const Exchange& gather : boundary.gathers) {
            gathers += gather.time;
        }
        begin(i);
        for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
            std::vector<TaskId> flows;
            for (const std::int64_t rank : replicas_.ranks(task.stage, replica)) {
                add_flows({.collective = cluster::Collective::send,
                           .ranks = {communication_.counterpart(rank, sender.stage), rank},
                           .size = boundary.received,
                           .kind = kind(i),
                           .after = {first(i, replica)}},
                          replica / replicas_.of_one_job(), flows);
            }
            end(i, replica, flows, gathers);
        }
    }

    /// Nodes of jobs take turns.
    [[nodiscard]] std::int64_t device_of(std::size_t job, std::int64_t rank) const {
        const std::int64_t node =
            rank / node_size_ * static_cast<std::int64_t>(replicas_.jobs()) + static_cast<std::int64_t>(job);
        return replicas_.jobs() == 1 ? rank : node * node_size_ + rank % node_size_;
    }

    void add_flows(ExchangeFlows exchange, std::size_t job, std::vector<TaskId>& added) {
        for (std::int64_t& rank : exchange.ranks) {
            rank = device_of(job, rank);
        }
        const std::vector<TaskId> flows = flows_.add(exchange);
        added.insert(added.end(), flows.begin(), flows.end());
        if (builder_.size() > kMostFlowTasks) {
            fail_too_large(fmt::format("more than {} tasks and flows", kMostFlowTasks));
        }
    }

    /// How often a stage's exchange runs in a step.
    [[nodiscard]] double times(const StateExchange& state) const {
        return state.moment == ExchangeMoment::once ? 1 : static_cast<double>(step_.costs.microbatches);
    }

    /// Share of the exchanges of a tail task that shows.
    [[nodiscard]] double exposed_share(std::size_t i, bool gathers) const {
        Seconds busy;
        for (const StateExchange& state : stage(i).states) {
            busy += state.gathers == gathers ? times(state) * state.exchange.time : Seconds{};
        }
        return busy > Seconds{} ? step_.steps.graph.durations[i] / busy : 0;
    }

    [[nodiscard]] const StageExchange& stage(std::size_t i) const {
        return communication_.by_stage[static_cast<std::size_t>(step_.steps.tasks[i].stage)];
    }

    using Place = std::pair<std::int32_t, std::size_t>;   // stage and replica
    using States = std::map<Place, std::vector<TaskId>>;  // what ends the exchanges so far
    using Rests = std::map<Place, Seconds>;               // what has no flows

    /// Those of one stage within it, or with another stage that holds the same weight.
    void add_exchanges(std::size_t i, bool gathers, bool tied, States& state, Rests& rest) {
        const std::int32_t here = step_.steps.tasks[i].stage;
        const double share = exposed_share(i, gathers);
        for (const StateExchange& each : stage(i).states) {
            const double shown = share * times(each);
            if (each.gathers != gathers || shown <= 0 || (each.partner >= 0) != tied) {
                continue;
            }
            if (!has_flows(each.exchange.collective, each.exchange.algorithm)) {
                tabulated_.insert(each.exchange.name);
                for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
                    rest[{here, replica}] += shown * each.exchange.time;
                }
            } else if (!tied) {
                add_groups(each.exchange, here, shown, kind(i), state);
            } else if (here < each.partner) {
                add_pairs(each, here, shown, kind(i), state);
            }
        }
    }

    /// Exchanges of gradients or weights of several stages, one after the other in each: `tails` are their tasks, which
    /// have begun.
    void add_states(const std::vector<std::size_t>& tails, bool gathers) {
        States state;
        Rests rest;
        for (const std::size_t i : tails) {
            for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
                state[{step_.steps.tasks[i].stage, replica}] = {first(i, replica)};
            }
        }
        for (const bool tied : {false, true}) {  // stages meet once each has its own exchanges behind it
            for (const std::size_t i : tails) {
                add_exchanges(i, gathers, tied, state, rest);
            }
        }
        for (const std::size_t i : tails) {
            for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
                const std::pair key{step_.steps.tasks[i].stage, replica};
                end(i, replica, state[key], rest[key]);
            }
        }
    }

    /// All groups of a stage at once, each after what its replicas did before.
    void add_groups(const Exchange& exchange, std::int32_t here, double times, simulate::KindId kind, States& state) {
        States next;
        for (std::int64_t rank = 0; rank < communication_.ranks; ++rank) {
            if (communication_.stage_of(rank) != here || cluster::member_index(exchange.group, rank) != 0 ||
                exchange.group.size() == 1) {
                continue;
            }
            add_group({.collective = exchange.collective,
                       .ranks = cluster::members(exchange.group, rank),
                       .size = exchange.size,
                       .times = times,
                       .kind = kind},
                      {here}, state, next);
        }
        for (auto& [key, tasks] : next) {
            state[key] = std::move(tasks);
        }
    }

    void add_pairs(const StateExchange& tied, std::int32_t here, double times, simulate::KindId kind, States& state) {
        States next;
        for (std::int64_t rank = 0; rank < communication_.ranks; ++rank) {
            if (communication_.stage_of(rank) == here) {
                add_group({.collective = tied.exchange.collective,
                           .ranks = {rank, communication_.counterpart(rank, tied.partner)},
                           .size = tied.exchange.size,
                           .times = times,
                           .kind = kind},
                          {here, tied.partner}, state, next);
            }
        }
        for (auto& [key, tasks] : next) {
            state[key] = std::move(tasks);
        }
    }

    /// In every job.
    void add_group(const ExchangeFlows& exchange, const std::vector<std::int32_t>& stages, const States& state,
                   States& next) {
        for (std::size_t job = 0; job < replicas_.jobs(); ++job) {
            add_group_of(job, exchange, stages, state, next);
        }
    }

    void add_group_of(std::size_t job, ExchangeFlows exchange, const std::vector<std::int32_t>& stages,
                      const States& state, States& next) {
        std::set<std::pair<std::int32_t, std::size_t>> involved;
        for (const std::int64_t rank : exchange.ranks) {
            for (const std::int32_t stage : stages) {
                involved.emplace(stage, replicas_.of(job, rank));
            }
        }
        for (const auto& key : involved) {
            const std::vector<TaskId>& earlier = state.at(key);
            exchange.after.insert(exchange.after.end(), earlier.begin(), earlier.end());
        }
        // Each flow waits for one task instead of all.
        exchange.after = {builder_.add({.kind = exchange.kind}, exchange.after)};
        std::vector<TaskId> flows;
        add_flows(exchange, job, flows);
        const TaskId over = builder_.add({.kind = exchange.kind}, flows);
        for (const auto& key : involved) {
            next[key].push_back(over);
        }
    }

    const SimulatedStep& step_;
    const StepCommunication& communication_;
    Replicas replicas_;
    std::int64_t node_size_;
    simulate::TaskGraphBuilder builder_;
    FlowBuilder flows_;
    std::vector<TaskId> first_;  ///< of each task and replica
    std::vector<TaskId> last_;
    std::vector<simulate::KindId> kinds_;
    std::vector<std::size_t> reductions_;  ///< tasks that reduce gradients
    std::set<std::string> tabulated_;
};

/// The tasks of one replica.
simulate::Timeline timeline_of(std::size_t replica, const SimulatedStep& step, const FlowStepBuilder& builder,
                               const simulate::Timeline& all) {
    simulate::Timeline one;
    one.makespan = all.makespan;
    one.busy.resize(step.steps.graph.resources.size());
    one.time_of_kind.resize(step.steps.graph.kinds.size());
    for (std::size_t i = 0; i < step.steps.tasks.size(); ++i) {
        one.start.push_back(all.start[simulate::index(builder.first(i, replica))]);
        one.end.push_back(all.end[simulate::index(builder.last(i, replica))]);
        one.cause.push_back(simulate::kNoCause);
        const Seconds time = one.end.back() - one.start.back();
        one.busy[simulate::index(step.steps.graph.resource_of[i])] += time;
        one.time_of_kind[simulate::index(step.steps.graph.kind_of[i])] += time;
    }
    return one;
}

/// The first of those that finish last.
std::size_t slowest_replica(const SimulatedStep& step, const FlowStepBuilder& builder, const simulate::Timeline& all) {
    std::size_t slowest = 0;
    Seconds latest;
    for (std::size_t replica = 0; replica < builder.replicas().count(); ++replica) {
        for (std::size_t i = 0; i < step.steps.tasks.size(); ++i) {
            if (const Seconds end = all.end[simulate::index(builder.last(i, replica))]; end > latest) {
                latest = end;
                slowest = replica;
            }
        }
    }
    return slowest;
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
    std::stable_sort(uses.begin(), uses.end(),
                     [](const LinkUse& a, const LinkUse& b) { return a.utilisation > b.utilisation; });
    uses.resize(std::min(uses.size(), kBusiestLinks));
    return uses;
}

void check_jobs(std::int64_t jobs, std::int64_t ranks, const cluster::Cluster& cluster) {
    if (jobs > 1 && ranks % cluster.node_size() != 0) {
        fail({}, fmt::format("several jobs of {} ranks do not fill nodes of {}", ranks, cluster.node_size()),
             "whole nodes for each job");
    }
    if (jobs > cluster.devices() / ranks) {
        fail({},
             fmt::format("{} jobs of {} ranks are more than the {} devices of {}", jobs, ranks, cluster.devices(),
                         cluster.name),
             fmt::format("at most {} jobs", cluster.devices() / ranks));
    }
}

}  // namespace

void play_flows(SimulatedStep& step, const StepCommunication& communication, const cluster::Cluster& cluster,
                const NetworkConditions& conditions) {
    check_jobs(conditions.jobs, communication.ranks, cluster);
    const std::int64_t ranks = conditions.jobs * communication.ranks;
    if (ranks > kMostFlowRanks) {
        fail_too_large(fmt::format("{} ranks, more than {}", ranks, kMostFlowRanks));
    }
    simulate::Topology topology = cluster_topology(cluster, ranks);
    for (const auto& [part, factor] : conditions.degraded) {
        degrade(topology, part, factor);
    }
    simulate::Routes routes(std::move(topology));
    const simulate::TaskGraph without_tails =
        FlowStepBuilder(step, communication, cluster, routes, conditions.jobs).build(false);
    const Seconds passes = simulate::play(without_tails, &routes).makespan;
    FlowStepBuilder builder(step, communication, cluster, routes, conditions.jobs);
    const simulate::TaskGraph graph = builder.build(true);
    const simulate::Timeline all = simulate::play(graph, &routes);
    step.critical_path = simulate::critical_path(graph, all);
    step.timeline = timeline_of(slowest_replica(step, builder, all), step, builder, all);
    step.stages = stage_uses(step.steps, step.timeline);
    step.memory = memory_uses(step.steps, step.timeline, step.costs);
    step.parts.transfers.played = passes - step.parts.passes.played;
    step.parts.tail.played = all.makespan - passes;
    step.network = NetworkFlows{.ranks = ranks,
                                .jobs = conditions.jobs,
                                .flows = graph.flows.size(),
                                .tabulated = {builder.tabulated().begin(), builder.tabulated().end()},
                                .degraded = conditions.degraded,
                                .busiest = busiest_links(graph, routes, all.makespan)};
}

}  // namespace dodona::play
