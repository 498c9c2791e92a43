// The orders of tasks that pipelines are played in, resolved once for each shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "plan/plan.hpp"
#include "schedule/dependencies.hpp"

namespace dodona::step {

/// An order whose steady state is played once: of more than schedule::kRounds rounds of as many micro-batches as there are stages,
/// the others take as long as those in the middle.
struct PlayedOrder {
    schedule::Dependencies tasks;
    /// Tasks that begin three rounds of the steady state, and the next after them, by stage; -1: of fewer rounds.
    struct Rounds {
        std::int32_t begin = -1;
        std::int32_t end = -1;
    };
    std::vector<Rounds> rounds;
};

/// Threads may share it.
class PlayedOrders {
public:
    using Known = std::shared_ptr<const PlayedOrder>;
    /// None if the schedule has no order for that, such as interleaving where the stages do not divide the micro-batches.
    Known of(plan::ScheduleKind kind, const schedule::Shape& shape);

private:
    std::mutex mutex_;
    std::map<std::pair<plan::ScheduleKind, schedule::Shape>, Known> known_;
    std::size_t steps_ = 0;  ///< of all orders kept
};

}  // namespace dodona::step
