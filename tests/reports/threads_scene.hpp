// A chain of two operators and two chains beside it on four cores, for reports.
#pragma once

#include <optional>

#include "reports/collect/threads_report.hpp"

namespace dodona::reports::testing {

inline const cluster::Device& four_cores() {
    static const cluster::Device device{
        .name = "quad", .memory = 1_GiB, .memory_bandwidth = 40_GB_per_s, .multiprocessors = 4, .launch = 8_us};
    return device;
}

inline ThreadsQuestion threads_question() {
    const threads::KnownCosts known{.fork = 4_us, .change = 2_us};
    return {.device = four_cores(),
            .batch = 1,
            .weights = 300_MiB,
            .costs = threads::thread_costs(four_cores(), 4, known),
            .known = known};
}

inline Document threads_forecast() {
    threads::OperatorGraph graph;
    graph.kinds = {{"layer", {}}};
    graph.operators = {{0, {}}, {0, {0}}, {0, {1}}, {0, {1}}, {0, {2}}, {0, {3}}};
    const std::vector<threads::OperatorWork> works{
        {.kernels = {{.compute = 10_us, .moved = 1000_B}}, .evidence = Evidence::fitted}};
    ThreadsQuestion question = threads_question();
    question.evidence = threads::weakest(works);
    return threads_document({"net", "box"}, question, threads::forecast(graph, works, question.costs));
}

inline Document threads_too_large() {
    ThreadsQuestion question = threads_question();
    question.weights = 3_GiB;
    return threads_document({"net", "box"}, question, std::nullopt);
}

}  // namespace dodona::reports::testing
