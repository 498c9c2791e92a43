#include "step/schedule_timings.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "schedule/rounds.hpp"

namespace dodona::step {

namespace {

using plan::ScheduleKind;

/// A larger order is not played: a task takes some 100 bytes.
constexpr std::int64_t kMaxTasks = 20'000'000;

/// Orders of more tasks than this in all are not kept.
constexpr std::size_t kMaxSteps = std::size_t{1} << 22;

std::int32_t whole(std::int64_t number) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::min(number, kMax));
}

/// With no more rounds than are played.
schedule::Shape short_shape(schedule::Shape shape) {
    shape.micro_batches = whole(schedule::without_rounds(shape.micro_batches, shape.stages));
    return shape;
}

/// Which task of a stage is its forward pass number `number`.
std::int32_t forward_pass(const std::vector<schedule::Task>& tasks, std::int32_t number) {
    const auto found = find_if(
        tasks, [&](const schedule::Task& task) { return task.kind == schedule::TaskKind::forward && number-- == 0; });
    return static_cast<std::int32_t>(found - tasks.begin());
}

ScheduleTimings::Known resolved(ScheduleKind kind, const schedule::Shape& shape) {
    const schedule::Schedule& schedule = plan::schedule_of(kind);
    if (schedule.unmet(shape)) {
        return nullptr;
    }
    const schedule::Order order = order_of(schedule, shape);
    ScheduleTiming played{
        .micro_batches = shape.micro_batches, .tasks = schedule::resolve(order), .rounds = {}, .shorter = {}};
    if (shape.micro_batches < schedule::kRounds * shape.stages) {
        return std::make_shared<const ScheduleTiming>(std::move(played));
    }
    if (!schedule.traits.has_rounds) {
        schedule::Shape shorter = shape;
        shorter.micro_batches -= shape.stages;
        played.shorter = schedule::resolve(order_of(schedule, shorter));
        return std::make_shared<const ScheduleTiming>(std::move(played));
    }
    const std::int32_t round = shape.stages * shape.virtual_stages;  // forward passes of a stage
    std::int32_t before = 0;                                         // tasks are counted stage after stage
    for (const std::vector<schedule::Task>& tasks : order.stages) {
        played.rounds.push_back({before + forward_pass(tasks, 3 * round), before + forward_pass(tasks, 6 * round)});
        before += static_cast<std::int32_t>(tasks.size());
    }
    return std::make_shared<const ScheduleTiming>(std::move(played));
}

/// Whether positions that differ, or all, are played.
bool may_be_played(ScheduleKind kind, std::int64_t virtual_stages) {
    switch (kind) {
        case ScheduleKind::gpipe:
        case ScheduleKind::one_forward_one_backward: return false;
        case ScheduleKind::interleaved:
        case ScheduleKind::breadth_first: return virtual_stages > 1;
    }
    return plan::schedule_of(kind).traits.flushes;
}

}  // namespace

std::optional<std::string> too_many_tasks(ScheduleKind kind, const schedule::Shape& shape) {
    const schedule::Shape played = short_shape(shape);
    const std::int64_t of_pass = plan::schedule_of(kind).traits.splits_backward ? 3 : 2;
    const std::int64_t tasks =
        of_pass * std::int64_t{played.stages} * played.virtual_stages * std::int64_t{played.micro_batches};
    if (!may_be_played(kind, shape.virtual_stages) || tasks <= kMaxTasks) {
        return std::nullopt;
    }
    return fmt::format("{} stages have some {} million tasks in order, of which at most {} million are played",
                       shape.stages, tasks / 1'000'000, kMaxTasks / 1'000'000);
}

ScheduleTimings::Known ScheduleTimings::of(ScheduleKind kind, const schedule::Shape& shape) {
    const Key key(kind, short_shape(shape));
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = known_.find(key); found != known_.end()) {
            return found->second;
        }
    }
    Known order = resolved(kind, key.second);
    const std::size_t steps = order ? order->tasks.steps.size() : 0;
    const std::lock_guard lock(mutex_);
    if (steps_ + steps > kMaxSteps) {
        known_.clear();
        steps_ = 0;
    }
    steps_ += steps;
    return known_.emplace(key, std::move(order)).first->second;
}

ScheduleTimings::Held ScheduleTimings::held(ScheduleKind kind, const schedule::Shape& shape) {
    const Key key(kind, shape);
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = held_.find(key); found != held_.end()) {
            return found->second;
        }
    }
    const schedule::Schedule& schedule = plan::schedule_of(kind);
    const schedule::Order order = order_of(schedule, shape);
    const schedule::Places places = places_of(schedule, shape.stages, shape.virtual_stages);
    std::vector<std::vector<schedule::Holding>> by_stage;
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        by_stage.push_back(schedule::most_held(order, places, s));
    }
    const std::lock_guard lock(mutex_);
    return held_.emplace(key, std::make_shared<const std::vector<std::vector<schedule::Holding>>>(std::move(by_stage)))
        .first->second;
}

std::vector<schedule::Holding> ScheduleTimings::in_flight(ScheduleKind kind, const schedule::Places& places,
                                                          std::int64_t stage, std::int64_t microbatches) {
    const auto alone = [&](std::int64_t each) {
        return std::vector<std::int64_t>(static_cast<std::size_t>(places.on_stage()), each);
    };
    if (places.stages == 1) {  // accumulation: one micro-batch after the other
        return {{.whole = alone(1), .for_weights = {}}};
    }
    const schedule::Schedule& schedule = plan::schedule_of(kind);
    const schedule::Shape shape{whole(places.stages), whole(microbatches), whole(places.virtual_stages)};
    if (schedule.held != nullptr) {
        return {{.whole = schedule.held(shape, whole(stage)), .for_weights = {}}};
    }
    const schedule::Shape shorter = short_shape(shape);
    if (schedule.unmet(shorter)) {
        return {{.whole = alone(microbatches), .for_weights = {}}};
    }
    return (*held(kind, shorter))[static_cast<std::size_t>(stage)];
}

}  // namespace dodona::step
