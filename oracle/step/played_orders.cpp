#include "step/played_orders.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "schedule/schedule.hpp"

namespace dodona::step {

namespace {

using plan::ScheduleKind;

/// Orders of more tasks than this in all are not kept.
constexpr std::size_t kMostSteps = std::size_t{1} << 22;

/// With no more rounds than are played, of schedules that have a steady state.
schedule::Shape played_shape(ScheduleKind kind, schedule::Shape shape) {
    if (shape.micro_batches % shape.stages == 0 && kind != ScheduleKind::breadth_first) {
        shape.micro_batches = std::min(shape.micro_batches, kRounds * shape.stages);
    }
    return shape;
}

/// The stage's first forward pass of a micro-batch; tasks are counted stage after stage.
std::int32_t first_forward(const schedule::Order& order, std::size_t stage, std::int32_t micro_batch) {
    std::size_t before = 0;
    for (std::size_t s = 0; s < stage; ++s) {
        before += order.stages[s].size();
    }
    const std::vector<schedule::Task>& tasks = order.stages[stage];
    const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const schedule::Task& task) {
        return task.kind == schedule::TaskKind::forward && task.micro_batch == micro_batch;
    });
    return static_cast<std::int32_t>(before + static_cast<std::size_t>(found - tasks.begin()));
}

PlayedOrders::Known resolved(ScheduleKind kind, const schedule::Shape& shape) {
    const schedule::Schedule* schedule = schedule::find_schedule(name(kind));
    check(schedule != nullptr, "the schedules of plans are in the table of schedules");
    if (schedule->unmet(shape)) {
        return nullptr;
    }
    const schedule::Order order = order_of(*schedule, shape);
    PlayedOrder played{.tasks = schedule::resolve(order), .rounds = {}};
    for (std::size_t s = 0; s < order.stages.size(); ++s) {
        PlayedOrder::Rounds& rounds = played.rounds.emplace_back();
        if (shape.micro_batches == kRounds * shape.stages && kind != ScheduleKind::breadth_first) {
            rounds = {first_forward(order, s, 3 * shape.stages), first_forward(order, s, 6 * shape.stages)};
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
