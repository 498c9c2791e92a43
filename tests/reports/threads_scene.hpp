// A chain of two operators and two chains beside it on four cores, for reports.
#pragma once

#include "questions/threads/threads.hpp"

namespace dodona::reports::testing {

inline const cluster::Device& four_cores() {
    static const cluster::Device device{
        .name = "quad", .memory = 1_GiB, .memory_bandwidth = 40_GB_per_s, .multiprocessors = 4, .launch = 8_us};
    return device;
}

inline questions::threads::Question threads_question() {
    const threads::KnownCosts known{.fork = 4_us, .change = 2_us};
    return {.subject = {"net", "box"},
            .device = four_cores(),
            .batch = 1,
            .weights = 300_MiB,
            .costs = threads::thread_costs(four_cores(), 4, known),
            .known = known};
}

inline Document threads_prediction() {
    questions::threads::Question question = threads_question();
    question.operators.kinds = {{"layer", {}}};
    question.operators.operators = {{0, {}}, {0, {0}}, {0, {1}}, {0, {1}}, {0, {2}}, {0, {3}}};
    question.works = {{.kernels = {{.compute = 10_us, .moved = 1000_B}}, .evidence = Evidence::fitted}};
    return questions::threads::document(questions::threads::ask(std::move(question)));
}

inline Document threads_too_large() {
    questions::threads::Question question = threads_question();
    question.weights = 3_GiB;
    return questions::threads::document(questions::threads::ask(std::move(question)));
}

}  // namespace dodona::reports::testing
