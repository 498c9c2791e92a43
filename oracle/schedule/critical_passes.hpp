// Which tasks and transfers the end of a played order had to wait for.
#pragma once

#include "schedule/play.hpp"

namespace dodona::schedule {

/// Calls `on_task(step)` for each task on the critical path and `on_transfer(boundary, end)` for each transfer with its
/// end, from the end of the last task back to 0: their durations add up to the makespan. Of several paths, the one that
/// stays on a stage. Domain: an order without pairs that run together, played into `played` with these durations.
template <class Number, class OnTask, class OnTransfer>
void for_each_critical(const Dependencies& dependencies, const Durations<Number>& durations,
                       const Played<Number>& played, OnTask on_task, OnTransfer on_transfer) {
    std::vector<const Step*> steps(dependencies.steps.size());
    const Step* step = nullptr;
    for (const Step& each : dependencies.steps) {
        const auto task = static_cast<std::size_t>(each.task);
        steps[task] = &each;
        if (step == nullptr || played.end[static_cast<std::size_t>(step->task)] < played.end[task]) {
            step = &each;
        }
    }
    while (step != nullptr) {
        on_task(*step);
        const auto task = static_cast<std::size_t>(step->task);
        const Step* const before = task > 0 && steps[task - 1]->stage == step->stage ? steps[task - 1] : nullptr;
        const Step* const producer = step->producer >= 0 ? steps[static_cast<std::size_t>(step->producer)] : nullptr;
        const bool transferred = step->receipt >= 0 && !detail::transfers_of(durations, *step).empty();
        if (transferred && durations.blocking) {
            on_transfer(step->receipt, played.start[task]);
        }
        const Number free = before != nullptr ? played.end[static_cast<std::size_t>(before->task)] : Number{};
        if (producer == nullptr || !(free < played.arrival[static_cast<std::size_t>(producer->task)])) {
            step = before;
            continue;
        }
        step = producer;
        if (!transferred || durations.blocking) {
            continue;
        }
        // A transfer waits for its task or for the stream, which the transfer of an earlier task occupies.
        while (true) {
            const auto sender = static_cast<std::size_t>(step->task);
            const Number& arrival = played.arrival[sender];
            on_transfer(step->transfer, arrival);
            const Number begin =
                arrival - detail::transfers_of(durations, *step)[static_cast<std::size_t>(step->transfer)];
            const Step* earlier = nullptr;
            for (std::size_t i = sender; earlier == nullptr && i-- > 0 && steps[i]->stage == step->stage;) {
                if (steps[i]->transfer >= 0 && steps[i]->is_backward == step->is_backward) {
                    earlier = steps[i];
                }
            }
            if (earlier == nullptr || !(played.end[sender] < begin)) {
                break;
            }
            step = earlier;
        }
    }
}

}  // namespace dodona::schedule
