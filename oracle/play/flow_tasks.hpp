// The tasks and flows of jobs whose transfers meet on the links of a machine.
//
// A job's tasks are those of its tabulated step, once for each replica; sends between stages and exchanges of weights and
// gradients become flows (exchange_flows.hpp) that hold their stream until they have ended.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ranges.hpp"
#include "cluster/group_members.hpp"
#include "play/exchange_flows.hpp"
#include "play/simulated_step.hpp"
#include "play/step_communication.hpp"

namespace dodona::play {

[[noreturn]] void fail_too_large(const std::string& what);

/// Ranks of a stage that run in step, in every stage: a replica.
class Replicas {
public:
    explicit Replicas(const StepCommunication& communication) : communication_(communication) {
        for (std::int64_t rank = 0; rank < communication.ranks; ++rank) {
            if (communication.stage_of(rank) == 0 && cluster::member_index(communication.lockstep, rank) == 0) {
                number_.emplace(rank, first_.size());
                first_.push_back(rank);
            }
        }
    }
    [[nodiscard]] std::size_t count() const { return first_.size(); }
    [[nodiscard]] std::vector<std::int64_t> ranks(std::int32_t stage, std::size_t replica) const {
        return cluster::members(communication_.lockstep, communication_.counterpart(first_[replica], stage));
    }
    [[nodiscard]] std::size_t of(std::int64_t rank) const {
        return number_.at(cluster::member(communication_.lockstep, communication_.counterpart(rank, 0), 0));
    }

private:
    const StepCommunication& communication_;
    std::vector<std::int64_t> first_;             ///< rank of each replica in the first stage
    std::map<std::int64_t, std::size_t> number_;  ///< by that rank
};

/// What the tasks of all jobs are added to.
struct SharedTasks {
    SharedTasks(const cluster::Cluster& cluster, simulate::Routes& routes) : flows(cluster, routes, builder) {
        append(kinds, kWork, [&](const Work work) { return builder.add_kind(std::string(name(work))); });
    }
    simulate::TaskGraphBuilder builder;
    FlowBuilder flows;
    std::vector<simulate::KindId> kinds;  ///< by Work
};

/// A job as tasks: those of the tabulated step for each replica.
class FlowStepBuilder {
public:
    /// `devices`: of each rank, as numbered on the machine.
    FlowStepBuilder(const SimulatedStep& step, const StepCommunication& communication,
                    const std::vector<std::int64_t>& devices, SharedTasks& shared);

    /// Adds a step after those before it. `with_tails`: with what follows the last backward passes.
    void add_step(bool with_tails);

    [[nodiscard]] const Replicas& replicas() const { return replicas_; }
    [[nodiscard]] std::size_t tasks() const { return step_.steps.tasks.size(); }
    /// Of the last step.
    [[nodiscard]] simulate::TaskId first(std::size_t task, std::size_t replica) const {
        return first_[place(task, replica)];
    }
    [[nodiscard]] simulate::TaskId last(std::size_t task, std::size_t replica) const {
        return last_[place(task, replica)];
    }
    [[nodiscard]] const std::set<std::string>& tabulated() const { return tabulated_; }

private:
    [[nodiscard]] std::size_t place(std::size_t task, std::size_t replica) const {
        return task * replicas_.count() + replica;
    }

    [[nodiscard]] simulate::Task task_of(std::size_t i, std::size_t replica, Seconds duration) const;
    [[nodiscard]] simulate::KindId kind(std::size_t i) const {
        return kinds_[static_cast<std::size_t>(step_.steps.tasks[i].work)];
    }

    [[nodiscard]] std::vector<simulate::TaskId> before(std::size_t i, std::size_t replica) const;

    /// The next step of a replica begins when all of the one before has ended.
    void join();

    void add_as_tabulated(std::size_t i);

    void begin(std::size_t i);

    /// What began ends after `flows` and another `duration`; its stream is held until then.
    void end(std::size_t i, std::size_t replica, const std::vector<simulate::TaskId>& flows, Seconds duration);

    void add_receipt(std::size_t i);

    void add_flows(ExchangeFlows exchange, std::vector<simulate::TaskId>& added);

    /// How often a stage's exchange runs in a step.
    [[nodiscard]] double times(const StateExchange& state) const;

    /// Share of the exchanges of a tail task that shows.
    [[nodiscard]] double exposed_share(std::size_t i, bool gathers) const;

    [[nodiscard]] const StageExchange& stage(std::size_t i) const {
        return communication_.by_stage[static_cast<std::size_t>(step_.steps.tasks[i].stage)];
    }

    using Place = std::pair<std::int32_t, std::size_t>;             // stage and replica
    using States = std::map<Place, std::vector<simulate::TaskId>>;  // what ends the exchanges so far
    using Rests = std::map<Place, Seconds>;                         // what has no flows

    /// Those of one stage within it, or with another stage that holds the same weight.
    void add_exchanges(std::size_t i, bool gathers, bool tied, States& state, Rests& rest);

    /// Exchanges of gradients or weights of several stages, one after the other in each: `tails` are their tasks, which
    /// have begun.
    void add_states(const std::vector<std::size_t>& tails, bool gathers);

    /// All groups of a stage at once, each after what its replicas did before.
    void add_groups(const Exchange& exchange, std::int32_t here, double times, simulate::KindId kind, States& state);

    void add_pairs(const StateExchange& tied, std::int32_t here, double times, simulate::KindId kind, States& state);

    void add_group(ExchangeFlows exchange, const std::vector<std::int32_t>& stages, const States& state, States& next);

    const SimulatedStep& step_;
    const StepCommunication& communication_;
    Replicas replicas_;
    const std::vector<std::int64_t>& devices_;
    simulate::TaskGraphBuilder& builder_;
    FlowBuilder& flows_;
    const std::vector<simulate::KindId>& kinds_;
    std::vector<simulate::ResourceId> resources_;  ///< of each replica
    std::vector<simulate::TaskId> first_;          ///< of each task and replica
    std::vector<simulate::TaskId> last_;
    std::vector<std::size_t> reductions_;  ///< tasks that reduce gradients
    std::vector<simulate::TaskId> ends_;   ///< of the step before, by replica
    bool added_ = false;                   ///< a step
    std::set<std::string> tabulated_;
};

}  // namespace dodona::play
