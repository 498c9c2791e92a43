#include "step/played_orders.hpp"

#include <algorithm>

#include "schedule/rounds.hpp"

namespace dodona::step {

namespace {

using plan::ScheduleKind;

/// Orders of more tasks than this in all are not kept.
constexpr std::size_t kMostSteps = std::size_t{1} << 22;

/// With no more rounds than are played, of schedules that have a steady state.
schedule::Shape played_shape(ScheduleKind kind, schedule::Shape shape) {
    if (plan::schedule_of(kind).traits.has_rounds) {
        shape.micro_batches =
            static_cast<std::int32_t>(schedule::without_rounds(shape.micro_batches, shape.stages));
    }
    return shape;
}

/// Forward pass number `number` of a stage; tasks are counted stage after stage.
std::int32_t forward_pass(const schedule::Order& order, std::size_t stage, std::int32_t number) {
    std::size_t task = 0;
    for (std::size_t s = 0; s < stage; ++s) {
        task += order.stages[s].size();
    }
    for (const schedule::Task& each : order.stages[stage]) {
        if (each.kind == schedule::TaskKind::forward && number-- == 0) {
            break;
        }
        ++task;
    }
    return static_cast<std::int32_t>(task);
}

PlayedOrders::Known resolved(ScheduleKind kind, const schedule::Shape& shape) {
    const schedule::Schedule& schedule = plan::schedule_of(kind);
    if (schedule.unmet(shape)) {
        return nullptr;
    }
    const schedule::Order order = order_of(schedule, shape);
    const bool has_rounds = schedule.traits.has_rounds && shape.micro_batches >= schedule::kRounds * shape.stages;
    const std::int32_t round = shape.stages * shape.virtual_stages;  // forward passes of a stage
    PlayedOrder played{.tasks = schedule::resolve(order), .rounds = {}};
    for (std::size_t s = 0; s < order.stages.size(); ++s) {
        PlayedOrder::Rounds& rounds = played.rounds.emplace_back();
        if (has_rounds) {
            rounds = {forward_pass(order, s, 3 * round), forward_pass(order, s, 6 * round)};
        }
    }
    return std::make_shared<const PlayedOrder>(std::move(played));
}

}  // namespace

PlayedOrders::Known PlayedOrders::of(ScheduleKind kind, const schedule::Shape& shape) {
    const std::pair key(kind, played_shape(kind, shape));
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = known_.find(key); found != known_.end()) {
            return found->second;
        }
    }
    Known order = resolved(kind, key.second);
    const std::size_t steps = order ? order->tasks.steps.size() : 0;
    const std::lock_guard lock(mutex_);
    if (steps_ + steps > kMostSteps) {
        known_.clear();
        steps_ = 0;
    }
    steps_ += steps;
    return known_.emplace(key, std::move(order)).first->second;
}

}  // namespace dodona::step
