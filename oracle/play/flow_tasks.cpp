#include "play/flow_tasks.hpp"

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"

namespace dodona::play {

using simulate::TaskId;

namespace {

/// Tasks and flows of a run by events, which plays some 1 to 2 million a second.
constexpr std::size_t kMaxFlowTasks = 8'000'000;

cost::Flows flows_of(const Exchange& exchange) { return cost::flows_of(exchange.collective, exchange.algorithm); }

}  // namespace

void fail_too_large(const std::string& what) {
    fail({}, fmt::format("the step has {}: too large to be played as flows", what),
         "--network tabulated, or a smaller batch");
}

FlowStepBuilder::FlowStepBuilder(const SimulatedStep& step, const StepCommunication& communication,
                                 const std::vector<std::int64_t>& devices, SharedTasks& shared)
    : step_(step),
      communication_(communication),
      replicas_(communication),
      devices_(devices),
      builder_(shared.builder),
      flows_(shared.flows),
      kinds_(shared.kinds),
      first_(step.steps.tasks.size() * replicas_.count(), simulate::kNoTask),
      last_(first_) {
    for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
        for (const simulate::Resource& resource : step.steps.graph.resources) {
            resources_.push_back(builder_.add_resource(resource));
        }
    }
}

void FlowStepBuilder::add_step(bool with_tails) {
    if (replicas_.count() * step_.steps.tasks.size() > kMaxFlowTasks) {
        fail_too_large(fmt::format("{} replicas of {} tasks", replicas_.count(), step_.steps.tasks.size()));
    }
    if (added_) {
        join();
    }
    added_ = true;
    reductions_.clear();
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
}

simulate::Task FlowStepBuilder::task_of(std::size_t i, std::size_t replica, Seconds duration) const {
    const std::size_t resource = simulate::index(step_.steps.graph.resource_of[i]);
    return {.duration = duration,
            .resource = resources_[replica * step_.steps.graph.resources.size() + resource],
            .kind = kind(i)};
}

std::vector<TaskId> FlowStepBuilder::before(std::size_t i, std::size_t replica) const {
    std::vector<TaskId> after;
    for (const std::uint32_t earlier : step_.steps.graph.predecessors.of(i)) {
        after.push_back(last(earlier, replica));
    }
    if (after.empty() && !ends_.empty()) {
        after.push_back(ends_[replica]);
    }
    return after;
}

void FlowStepBuilder::join() {
    std::vector<TaskId> ends;
    for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
        std::vector<TaskId> all;
        for (std::size_t i = 0; i < step_.steps.tasks.size(); ++i) {
            if (last(i, replica) != simulate::kNoTask) {
                all.push_back(last(i, replica));
            }
        }
        ends.push_back(builder_.add({}, all));
    }
    ends_ = std::move(ends);
}

void FlowStepBuilder::add_as_tabulated(std::size_t i) {
    for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
        first_[place(i, replica)] =
            builder_.add(task_of(i, replica, step_.steps.graph.durations[i]), before(i, replica));
        last_[place(i, replica)] = first_[place(i, replica)];
    }
}

void FlowStepBuilder::begin(std::size_t i) {
    for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
        first_[place(i, replica)] = builder_.add(task_of(i, replica, {}), before(i, replica));
    }
}

void FlowStepBuilder::end(std::size_t i, std::size_t replica, const std::vector<TaskId>& flows, Seconds duration) {
    const TaskId ended = builder_.add({.duration = duration, .kind = kind(i)}, flows);
    builder_.hold(first(i, replica), ended);
    last_[place(i, replica)] = ended;
}

void FlowStepBuilder::add_receipt(std::size_t i) {
    const StepTask& task = step_.steps.tasks[i];
    const StepTask& sender = step_.steps.tasks[simulate::index(task.sender)];
    const bool back = sender.work != Work::forward;
    const PositionExchange& boundary =
        communication_.positions[static_cast<std::size_t>(task.position) + (back ? 1 : 0)];
    const auto gathers = sum_of<Seconds>(boundary.gathers, &Exchange::time);
    begin(i);
    for (std::size_t replica = 0; replica < replicas_.count(); ++replica) {
        std::vector<TaskId> flows;
        for (const std::int64_t rank : replicas_.ranks(task.stage, replica)) {
            add_flows({.collective = cluster::Collective::send,
                       .flows = cost::Flows::message,
                       .ranks = {communication_.counterpart(rank, sender.stage), rank},
                       .size = boundary.received,
                       .kind = kind(i),
                       .after = {first(i, replica)}},
                      flows);
        }
        end(i, replica, flows, gathers);
    }
}

void FlowStepBuilder::add_flows(ExchangeFlows exchange, std::vector<TaskId>& added) {
    for (std::int64_t& rank : exchange.ranks) {
        rank = devices_[static_cast<std::size_t>(rank)];
    }
    const std::vector<TaskId> flows = flows_.add(exchange);
    added.insert(added.end(), flows.begin(), flows.end());
    if (builder_.size() > kMaxFlowTasks) {
        fail_too_large(fmt::format("more than {} tasks and flows", kMaxFlowTasks));
    }
}

double FlowStepBuilder::times(const StateExchange& state) const {
    return state.moment == ExchangeMoment::once ? 1 : static_cast<double>(step_.costs.microbatches);
}

double FlowStepBuilder::exposed_share(std::size_t i, bool gathers) const {
    Seconds busy;
    for (const StateExchange& state : stage(i).states) {
        busy += state.gathers == gathers ? times(state) * state.exchange.time : Seconds{};
    }
    return busy > Seconds{} ? step_.steps.graph.durations[i] / busy : 0;
}

void FlowStepBuilder::add_exchanges(std::size_t i, bool gathers, bool tied, States& state, Rests& rest) {
    const std::int32_t here = step_.steps.tasks[i].stage;
    const double share = exposed_share(i, gathers);
    for (const StateExchange& each : stage(i).states) {
        const double shown = share * times(each);
        if (each.gathers != gathers || shown <= 0 || (each.partner >= 0) != tied) {
            continue;
        }
        if (flows_of(each.exchange) == cost::Flows::none) {
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

void FlowStepBuilder::add_states(const std::vector<std::size_t>& tails, bool gathers) {
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

void FlowStepBuilder::add_groups(const Exchange& exchange, std::int32_t here, double times, simulate::KindId kind,
                                 States& state) {
    States next;
    for (std::int64_t rank = 0; rank < communication_.ranks; ++rank) {
        if (communication_.stage_of(rank) != here || cluster::member_index(exchange.group, rank) != 0 ||
            exchange.group.size() == 1) {
            continue;
        }
        add_group({.collective = exchange.collective,
                   .flows = flows_of(exchange),
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

void FlowStepBuilder::add_pairs(const StateExchange& tied, std::int32_t here, double times, simulate::KindId kind,
                                States& state) {
    States next;
    for (std::int64_t rank = 0; rank < communication_.ranks; ++rank) {
        if (communication_.stage_of(rank) == here) {
            add_group({.collective = tied.exchange.collective,
                       .flows = flows_of(tied.exchange),
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

void FlowStepBuilder::add_group(ExchangeFlows exchange, const std::vector<std::int32_t>& stages, const States& state,
                                States& next) {
    std::set<std::pair<std::int32_t, std::size_t>> involved;
    for (const std::int64_t rank : exchange.ranks) {
        for (const std::int32_t stage : stages) {
            involved.emplace(stage, replicas_.of(rank));
        }
    }
    for (const auto& key : involved) {
        const std::vector<TaskId>& earlier = state.at(key);
        exchange.after.insert(exchange.after.end(), earlier.begin(), earlier.end());
    }
    // Each flow waits for one task instead of all.
    exchange.after = {builder_.add({.kind = exchange.kind}, exchange.after)};
    std::vector<TaskId> flows;
    add_flows(exchange, flows);
    const TaskId over = builder_.add({.kind = exchange.kind}, flows);
    for (const auto& key : involved) {
        next[key].push_back(over);
    }
}

}  // namespace dodona::play
