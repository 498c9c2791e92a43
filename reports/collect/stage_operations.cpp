#include "reports/collect/stage_operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::reports {

namespace {

using cluster::Collective;
using play::ExchangeMoment;
using play::Pass;
using play::StepTask;
using play::Stream;
using play::Work;
using Places = std::vector<std::size_t>;  // of operations

constexpr Bytes kNorm = Bytes::of_base(4);

TraceNodeKind kind_of(Collective collective) {
    switch (collective) {
        case Collective::all_reduce: return TraceNodeKind::all_reduce;
        case Collective::all_gather: return TraceNodeKind::all_gather;
        case Collective::reduce_scatter: return TraceNodeKind::reduce_scatter;
        case Collective::all_to_all: return TraceNodeKind::all_to_all;
        case Collective::send:
        case Collective::halo: break;
    }
    return TraceNodeKind::send;
}

/// Tags of sends to other stages are even, those within a stage odd.
std::int64_t stage_tag(const StepTask& task, std::size_t positions) {
    const bool back = task.stream == Stream::receive_backward;
    const auto place =
        static_cast<std::int64_t>(task.micro_batch) * static_cast<std::int64_t>(positions) + task.position;
    return 2 * (2 * place + (back ? 1 : 0));
}

/// What follows from a step as a whole.
struct StepFacts {
    const play::SimulatedStep& step;
    const play::StepCommunication& communication;
    std::vector<std::size_t> receipt_of;  ///< of each task: the transfer that brings its result elsewhere, or kNone
    std::vector<char> receives_gradient;  ///< of each task that is a transfer: it brings a gradient back

    static constexpr std::size_t kNone = ~std::size_t{0};

    StepFacts(const play::SimulatedStep& played, const play::StepCommunication& sent)
        : step(played), communication(sent) {
        const std::vector<StepTask>& tasks = step.steps.tasks;
        receipt_of.assign(tasks.size(), kNone);
        receives_gradient.assign(tasks.size(), 0);
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (tasks[i].sender != simulate::kNoTask) {
                receipt_of[simulate::index(tasks[i].sender)] = i;
                receives_gradient[i] = tasks[simulate::index(tasks[i].sender)].work != Work::forward ? 1 : 0;
            }
        }
    }
};

/// The operations of one stage, in the order of its tasks.
class StageBuilder {
public:
    StageBuilder(const StepFacts& facts, std::int32_t stage)
        : facts_(facts),
          stage_(stage),
          states_(facts.communication.by_stage[static_cast<std::size_t>(stage)]),
          last_backward_(facts.communication.positions.size(), StepFacts::kNone),
          puts_off_(facts.communication.positions.size(), 0),
          first_position_(static_cast<std::int32_t>(facts.communication.positions.size())),
          has_run_(facts.communication.positions.size(), 0) {}

    StageOperations made() {
        const std::vector<StepTask>& tasks = facts_.step.steps.tasks;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (tasks[i].stage == stage_ && (tasks[i].work == Work::backward || tasks[i].work == Work::weights)) {
                const auto position = static_cast<std::size_t>(tasks[i].position);
                last_backward_[position] = i;
                puts_off_[position] = puts_off_[position] != 0 || tasks[i].work == Work::weights ? 1 : 0;
                first_position_ = std::min(first_position_, tasks[i].position);
            }
        }
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (tasks[i].stage == stage_) {
                add_task(i, tasks[i]);
            }
        }
        return std::move(stage_operations_);
    }

private:
    void add_task(std::size_t i, const StepTask& task) {
        switch (task.work) {
            case Work::pipeline: add_receipt(i, task); return;
            case Work::forward:
            case Work::recompute:
            case Work::backward:
            case Work::weights: add_pass(i, task); return;
            case Work::gradients: add_reductions_of_step(i); return;
            case Work::optimizer: add_compute(i, "weight update"); return;
            case Work::parameters: add_gathers_of_step(i); return;
            case Work::overhead: add_compute(i, "compute lost to hidden communication"); return;
        }
    }

    [[nodiscard]] Seconds start(std::size_t task) const { return facts_.step.timeline.start[task]; }
    [[nodiscard]] Seconds duration(std::size_t task) const { return facts_.step.timeline.end[task] - start(task); }

    std::size_t add(StageOperation operation) {
        std::sort(operation.order.begin(), operation.order.end());
        std::erase_if(operation.order, [&](std::size_t place) { return contains(operation.data, place); });
        stage_operations_.operations.push_back(std::move(operation));
        return stage_operations_.operations.size() - 1;
    }

    std::size_t group(const GroupOfStage& kind) {
        auto& groups = stage_operations_.groups;
        const auto found = std::find(groups.begin(), groups.end(), kind);
        if (found != groups.end()) {
            return static_cast<std::size_t>(found - groups.begin());
        }
        groups.push_back(kind);
        return groups.size() - 1;
    }

    /// An exchange with `share` of its size, after `data`. Returns what waits for it to end.
    Places add_exchange(const play::Exchange& exchange, double share, Seconds at, Places data, Places order,
                        std::int32_t partner = -1) {
        const std::int64_t n = partner >= 0 ? 2 : exchange.group.size();
        if (n == 1) {
            data.insert(data.end(), order.begin(), order.end());
            return data;
        }
        StageOperation operation{.kind = kind_of(exchange.collective),
                                 .name = exchange.name,
                                 .start = at,
                                 .duration = share * exchange.time,
                                 .data = std::move(data),
                                 .order = std::move(order),
                                 .size = share * exchange.size,
                                 .group = group({exchange.group, partner >= 0 ? stage_ : 0, partner})};
        if (exchange.collective == Collective::all_gather) {
            operation.size *= 1.0 / static_cast<double>(n);
        }
        if (operation.kind != TraceNodeKind::send) {
            return {add(std::move(operation))};
        }
        return add_to_neighbours(exchange, std::move(operation));
    }

    /// A halo goes to both neighbours; a block of keys and values to the next member of the ring.
    Places add_to_neighbours(const play::Exchange& exchange, StageOperation operation) {
        const bool halo = exchange.collective == Collective::halo;
        const Places before = operation.data;
        Places received;
        operation.wraps = !halo;
        if (halo) {
            operation.size *= 1.0 / exchange.messages;
        }
        for (const int offset : halo ? std::vector{1, -1} : std::vector{1}) {
            operation.tag = 2 * neighbour_exchanges_ + 1;
            ++neighbour_exchanges_;
            operation.kind = TraceNodeKind::send;
            operation.offset = offset;
            add(operation);
            operation.kind = TraceNodeKind::receive;
            operation.offset = -offset;
            received.push_back(add(operation));
        }
        received.insert(received.end(), before.begin(), before.end());  // an end of a split has one neighbour only
        return received;
    }

    void add_receipt(std::size_t i, const StepTask& task) {
        StepTask tagged = task;
        tagged.stream = facts_.receives_gradient[i] != 0 ? Stream::receive_backward : Stream::receive_forward;
        const std::size_t positions = facts_.communication.positions.size();
        const bool back = facts_.receives_gradient[i] != 0;
        const auto& boundary = facts_.communication.positions[static_cast<std::size_t>(task.position) + (back ? 1 : 0)];
        const auto sender = static_cast<std::size_t>(facts_.step.steps.tasks[simulate::index(task.sender)].stage);
        Places& stream = last_receipt_[back ? 1 : 0];
        const bool beside = task.stream != Stream::compute;
        Seconds transfer = duration(i);
        for (const play::Exchange& gather : boundary.gathers) {
            transfer = max(Seconds{}, transfer - gather.time);
        }
        Places order = beside ? stream : last_;
        if (beside) {
            order.insert(order.end(), before_last_.begin(), before_last_.end());
        }
        const std::size_t received = add({.kind = TraceNodeKind::receive,
                                          .name = back ? "receive gradients" : "receive activations",
                                          .start = start(i),
                                          .duration = transfer,
                                          .data = {},
                                          .order = std::move(order),
                                          .size = boundary.received,
                                          .stage = static_cast<std::int32_t>(sender),
                                          .tag = stage_tag(tagged, positions)});
        stream = {received};
        Places end{received};
        for (const play::Exchange& gather : boundary.gathers) {
            end = add_exchange(gather, 1, start(i) + transfer, end, {});
        }
        arrived_ = end;
        if (!beside) {
            last_ = std::move(end);
        }
    }

    void add_send(std::size_t i) {
        const std::size_t receipt = facts_.receipt_of[i];
        if (receipt == StepFacts::kNone) {
            return;
        }
        StepTask to = facts_.step.steps.tasks[receipt];
        const bool back = facts_.receives_gradient[receipt] != 0;
        to.stream = back ? Stream::receive_backward : Stream::receive_forward;
        const auto& boundary = facts_.communication.positions[static_cast<std::size_t>(to.position) + (back ? 1 : 0)];
        last_send_ = {add({.kind = TraceNodeKind::send,
                           .name = back ? "send gradients" : "send activations",
                           .start = start(i) + duration(i),
                           .data = last_,
                           .order = last_send_,
                           .size = boundary.received,
                           .stage = to.stage,
                           .tag = stage_tag(to, facts_.communication.positions.size())})};
    }

    void add_pass(std::size_t i, const StepTask& task) {
        const auto position = static_cast<std::size_t>(task.position);
        const auto& exchanges = facts_.communication.positions[position];
        const Pass pass = task.work == Work::forward     ? Pass::forward
                          : task.work == Work::recompute ? Pass::recompute
                                                         : Pass::backward;
        const Places before = last_;
        if (task.work == Work::weights) {
            add_weight_gradients(i, task, exchanges.of(pass));
        } else {
            add_segments(i, task, exchanges.of(pass), gathers_before(task, exchanges), reductions_after(i, task));
        }
        if (task.work == Work::forward) {
            has_run_[position] = 1;
        }
        arrived_.clear();
        before_last_ = before;
        add_send(i);
    }

    /// Exchanges of states that a pass runs for each of its segments.
    using StateExchanges = std::vector<const play::Exchange*>;

    [[nodiscard]] StateExchanges gathers_before(const StepTask& task, const play::PositionExchange& exchanges) const {
        StateExchanges found;
        const bool forward = task.work == Work::forward;
        const bool repeats = task.work == Work::recompute;
        const bool first_back = repeats || !recomputes(task);
        for (const play::StateExchange& state : states_.states) {
            const bool now =
                state.moment == ExchangeMoment::every_forward ? forward
                : state.moment == ExchangeMoment::every_backward
                    ? !forward && first_back
                    : forward && state.exchange.hidden && has_run_[static_cast<std::size_t>(task.position)] == 0;
            if (state.gathers && now && !exchanges.of(Pass::forward).segments.empty()) {
                found.push_back(&state.exchange);
            }
        }
        return found;
    }

    [[nodiscard]] bool recomputes(const StepTask& task) const {
        return facts_.step.costs.positions[static_cast<std::size_t>(task.position)].recompute > Seconds{};
    }

    /// Reductions after the pass that makes the gradients of weights.
    [[nodiscard]] StateExchanges reductions_after(std::size_t i, const StepTask& task) const {
        StateExchanges found;
        const auto position = static_cast<std::size_t>(task.position);
        const Work makes = puts_off_[position] != 0 ? Work::weights : Work::backward;
        for (const play::StateExchange& state : states_.states) {
            const bool now = state.moment == ExchangeMoment::every_backward ||
                             (state.moment == ExchangeMoment::once && state.exchange.hidden && state.partner < 0 &&
                              last_backward_[position] == i);
            if (!state.gathers && task.work == makes && now) {
                found.push_back(&state.exchange);
            }
        }
        return found;
    }

    /// Of the stage's first segment with weights, `first` of all, and of each other.
    [[nodiscard]] double bucket(bool is_first, double first) const {
        const auto others = static_cast<double>(states_.buckets - 1);
        return is_first || others <= 0 ? first : (1 - first) / others;
    }

    /// The segment of a pass that is the stage's first with weights in forward order; none: another position has it.
    [[nodiscard]] const play::SegmentExchange* first_segment(const StepTask& task,
                                                             const play::PassExchange& pass) const {
        const auto holds = [](const play::SegmentExchange& segment) { return segment.weights; };
        if (task.position != first_position_) {
            return nullptr;
        }
        if (task.work == Work::forward) {
            return found_in(pass.segments, holds);
        }
        const auto found = std::find_if(pass.segments.rbegin(), pass.segments.rend(), holds);
        return found == pass.segments.rend() ? nullptr : &*found;
    }

    void add_segments(std::size_t i, const StepTask& task, const play::PassExchange& pass,
                      const StateExchanges& gathers, const StateExchanges& reductions) {
        const Seconds compute = max(Seconds{}, duration(i) - pass.exposed);
        const play::SegmentExchange* const first = first_segment(task, pass);
        const double again = 1.0 / static_cast<double>(states_.buckets);  // weights that backward gathers once more
        const std::string name = fmt::format("{} {}", play::name(task.work), task.micro_batch + 1);
        Seconds at = start(i);
        Places order = last_;
        Places data = arrived_;
        Places beside;
        Places gathered_before = last_;
        for (const play::SegmentExchange& segment : pass.segments) {
            const double part = task.work == Work::forward ? bucket(&segment == first, states_.first_gathered) : again;
            for (const play::Exchange* gather : segment.weights ? gathers : StateExchanges{}) {
                if (gather->hidden) {
                    gathered_before = add_exchange(*gather, part, at, {}, gathered_before);
                    data.insert(data.end(), gathered_before.begin(), gathered_before.end());
                } else {
                    data = add_exchange(*gather, part, at, std::move(data), std::exchange(order, {}));
                }
            }
            const std::size_t computed = add({.name = name,
                                              .start = at,
                                              .duration = segment.share * compute,
                                              .data = std::move(data),
                                              .order = std::exchange(order, {})});
            at += segment.share * compute;
            data = {computed};
            add_collectives(segment, computed, at, data, beside);
            for (const play::Exchange* reduction : segment.weights ? reductions : StateExchanges{}) {
                add_reduction(*reduction, bucket(&segment == first, states_.first_reduced), at, data);
            }
        }
        if (pass.segments.empty()) {
            data = {add({.name = name, .start = at, .duration = compute, .data = data, .order = order})};
        }
        data.insert(data.end(), beside.begin(), beside.end());
        last_ = std::move(data);
    }

    /// `data`: what the next segment follows; `beside`: what the end of the pass waits for.
    void add_collectives(const play::SegmentExchange& segment, std::size_t computed, Seconds& at, Places& data,
                         Places& beside) {
        Places hidden{computed};
        for (const play::Exchange& exchange : segment.exchanges) {
            for (std::int64_t k = 0; k < std::llround(exchange.count); ++k) {
                if (exchange.hidden) {
                    hidden = add_exchange(exchange, 1, at, hidden, {});
                } else {
                    data = add_exchange(exchange, 1, at, data, {});
                    at += exchange.time;
                }
            }
        }
        if (hidden != Places{computed}) {
            beside.insert(beside.end(), hidden.begin(), hidden.end());
        }
    }

    void add_reduction(const play::Exchange& reduction, double share, Seconds at, Places& data) {
        if (!reduction.hidden) {
            data = add_exchange(reduction, share, at, data, {});
            return;
        }
        reductions_ = add_exchange(reduction, share, at, data, reductions_);
    }

    void add_weight_gradients(std::size_t i, const StepTask& task, const play::PassExchange& pass) {
        add_compute(i, fmt::format("{} {}", play::name(task.work), task.micro_batch + 1));
        const auto holders = std::count_if(pass.segments.begin(), pass.segments.end(),
                                           [](const play::SegmentExchange& segment) { return segment.weights; });
        const bool has_first = first_segment(task, pass) != nullptr;
        const double share = (has_first ? bucket(true, states_.first_reduced) : 0) +
                             static_cast<double>(holders - (has_first ? 1 : 0)) * bucket(false, states_.first_reduced);
        for (const play::Exchange* reduction : reductions_after(i, task)) {
            if (holders > 0) {
                add_reduction(*reduction, share, start(i) + duration(i), last_);
            }
        }
    }

    void add_compute(std::size_t i, std::string name) {
        if (duration(i) > Seconds{}) {
            last_ = {add({.name = std::move(name), .start = start(i), .duration = duration(i), .order = last_})};
        }
    }

    void add_reductions_of_step(std::size_t i) {
        for (const play::StateExchange& state : states_.states) {
            const bool is_done = state.exchange.hidden && state.partner < 0;
            if (!state.gathers && state.moment == ExchangeMoment::once && !is_done) {
                last_ = add_exchange(state.exchange, 1, start(i), last_, {}, state.partner);
            }
        }
        last_.insert(last_.end(), reductions_.begin(), reductions_.end());
        const play::Exchange norm{.collective = Collective::all_reduce,
                                  .group = facts_.communication.stages,
                                  .size = kNorm,
                                  .name = "all-reduce of the norm of gradients"};
        last_ = add_exchange(norm, 1, start(i) + duration(i), last_, {});
    }

    void add_gathers_of_step(std::size_t i) {
        for (const play::StateExchange& state : states_.states) {
            if (state.gathers && state.moment == ExchangeMoment::once && !state.exchange.hidden) {
                last_ = add_exchange(state.exchange, 1, start(i), last_, {});
            }
        }
    }

    const StepFacts& facts_;
    std::int32_t stage_;
    const play::StageExchange& states_;
    std::vector<std::size_t> last_backward_;  ///< task, by position
    std::vector<char> puts_off_;              ///< by position: gradients of weights are tasks of their own
    std::int32_t first_position_;             ///< of this stage
    std::vector<char> has_run_;               ///< by position: its first forward pass is over
    StageOperations stage_operations_;
    Places last_;         ///< the end of the compute stream
    Places before_last_;  ///< its end before the last pass
    Places arrived_;      ///< what the next pass has received
    Places last_send_;
    Places reductions_;  ///< of gradients, beside compute
    std::array<Places, 2> last_receipt_;
    std::int64_t neighbour_exchanges_ = 0;
};

}  // namespace

std::vector<StageOperations> operations_by_stage(const play::SimulatedStep& step,
                                                 const play::StepCommunication& communication) {
    const StepFacts facts(step, communication);
    std::vector<StageOperations> stages;
    for (std::int32_t stage = 0; stage < step.steps.stages; ++stage) {
        stages.push_back(StageBuilder(facts, stage).made());
    }
    return stages;
}

}  // namespace dodona::reports
