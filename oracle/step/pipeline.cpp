#include "step/pipeline.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "schedule/critical_passes.hpp"
#include "schedule/rounds.hpp"

namespace dodona::step {

namespace {

using cost::longer;
using cost::seconds;
using plan::ScheduleKind;
using schedule::TaskKind;

/// Relative difference below which positions are equal.
constexpr double kEqual = 1e-9;

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
    explicit ClosedForms(const Pipeline<Number>& pipeline) : pipeline_(pipeline), places_(pipeline.places()) {
        times_.reserve(pipeline.positions.size());
        for (std::size_t k = 0; k < pipeline.positions.size(); ++k) {
            times_.push_back(time_of(k));
        }
    }

    [[nodiscard]] Number one_by_one() const {
        auto round = sum_of<Number>(times_, [](const StageTime<Number>& time) { return time.chain(); });
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
        const schedule::Traits& traits = plan::schedule_of(pipeline_.schedule).traits;
        Number bound{};
        Number before{};
        std::vector<Number> stages = by_stage();
        if (traits.overlaps_pairs) {
            add_by_stage([&](std::size_t k) { return -1.0 * pipeline_.positions[k].hidden; }, stages);
        }
        // A stage may begin at once where micro-batches enter at both ends or are there from the step before.
        const bool waits = places_.copies() == 1 && traits.flushes;
        for (std::size_t s = 0; s < stages.size(); ++s) {
            bound = longer(bound, before + passes() * stages[s]);
            if (waits) {
                // Put-off gradients of weights may take as long as the stages before need to end.
                const bool only_forward = traits.splits_backward || traits.overlaps_pairs;
                before += only_forward ? times_[s].forward : times_[s].both();
            }
        }
        return bound;
    }

    /// Without a flush: the slowest stage, or the slowest stream, in all its passes.
    [[nodiscard]] Number steady() const {
        Number slowest{};
        for (const Number& stage : by_stage()) {
            slowest = longer(slowest, stage);
        }
        for (const StageTime<Number>& time : times_) {
            slowest = longer(slowest, 0.5 * time.latency);
        }
        return passes() * slowest;
    }

    /// Of one micro-batch; of a stage that every other one passes, half of it.
    [[nodiscard]] std::vector<Number> by_stage() const {
        std::vector<Number> stages(static_cast<std::size_t>(pipeline_.stages));
        add_by_stage([&](std::size_t k) { return times_[k].both(); }, stages);
        return stages;
    }

private:
    /// Adds `time` of each position to its stages.
    template <class Time>
    void add_by_stage(Time time, std::vector<Number>& stages) const {
        if (places_.copies() == 1) {
            for (std::size_t k = 0; k < times_.size(); ++k) {
                stages[static_cast<std::size_t>(places_.stage(static_cast<std::int64_t>(k)))] += time(k);
            }
            return;
        }
        for (std::size_t s = 0; s < stages.size(); ++s) {
            for (std::int64_t i = 0; i < places_.on_stage(); ++i) {
                const auto k = static_cast<std::size_t>(places_.position(static_cast<std::int64_t>(s), i));
                stages[s] += 1 / static_cast<double>(places_.copies()) * time(k);
            }
        }
    }

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
    schedule::Places places_;
    std::vector<StageTime<Number>> times_;
};

enum class Form { one_by_one, gpipe, even, steady, played };

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
    switch (pipeline.schedule) {
        case ScheduleKind::gpipe: return Form::gpipe;
        case ScheduleKind::one_forward_one_backward: return Form::one_by_one;
        case ScheduleKind::interleaved:
        case ScheduleKind::breadth_first:
            if (pipeline.positions.size() == static_cast<std::size_t>(pipeline.stages)) {
                return pipeline.schedule == ScheduleKind::interleaved ? Form::one_by_one : Form::gpipe;
            }
            return is_even(pipeline) ? Form::even : Form::played;
    }
    return plan::schedule_of(pipeline.schedule).traits.flushes ? Form::played : Form::steady;
}

/// The forward pass at a position together with the backward pass of its partner.
template <class Number>
Number pair_of(const Pipeline<Number>& pipeline, const Position<Number>& position) {
    const std::int64_t partner = pipeline.places().partner(&position - pipeline.positions.data());
    return position.forward + pipeline.positions[static_cast<std::size_t>(partner)].back - position.hidden;
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
    if (plan::overlaps_pairs(pipeline.schedule)) {
        for (const Position<Number>& position : pipeline.positions) {
            durations.pairs.push_back(seconds(pair_of(pipeline, position)).in(unit::second));
        }
    }
    return durations;
}

/// Rounds of the steady state that are not played, and what stands for them: three rounds of the busiest stage.
struct Skipped {
    double rounds = 0;
    std::int32_t begin = 0;  ///< the task that begins the three
    std::int32_t end = 0;    ///< the next after them

    [[nodiscard]] double time(const schedule::Played<double>& played) const {
        return rounds / 3 *
               (played.start[static_cast<std::size_t>(end)] - played.start[static_cast<std::size_t>(begin)]);
    }
};

template <class Number>
Skipped skipped(const Pipeline<Number>& pipeline, const ScheduleTiming& order, const schedule::Played<double>& played) {
    const std::int64_t more =
        (pipeline.microbatches - schedule::without_rounds(pipeline.microbatches, pipeline.stages)) / pipeline.stages;
    if (order.rounds.empty()) {
        return {};
    }
    const auto busiest = static_cast<std::size_t>(max_element(played.busy) - played.busy.begin());
    const ScheduleTiming::Rounds& rounds = order.rounds[busiest];
    return {.rounds = static_cast<double>(more), .begin = rounds.begin, .end = rounds.end};
}

/// How often each task, pair and transfer is on the critical path of a played order.
struct CriticalCounts {
    std::vector<double> tasks;      ///< by kind and position
    std::vector<double> pairs;      ///< by the position of the forward pass
    std::vector<double> transfers;  ///< by the position that receives

    CriticalCounts(const schedule::Durations<double>& durations, std::size_t positions)
        : tasks(durations.tasks.size(), 0), pairs(positions, 0), transfers(positions, 0) {}

    /// ... up to the start of the task `until`, or to the end; `times` as often.
    void add(const schedule::Dependencies& dependencies, const schedule::Durations<double>& durations,
             const schedule::Played<double>& played, std::optional<std::int32_t> until, double times) {
        schedule::for_each_critical(
            dependencies, durations, played, until,
            [&](const schedule::Step& step) {
                std::vector<double>& counts = step.overlaps_next ? pairs : tasks;  // forward is the first kind
                counts[static_cast<std::size_t>(step.duration)] += times;
            },
            [&](std::int32_t boundary) { transfers[static_cast<std::size_t>(boundary) + 1] += times; });
    }
};

/// Rounds beyond those that are played of an order whose steady state has none: each adds what the last one added.
template <class Number>
double later_rounds(const Pipeline<Number>& pipeline, const ScheduleTiming& order) {
    return order.shorter
               ? static_cast<double>(pipeline.microbatches - order.micro_batches) / static_cast<double>(pipeline.stages)
               : 0;
}

Seconds played_total(const Pipeline<Seconds>& pipeline, const ScheduleTiming& order) {
    const schedule::Durations<double> durations = durations_of(pipeline);
    thread_local schedule::Played<double> played;  // keeps its memory
    schedule::play(order.tasks, durations, played);
    const double total = played.makespan + skipped(pipeline, order, played).time(played);
    if (const double later = later_rounds(pipeline, order); later > 0) {
        schedule::play(*order.shorter, durations, played);
        return (total + later * (total - played.makespan)) * unit::second;
    }
    return total * unit::second;
}

/// The sum of the tasks and transfers on the critical paths to all that the time is composed of.
template <class Number>
Number played_total(const Pipeline<Number>& pipeline, const ScheduleTiming& order) {
    const schedule::Durations<double> durations = durations_of(pipeline);
    const std::size_t positions = pipeline.positions.size();
    CriticalCounts counts(durations, positions);
    thread_local schedule::Played<double> played;  // keeps its memory
    schedule::play(order.tasks, durations, played);
    const double later = later_rounds(pipeline, order);
    const Skipped more = skipped(pipeline, order, played);
    counts.add(order.tasks, durations, played, {}, 1 + later);
    if (more.rounds > 0) {
        counts.add(order.tasks, durations, played, more.end, (1 + later) * more.rounds / 3);
        counts.add(order.tasks, durations, played, more.begin, -(1 + later) * more.rounds / 3);
    }
    if (later > 0) {
        schedule::play(*order.shorter, durations, played);
        counts.add(*order.shorter, durations, played, {}, -later);
    }
    const auto count = [&](TaskKind kind, std::size_t k) {
        return counts.tasks[static_cast<std::size_t>(kind) * positions + k];
    };
    Number total{};
    for (std::size_t k = 0; k < positions; ++k) {
        const Position<Number>& position = pipeline.positions[k];
        const double inputs = count(TaskKind::backward_input, k);
        total += count(TaskKind::forward, k) * position.forward;
        total += (count(TaskKind::backward, k) + inputs) * position.back;
        total += (count(TaskKind::backward_weight, k) - inputs) * position.weight_gradients;
        total += counts.transfers[k] * position.receive;
        if (counts.pairs[k] != 0) {
            total += counts.pairs[k] * pair_of(pipeline, position);
        }
    }
    return total;
}

/// By how much pairs shorten the passes of a stage in a step.
Seconds hidden_on(std::size_t stage, const Pipeline<Seconds>& pipeline, const ScheduleTiming& order) {
    const schedule::Places places = pipeline.places();
    const std::int64_t more =
        (pipeline.microbatches - schedule::without_rounds(pipeline.microbatches, pipeline.stages)) / places.copies();
    Seconds hidden;
    for (std::int64_t i = 0; i < places.on_stage(); ++i) {  // a round has a pair for each of its micro-batches
        const std::int64_t k = places.position(static_cast<std::int64_t>(stage), i);
        hidden += static_cast<double>(more) * pipeline.positions[static_cast<std::size_t>(k)].hidden;
    }
    for (const schedule::Step& step : order.tasks.steps) {
        if (step.overlaps_next && static_cast<std::size_t>(step.stage) == stage) {
            hidden += pipeline.positions[static_cast<std::size_t>(step.duration)].hidden;
        }
    }
    return hidden;
}

std::int32_t whole_number(std::int64_t microbatches) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::min(microbatches, kMax));
}

template <class Number>
schedule::Shape shape_of(const Pipeline<Number>& pipeline) {
    return {static_cast<std::int32_t>(pipeline.stages), whole_number(pipeline.microbatches),
            static_cast<std::int32_t>(pipeline.positions.size()) / static_cast<std::int32_t>(pipeline.stages)};
}

}  // namespace

template <class Number>
Number pipeline_total(const Pipeline<Number>& pipeline, ScheduleTimings& orders) {
    check(!pipeline.positions.empty() && pipeline.microbatches >= 1 && pipeline.stages >= 1,
          "a pipeline has positions, stages and micro-batches");
    const Form form = form_of(pipeline);
    if (form == Form::played) {
        if (const ScheduleTimings::Known order = orders.of(pipeline.schedule, shape_of(pipeline))) {
            return played_total(pipeline, *order);
        }
    }
    const ClosedForms forms(pipeline);
    switch (form) {
        case Form::gpipe: return forms.gpipe();
        case Form::one_by_one: return forms.one_by_one();
        case Form::steady: return forms.steady();
        case Form::even:
        case Form::played: break;
    }
    return forms.even();
}
template Seconds pipeline_total(const Pipeline<Seconds>&, ScheduleTimings&);
template cost::DualTime pipeline_total(const Pipeline<cost::DualTime>&, ScheduleTimings&);

Seconds growing_total(const Pipeline<Seconds>& pipeline, ScheduleTimings& orders) {
    const Seconds total = pipeline_total(pipeline, orders);
    if (!plan::has_virtual_stages(pipeline.schedule) || pipeline.stages == 1) {
        return total;
    }
    Pipeline<Seconds> whole_rounds = pipeline;
    whole_rounds.microbatches -= pipeline.microbatches % pipeline.stages;
    const Seconds before = whole_rounds.microbatches > 0 ? pipeline_total(whole_rounds, orders) : Seconds{};
    return max(total, max(before, ClosedForms(pipeline).even()));
}

Seconds pipeline_bound(const Pipeline<Seconds>& pipeline) { return ClosedForms(pipeline).bound(); }

PipelineTime pipeline_time(const Pipeline<Seconds>& pipeline, ScheduleTimings& orders) {
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
    if (plan::overlaps_pairs(pipeline.schedule) && pipeline.stages > 1) {
        if (const ScheduleTimings::Known order = orders.of(pipeline.schedule, shape_of(pipeline))) {
            time.hidden = hidden_on(time.critical, pipeline, *order);
        }
    }
    if (pipeline.stages > 1) {
        time.bubble = passes + time.hidden -
                      static_cast<double>(pipeline.microbatches) * ClosedForms(without).by_stage()[time.critical];
    }
    return time;
}

}  // namespace dodona::step
