// A step on two stages with two micro-batches, played, for tests of reports.
#pragma once

#include "play/simulated_step.hpp"
#include "scene.hpp"
#include "schedule/schedule.hpp"
#include "simulate/play.hpp"

namespace dodona::reports::testing {

/// The prediction of `pipelined` with other costs: forward 1 s, backward 2 s, transfers of 0.25 s beside compute.
inline play::SimulatedStep simulated() {
    play::SimulatedStep step{.prediction = pipelined()};
    step.prediction.stages.resize(2);
    step.prediction.stages[1].layers = "6 x layers, \"head\"";
    step.costs.microbatches = 2;
    step.costs.transfers_overlap = true;
    step.costs.outside = Seconds::of_base(0.5);
    const Seconds second = Seconds::of_base(1);
    step.costs.positions = {{.forward = second, .backward = 2.0 * second},
                            {.forward = second, .backward = 2.0 * second, .receive = 0.25 * second}};
    step.costs.tails = {{.optimizer = second}, {.optimizer = second}};
    step.steps = play::step_tasks(schedule::order_of(*schedule::find_schedule("1f1b"), {2, 2, 1}), step.costs);
    step.timeline = simulate::play(step.steps.graph);
    step.critical_path = simulate::critical_path(step.steps.graph, step.timeline);
    step.stages = play::stage_uses(step.steps, step.timeline);
    step.parts = {
        .passes = {10.0 * second, 9.0 * second}, .transfers = {second, 0.5 * second}, .tail = {second, second}};
    step.other_order = "zb-h1";
    step.in_flight = 2;
    step.in_flight_of_plan = 2;
    return step;
}

}  // namespace dodona::reports::testing
