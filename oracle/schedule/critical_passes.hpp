// Which tasks and transfers the end of a played order had to wait for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "schedule/play.hpp"

namespace dodona::schedule {

namespace detail {

/// The steps of a played order by their tasks, and what each stage did before and after.
class PlayedSteps {
public:
    explicit PlayedSteps(const Dependencies& dependencies) : order_(dependencies) {}

    [[nodiscard]] const Step* of(std::int32_t task) const {
        return &order_.steps[static_cast<std::size_t>(order_.by_task[static_cast<std::size_t>(task)])];
    }
    /// On its stage; null: it is the first.
    [[nodiscard]] const Step* before(const Step& step) const {
        const Step* const found = step.task > 0 ? of(step.task - 1) : nullptr;
        return found != nullptr && found->stage == step.stage ? found : nullptr;
    }
    /// The step itself, or the forward pass that it runs together with.
    [[nodiscard]] const Step& first_of_pair(const Step& step) const {
        const Step* const found = before(step);
        return found != nullptr && found->overlaps_next ? *found : step;
    }
    /// The last task of the stage before `task` whose result crosses a boundary in the same direction.
    [[nodiscard]] const Step* sends_before(const Step& step) const {
        for (const Step* earlier = before(step); earlier != nullptr; earlier = before(*earlier)) {
            if (earlier->transfer >= 0 && earlier->is_backward == step.is_backward) {
                return earlier;
            }
        }
        return nullptr;
    }

private:
    const Dependencies& order_;
};

}  // namespace detail

/// Calls `on_task(step)` for each task on the critical path, for two that run together with the first, and
/// `on_transfer(boundary)` for each transfer, from the start of the task `until` back to 0, or without one from the end
/// of the last task: their durations add up to that time. Of several paths, the one that stays on a stage. Domain: an
/// order that was played into `played` with these durations.
template <class Number, class OnTask, class OnTransfer>
void for_each_critical(const Dependencies& dependencies, const Durations<Number>& durations,
                       const Played<Number>& played, std::optional<std::int32_t> until, OnTask on_task,
                       OnTransfer on_transfer) {
    const detail::PlayedSteps steps(dependencies);
    const auto end_of = [&](const Step& step) { return played.end[static_cast<std::size_t>(step.task)]; };
    const auto arrival_of = [&](const Step& step) { return played.arrival[static_cast<std::size_t>(step.task)]; };
    const auto is_transferred = [&](const Step& step) {
        return step.receipt >= 0 && !detail::transfers_of(durations, step).empty();
    };
    const Step* step = until ? steps.of(*until) : nullptr;
    for (const Step& each : dependencies.steps) {
        step = !until && (step == nullptr || end_of(*step) < end_of(each)) ? &each : step;
    }
    bool is_on_path = !until;
    while (step != nullptr) {
        const Step& first = steps.first_of_pair(*step);
        if (is_on_path) {
            on_task(first);
        }
        is_on_path = true;
        const Step* const before = steps.before(first);
        // When the stage could begin to receive what each part waits for.
        std::array<const Step*, 2> parts{&first, first.overlaps_next ? steps.of(first.task + 1) : nullptr};
        std::array<Number, 2> free{};
        Number ready = before != nullptr ? end_of(*before) : Number{};
        for (std::size_t i = 0; i < parts.size() && parts[i] != nullptr; ++i) {
            free[i] = ready;
            if (parts[i]->producer >= 0) {
                ready = detail::later(ready, arrival_of(*steps.of(parts[i]->producer)));
                if (is_transferred(*parts[i]) && durations.blocking) {
                    ready =
                        ready + detail::transfers_of(durations, *parts[i])[static_cast<std::size_t>(parts[i]->receipt)];
                }
            }
        }
        const Step* next = before;
        bool was_sent = false;
        for (std::size_t i = parts.size(); i-- > 0;) {
            if (parts[i] == nullptr || parts[i]->producer < 0) {
                continue;
            }
            const bool transferred = is_transferred(*parts[i]);
            if (transferred && durations.blocking) {
                on_transfer(parts[i]->receipt);
            }
            const Step* const producer = steps.of(parts[i]->producer);
            if (free[i] < arrival_of(*producer)) {
                next = producer;
                was_sent = transferred && !durations.blocking;
                break;
            }
        }
        step = next;
        // A transfer waits for its task or for the stream, which the transfer of an earlier task occupies.
        for (const Step* sent = was_sent ? next : nullptr; sent != nullptr;) {
            step = sent;
            on_transfer(step->transfer);
            const Step* const earlier = steps.sends_before(*step);
            sent = earlier != nullptr && end_of(*step) < arrival_of(*earlier) ? earlier : nullptr;
        }
    }
}

}  // namespace dodona::schedule
