// A step on two stages with two micro-batches, played, for tests of reports.
#pragma once

#include "play/noise_study.hpp"
#include "play/noisy_steps.hpp"
#include "play/simulated_step.hpp"
#include "questions/simulate/simulate.hpp"
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
    step.costs.positions = {{.forward = second, .backward = 2.0 * second, .kept = 2_GiB},
                            {.forward = second, .backward = 2.0 * second, .receive = 0.25 * second, .kept = 3_GiB}};
    step.costs.memory = {
        {.predicted = {14_GiB, 15_GiB, 16_GiB}, .limit = 32_GiB, .always = 10_GiB, .unusable = 0.25},
        {.predicted = {14_GiB, 14_GiB, 15_GiB}, .limit = 16_GiB, .always = 10_GiB, .recompute_peak = 1_GiB}};
    step.costs.tails = {{.optimizer = second}, {.optimizer = second}};
    step.steps = play::step_tasks(schedule::order_of(*schedule::find_schedule("1f1b"), {2, 2, 1}), step.costs);
    step.timeline = simulate::play(step.steps.graph);
    step.critical_path = simulate::critical_path(step.steps.graph, step.timeline);
    step.stages = play::stage_uses(step.steps, step.timeline);
    step.memory = play::memory_uses(step.steps, step.timeline, step.costs);
    step.parts = {
        .passes = {10.0 * second, 9.0 * second}, .transfers = {second, 0.5 * second}, .tail = {second, second}};
    step.other_order = "zb-h1";
    step.in_flight = 2;
    step.in_flight_of_plan = 2;
    return step;
}

/// 10 steps of four such pipelines on eight nodes, of which the last two were not played any more.
inline play::NoisySteps noisy() {
    play::NoisySteps noisy{
        .settings = {.sources = {{.on = simulate::NoiseOn::compute, .deviation = 0.1, .burst = 2_s, .silence = 2_s},
                                 {.on = simulate::NoiseOn::start,
                                  .by = simulate::NoiseBy::rank,
                                  .every = simulate::NoiseEvery::run,
                                  .distribution = simulate::NoiseShape::exponential,
                                  .mean = 1,
                                  .probability = 0.25,
                                  .late = 0.1_s}},
                     .steps = 10,
                     .seed = 7},
        .without = 11_s,
        .steps = {12_s, 11_s, 13_s, 12_s, 12_s, 11_s, 14_s, 12_s},
        .played = 4};
    noisy.layout = {.stages = 2, .replicas = 4, .node_size = 2, .groups = {{0, 1}, {2, 3}, {4, 5}, {6, 7}}};
    for (const std::vector<std::int64_t>& group : std::vector(noisy.layout.groups)) {
        noisy.layout.groups.push_back({group[0] + 8, group[1] + 8});
    }
    noisy.scales = {{1, 4, play::statistics({11_s, 11_s, 12_s})},
                    {2, 8, play::statistics({11_s, 12_s, 12_s})},
                    {4, 16, noisy.all()}};
    noisy.alone = {{simulate::NoiseOn::compute, play::statistics({11_s, 12_s})},
                   {simulate::NoiseOn::start, play::statistics({12_s, 12_s})}};
    return noisy;
}

inline play::NoiseStudy study() {
    return {.without = 11_s,
            .loads = {{simulate::NoiseOn::network, play::statistics({12_s, 13_s}), 0.996},
                      {simulate::NoiseOn::storage, play::statistics({11_s, 11_s}), 0}},
            .lent = play::LentCores{.cores = 64, .decoding = 14.2, .ranks = 4, .lendable = 41}};
}

inline Document simulate_document(const play::SimulatedStep& step = simulated(),
                                  const std::optional<play::NoisySteps>& noisy = {},
                                  const std::optional<play::NoiseStudy>& loads = {}) {
    return questions::simulate::document({{"gpt3-175b", "selene"}, step, noisy, loads});
}

}  // namespace dodona::reports::testing
