// A run on 1,024 GPUs with a failure a day, for tests of reports: all numbers by hand but those of formulas.
#pragma once

#include "reliability/goodput.hpp"
#include "scene.hpp"

namespace dodona::reports::testing {

inline reliability::IntervalChoice interval_choice(reliability::IntervalRule rule, double steps,
                                                   const reliability::Goodput& answer) {
    const Seconds interval = steps * answer.prediction.step.value;
    return {
        .rule = rule,
        .steps = steps,
        .interval = interval,
        .closed_form = reliability::expected_interval(answer.conditions, interval).goodput(),
        .simulated = {
            .mean =
                {.training = 90_s, .checkpoints = 4_s, .lost = 3_s, .restarts = 2_s, .waiting = 1_s, .failures = 2.5},
            .goodput = 0.9,
            .low = 0.89,
            .high = 0.91}};
}

inline reliability::Goodput failing_run() {
    using reliability::FailureUnit;
    using reliability::IntervalRule;
    reliability::Goodput answer{.prediction = pipelined()};
    answer.question.checkpoint.format = cluster::CheckpointFormat::safetensors;
    answer.question.components = {{"gpu", FailureUnit::device, 2048 * unit::day, true},
                                  {"software", FailureUnit::job, 2 * unit::day, false}};
    answer.question.failure_source = "made up";
    answer.question.spares = reliability::Spares{2, 3 * unit::day};
    answer.question.price = cluster::Price{.device = unit::money / unit::hour, .currency = "USD", .source = ""};
    answer.question.samples = 1e9;
    answer.question.assumptions = {"a GPU copies to the host at 15.8 GB/s"};
    answer.job = {1024, 128};
    answer.tensors = 2000_GB;
    answer.tensor_count = 1200;
    answer.size = 2001_GB;
    answer.host_needed = 15_GB;
    answer.host_memory = 1000_GB;
    answer.times = {.copy = 1_s, .encode = {}, .write = 299_s, .read = 100_s, .decode = {}, .copy_back = 1_s};
    answer.conditions = {.mtbf = unit::day, .pause = 300_s, .background = {}, .restart = 600_s};
    answer.training = 20 * unit::day;
    answer.choices = {interval_choice(IntervalRule::asked, 360, answer),
                      interval_choice(IntervalRule::best, 700, answer)};
    answer.expected = reliability::expected_interval(answer.conditions, answer.chosen().interval);
    answer.checkpoint_share_of_epoch = 300.0 / 3600;
    answer.run = reliability::RunCost{.time = {22 * unit::day, 20 * unit::day, 27 * unit::day},
                                      .device_time = 1040 * 22 * unit::day,
                                      .money = 549'120 * unit::money,
                                      .energy = 270 * unit::megawatt_hour};
    answer.spares_needed = 5;
    return answer;
}

/// The same where failures come every second.
inline reliability::Goodput hopeless_run() {
    reliability::Goodput answer = failing_run();
    answer.conditions.mtbf = 1_s;
    answer.choices.resize(1);
    answer.choices.front().simulated = {};
    answer.choices.front().closed_form = 0;
    answer.plays = false;
    answer.expected = reliability::expected_interval(answer.conditions, answer.chosen().interval);
    answer.run.reset();
    answer.question.spares.reset();
    answer.spares_needed.reset();
    return answer;
}

}  // namespace dodona::reports::testing
