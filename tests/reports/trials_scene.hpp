// Studies and placements of tables for tests of reports: times by hand, the rest as it follows.
#pragma once

#include "questions/tables/tables.hpp"
#include "questions/trials/run.hpp"
#include "questions/trials/trials.hpp"

namespace dodona::reports::testing {

/// Three trials of 10, 20 and 50 s on one or two cores, each with everything that may be asked.
inline trials::Question small_study() {
    trials::Question question{.trials = {}, .pool = {1, {.cores = 2}}};
    for (const int seconds : {10, 20, 50}) {
        const auto on = [&](std::int64_t cores, double factor) {
            const Seconds time = factor * seconds * unit::second;
            return trials::Choice{{.cores = cores}, {time, 0.9 * time, 1.2 * time}, trials::TimeSource::observed};
        };
        question.trials.push_back({{{"epochs", std::to_string(seconds)}}, {on(1, 1), on(2, 0.6)}});
    }
    question.stopping = trials::EarlyStopping{.kind = trials::Stopping::hyperband, .rungs = 2, .draws = 5};
    question.failures = trials::Failures{.mtbf = 100 * unit::second, .tries = 2, .draws = 5};
    question.rent = trials::Rent{3.6 * unit::money / unit::hour, "USD"};
    return question;
}

inline Document small_document(const trials::Question& study) {
    return questions::trials::document(questions::trials::ask({"small", study}));
}

/// A run of it on two nodes: the first trial finished, the second failed twice, the third was on a node that was lost.
inline runner::StudyRun small_run() {
    return {.trials = {{{"epochs", "10"}}, {{"epochs", "20"}}, {{"epochs", "50, all"}}},
            .jobs = std::vector<trials::Job>(3, {{}, {.cores = 1}}),
            .pool = {2, {.cores = 1}},
            .nodes = {"one", "two"},
            .folder = "out"};
}

inline runner::StudyDone small_done() {
    using runner::State;
    const auto attempt = [](std::size_t trial, int number, std::int64_t node, double from, double to, State state,
                            int status) {
        return runner::Attempt{.trial = trial,
                               .number = number,
                               .place = {.node = node},
                               .start = from * unit::second,
                               .end = to * unit::second,
                               .state = state,
                               .status = status};
    };
    runner::StudyDone done{
        .attempts = {attempt(0, 1, 0, 0, 11, State::finished, 0), attempt(1, 1, 1, 0, 2, State::failed, 1),
                     attempt(1, 2, 1, 2, 5, State::failed, 137), attempt(2, 1, 1, 5, 6, State::node_lost, 255),
                     attempt(2, 2, 1, 6, 7, State::node_lost, 255)},
        .tries_of = {1, 2, 0},
        .finished = 1,
        .failed = {1},
        .lost = {"two"},
        .makespan = 11 * unit::second,
        .stopped = "interrupted"};
    return done;
}

/// With what was predicted, or without.
inline Document run_document(bool predicted) {
    questions::trials::RunAnswer answer{"small", small_run(), small_done(), {}};
    if (predicted) {
        answer.prediction = trials::predict(small_study());
    }
    return questions::trials::document(answer);
}

/// Two tables, one of them in four parts, on two GPUs with a host.
inline tables::StepPrediction placed_tables() {
    tables::StepPrediction answer;
    answer.question = {.tables = {{"wide", 1000, 64, 10}, {"long", 1e6, 16, 1}},
                       .format = {},
                       .tiers = {{.name = "device", .room = 200'000_B, .rate = 100_GB_per_s},
                                 {.name = "host", .room = 1_GB, .rate = 10_GB_per_s}},
                       .devices = 2,
                       .samples = 1024,
                       .cache_rate = 100_GB_per_s};
    answer.placement = tables::place(answer.question);
    answer.times = {answer.placement.longest, 20_us, 300_us, 30_us};
    answer.held = answer.weights = 64'256'000_B;
    answer.lookups = 2'686'976_B;
    answer.parameters = 16'064'000;
    answer.dense_parameters = 2e6;
    return answer;
}

/// The same where nothing has room.
inline tables::StepPrediction homeless_tables() {
    tables::StepPrediction answer = placed_tables();
    answer.question.tiers.pop_back();
    answer.placement = tables::place(answer.question);
    answer.times = {};
    return answer;
}

inline Document placed_document(const tables::StepPrediction& prediction) {
    return questions::tables::document(
        {.subject = {"net", "box"}, .devices = 2, .batch = 1024, .prediction = prediction, .fabrics = {}});
}

}  // namespace dodona::reports::testing
