// The orders of tasks that pipelines are played in and hold activations by, made once for each shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.hpp"
#include "schedule/dependencies.hpp"
#include "schedule/in_flight.hpp"

namespace dodona::step {

/// An order whose steady state is played once: of more than schedule::kRounds rounds of as many micro-batches as there are
/// stages, the others take as long as those in the middle.
struct ScheduleTiming {
    std::int64_t micro_batches = 1;
    schedule::Dependencies tasks;
    /// Tasks that begin three rounds of the steady state, and the next after them, by stage.
    struct Rounds {
        std::int32_t begin = 0;
        std::int32_t end = 0;
    };
    std::vector<Rounds> rounds;  ///< empty: no rounds are left out
    /// One round less, where rounds are left out of a schedule without a steady state.
    std::optional<schedule::Dependencies> shorter;
};

/// Why the order of a schedule is too large to be played, as a sentence without capital and full stop; none if it is
/// not, or if the schedule has a closed form.
std::optional<std::string> too_many_tasks(plan::ScheduleKind kind, const schedule::Shape& shape);

/// Threads may share it.
class ScheduleTimings {
public:
    using Known = std::shared_ptr<const ScheduleTiming>;
    /// None if the schedule has no order for that, such as interleaving where the stages do not divide the micro-batches.
    Known of(plan::ScheduleKind kind, const schedule::Shape& shape);

    /// What a stage (from 0) may hold at its peak, by its virtual stages: the heaviest of these. In closed form where the
    /// schedule has one (schedule::Schedule::held), else as its order shows; with no order for the shape, everything.
    std::vector<schedule::Holding> in_flight(plan::ScheduleKind kind, const schedule::Places& places,
                                             std::int64_t stage, std::int64_t microbatches);

private:
    using Key = std::pair<plan::ScheduleKind, schedule::Shape>;
    using Held = std::shared_ptr<const std::vector<std::vector<schedule::Holding>>>;  // by stage
    Held held(plan::ScheduleKind kind, const schedule::Shape& shape);

    std::mutex mutex_;
    std::map<Key, Known> known_;
    std::map<Key, Held> held_;
    std::size_t steps_ = 0;  ///< of all orders kept
};

}  // namespace dodona::step
