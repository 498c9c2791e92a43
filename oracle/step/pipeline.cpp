#include "step/pipeline.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "schedule/critical_passes.hpp"
#include "schedule/in_flight.hpp"
#include "schedule/rounds.hpp"

namespace dodona::step {

namespace {

using cost::seconds;
using plan::ScheduleKind;
using schedule::TaskKind;

/// Relative difference below which positions are equal.
constexpr double kEqual = 1e-9;

template <class Number>
const Number& longer(const Number& a, const Number& b) {
    return a < b ? b : a;
}

template <class Number>
Number positive(const Number& time) {
    return longer(time, Number{});
}

/// One position in the terms of the closed forms.
template <class Number>
struct StageTime {
    Number forward;
    Number back;
    Number latency;  ///< of both transfers over the boundary before it, where they overlap
    [[nodiscard]] Number both() const { return forward + back; }
    [[nodiscard]] Number chain() const { return forward + back + latency; }
};

/// The closed forms of a pipeline.
template <class Number>
class ClosedForms {
public:
    explicit ClosedForms(const Pipeline<Number>& pipeline) : pipeline_(pipeline) {
        for (std::size_t k = 0; k < pipeline.positions.size(); ++k) {
            times_.push_back(time_of(k));
        }
    }

    [[nodiscard]] Number one_by_one() const {
        Number round{};
        for (const StageTime<Number>& time : times_) {
            round += time.chain();
        }
        Number head{};
        Number total{};
        for (std::size_t q = 0; q < times_.size(); ++q) {
            round = round - times_[q].chain();
            head += times_[q].latency;
            total = longer(total, head + body(q, positive(round)));
            head += times_[q].both();
        }
        return longer(total, slowest_stream());
    }

    [[nodiscard]] Number gpipe() const {
        Number forward{};
        Number back{};
        for (const StageTime<Number>& time : times_) {
            forward = longer(forward, time.forward);
            back = longer(back, time.back);
        }
        return longer(chain() + (passes() - 1) * (forward + back), slowest_stream());
    }

    /// Every stage once through each of its v positions in turn, the slowest in all its passes.
    [[nodiscard]] Number even() const {
        Number all{};
        Number slowest{};
        for (const Number& stage : by_stage()) {
            all += stage;
            slowest = longer(slowest, stage);
        }
        const double share = static_cast<double>(pipeline_.stages) / static_cast<double>(times_.size());
        Number total = share * all + (passes() - share) * slowest;
        for (const StageTime<Number>& time : times_) {
            total += time.latency;
        }
        return total;
    }

    /// Every stage with what comes before its first pass and after its last.
    [[nodiscard]] Number bound() const {
        Number bound{};
        Number before{};
        const std::vector<Number> stages = by_stage();
        for (std::size_t s = 0; s < stages.size(); ++s) {
            bound = longer(bound, before + passes() * stages[s]);
            // Put-off gradients of weights may take as long as the stages before need to end.
            before += plan::splits_backward(pipeline_.schedule) ? times_[s].forward : times_[s].both();
        }
        return bound;
    }

    /// Of one micro-batch.
    [[nodiscard]] std::vector<Number> by_stage() const {
        std::vector<Number> stages(static_cast<std::size_t>(pipeline_.stages));
        for (std::size_t k = 0; k < times_.size(); ++k) {
            stages[k % stages.size()] += times_[k].both();
        }
        return stages;
    }

private:
    [[nodiscard]] double passes() const { return static_cast<double>(pipeline_.microbatches); }

    [[nodiscard]] StageTime<Number> time_of(std::size_t k) const {
        const Position<Number>& position = pipeline_.positions[k];
        if (pipeline_.transfers_overlap) {
            return {position.forward, position.back, 2.0 * position.receive};
        }
        Number back = position.back;
        if (k + 1 < pipeline_.positions.size()) {
            back += pipeline_.positions[k + 1].receive;
        }
        return {position.forward + position.receive, back, {}};
    }

    /// Stage q of 1F1B from its first pass to its last.
    [[nodiscard]] Number body(std::size_t q, const Number& round) const {
        const StageTime<Number>& stage = times_[q];
        const auto left = static_cast<std::int64_t>(times_.size() - q);
        const std::int64_t waits = std::min(pipeline_.microbatches, left) - 1;
        const auto n = static_cast<double>(waits);
        const bool all_forward_first = pipeline_.microbatches == waits + 1;
        if (!all_forward_first && n * stage.both() < round) {
            return (1 + (passes() - 1) / (n + 1)) * (stage.both() + round);
        }
        const Number idle = positive(round - n * stage.forward);
        const Number idle_back = round - n * stage.back;
        return passes() * stage.both() + idle + positive(all_forward_first ? idle_back - idle : idle_back);
    }

    [[nodiscard]] Number chain() const {
        Number chain{};
        for (const StageTime<Number>& time : times_) {
            chain += time.chain();
        }
        return chain;
    }

    [[nodiscard]] Number slowest_stream() const {
        Number slowest{};
        for (const StageTime<Number>& time : times_) {
            slowest = longer(slowest, time.latency);
        }
        return chain() + (passes() - 1) * (0.5 * slowest);
    }

    const Pipeline<Number>& pipeline_;
    std::vector<StageTime<Number>> times_;
};

enum class Form { one_by_one, gpipe, even, played };

template <class Number>
bool is_even(const Pipeline<Number>& pipeline) {
    const Position<Number>& first = pipeline.positions.front();
    const auto equal = [](const Number& a, const Number& b) {
        const Seconds difference = max(seconds(a) - seconds(b), seconds(b) - seconds(a));
        return difference <= kEqual * max(seconds(a), seconds(b));
    };
    return std::all_of(pipeline.positions.begin(), pipeline.positions.end(), [&](const auto& position) {
        return equal(position.forward, first.forward) && equal(position.back, first.back);
    });
}

template <class Number>
Form form_of(const Pipeline<Number>& pipeline) {
    if (pipeline.stages == 1) {
        return Form::even;
    }
    if (pipeline.schedule == ScheduleKind::gpipe) {
        return Form::gpipe;
    }
    if (plan::splits_backward(pipeline.schedule)) {
        return Form::played;
    }
    if (pipeline.positions.size() == static_cast<std::size_t>(pipeline.stages)) {
        return Form::one_by_one;
    }
    return is_even(pipeline) ? Form::even : Form::played;
}

template <class Number>
schedule::Durations<double> durations_of(const Pipeline<Number>& pipeline) {
    schedule::Durations<double> durations(static_cast<std::int32_t>(pipeline.positions.size()));
    durations.blocking = !pipeline.transfers_overlap;
    for (std::size_t k = 0; k < pipeline.positions.size(); ++k) {
        const auto in_seconds = [](const Number& time) { return seconds(time).in(unit::second); };
        const Position<Number>& position = pipeline.positions[k];
        const auto at = static_cast<std::int32_t>(k);
        durations.of(TaskKind::forward, at) = in_seconds(position.forward);
        durations.of(TaskKind::backward, at) = in_seconds(position.back);
        durations.of(TaskKind::backward_weight, at) = in_seconds(position.weight_gradients);
        durations.of(TaskKind::backward_input, at) = in_seconds(position.back) - in_seconds(position.weight_gradients);
        if (k > 0) {
            durations.forward_transfers.push_back(in_seconds(position.receive));
        }
    }
    durations.backward_transfers = durations.forward_transfers;
    return durations;
}

/// Rounds of the steady state that are not played, and what stands for them: three rounds of the busiest stage.
struct Skipped {
    double rounds = 0;
    double begin = 0;
    double end = 0;

    [[nodiscard]] double time() const { return rounds * (end - begin) / 3; }
    /// How often something from `from` to `to` on the critical path counts.
    [[nodiscard]] double weight(double from, double to) const {
        const double inside = std::min(to, end) - std::max(from, begin);
        return rounds > 0 && inside > 0 ? 1 + rounds / 3 * inside / (to - from) : 1;
    }
};

template <class Number>
Skipped skipped(const Pipeline<Number>& pipeline, const PlayedOrder& order, const schedule::Played<double>& played) {
    const auto busiest =
        static_cast<std::size_t>(std::max_element(played.busy.begin(), played.busy.end()) - played.busy.begin());
    const PlayedOrder::Rounds& rounds = order.rounds[busiest];
    if (rounds.begin < 0) {
        return {};
    }
    const std::int64_t all = pipeline.microbatches / pipeline.stages;
    return {.rounds = static_cast<double>(all - schedule::kRounds),
            .begin = played.start[static_cast<std::size_t>(rounds.begin)],
            .end = played.start[static_cast<std::size_t>(rounds.end)]};
}

Seconds played_total(const Pipeline<Seconds>& pipeline, const PlayedOrder& order) {
    schedule::Played<double> played;
    schedule::play(order.tasks, durations_of(pipeline), played);
    return (played.makespan + skipped(pipeline, order, played).time()) * unit::second;
}

/// The sum of the tasks and transfers on the critical path.
template <class Number>
Number played_total(const Pipeline<Number>& pipeline, const PlayedOrder& order) {
    const schedule::Durations<double> durations = durations_of(pipeline);
    schedule::Played<double> played;
    schedule::play(order.tasks, durations, played);
    const Skipped more = skipped(pipeline, order, played);
    const std::size_t positions = pipeline.positions.size();
    std::vector<double> tasks(durations.tasks.size(), 0);
    std::vector<double> transfers(positions, 0);
    schedule::for_each_critical(
        order.tasks, durations, played,
        [&](const schedule::Step& step) {
            const auto task = static_cast<std::size_t>(step.task);
            tasks[static_cast<std::size_t>(step.duration)] += more.weight(played.start[task], played.end[task]);
        },
        [&](std::int32_t boundary, double end) {
            const double time = durations.forward_transfers[static_cast<std::size_t>(boundary)];
            transfers[static_cast<std::size_t>(boundary) + 1] += more.weight(end - time, end);
        });
    const auto count = [&](TaskKind kind, std::size_t k) {
        return tasks[static_cast<std::size_t>(kind) * positions + k];
    };
    Number total{};
    for (std::size_t k = 0; k < positions; ++k) {
        const Position<Number>& position = pipeline.positions[k];
        const double inputs = count(TaskKind::backward_input, k);
        total += count(TaskKind::forward, k) * position.forward;
        total += (count(TaskKind::backward, k) + inputs) * position.back;
        total += (count(TaskKind::backward_weight, k) - inputs) * position.weight_gradients;
        total += transfers[k] * position.receive;
    }
    return total;
}

std::int32_t whole_number(std::int64_t microbatches) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::min(microbatches, kMost));
}

template <class Number>
schedule::Shape shape_of(const Pipeline<Number>& pipeline) {
    return {static_cast<std::int32_t>(pipeline.stages), whole_number(pipeline.microbatches),
            static_cast<std::int32_t>(pipeline.positions.size()) / static_cast<std::int32_t>(pipeline.stages)};
}

}  // namespace

template <class Number>
Number pipeline_total(const Pipeline<Number>& pipeline, PlayedOrders& orders) {
    check(!pipeline.positions.empty() && pipeline.microbatches >= 1 && pipeline.stages >= 1,
          "a pipeline has positions, stages and micro-batches");
    const Form form = form_of(pipeline);
    if (form == Form::played) {
        if (const PlayedOrders::Known order = orders.of(pipeline.schedule, shape_of(pipeline))) {
            return played_total(pipeline, *order);
        }
    }
    const ClosedForms forms(pipeline);
    return form == Form::gpipe ? forms.gpipe() : form == Form::one_by_one ? forms.one_by_one() : forms.even();
}
template Seconds pipeline_total(const Pipeline<Seconds>&, PlayedOrders&);
template cost::Sourced pipeline_total(const Pipeline<cost::Sourced>&, PlayedOrders&);

Seconds pipeline_bound(const Pipeline<Seconds>& pipeline) { return ClosedForms(pipeline).bound(); }

PipelineTime pipeline_time(const Pipeline<Seconds>& pipeline, PlayedOrders& orders) {
    PipelineTime time;
    time.total = pipeline_total(pipeline, orders);
    const std::vector<Seconds> stages = ClosedForms(pipeline).by_stage();
    time.critical = static_cast<std::size_t>(std::max_element(stages.begin(), stages.end()) - stages.begin());
    std::vector<Position<Seconds>> alone(pipeline.positions.begin(), pipeline.positions.end());
    for (Position<Seconds>& position : alone) {
        position.receive = {};
    }
    Pipeline<Seconds> without = pipeline;
    without.positions = alone;
    const Seconds passes = min(time.total, pipeline_total(without, orders));
    time.transfers = time.total - passes;
    time.bubble = passes - static_cast<double>(pipeline.microbatches) * ClosedForms(without).by_stage()[time.critical];
    return time;
}

std::vector<std::int64_t> in_flight(plan::ScheduleKind kind, std::int64_t stage, std::int64_t stages,
                                    std::int64_t microbatches, std::int64_t virtual_stages) {
    if (stages == 1) {  // accumulation: one micro-batch after the other
        return std::vector<std::int64_t>(static_cast<std::size_t>(virtual_stages), 1);
    }
    const schedule::Schedule& schedule = plan::schedule_of(kind);
    schedule::Shape shape{static_cast<std::int32_t>(stages), whole_number(microbatches),
                          static_cast<std::int32_t>(virtual_stages)};
    const auto at = static_cast<std::int32_t>(stage);
    if (schedule.held != nullptr) {
        return schedule.held(shape, at);
    }
    shape.micro_batches = whole_number(schedule::without_rounds(microbatches, stages));
    const std::vector<std::int64_t> at_peak =
        schedule::in_flight(schedule::order_of(schedule, shape), at).at_weights_peak;
    std::vector<std::int64_t> held;
    for (auto k = static_cast<std::size_t>(stage); k < at_peak.size(); k += static_cast<std::size_t>(stages)) {
        held.push_back(at_peak[k]);
    }
    return held;
}

}  // namespace dodona::step
