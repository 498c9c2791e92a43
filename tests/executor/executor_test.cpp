// Operators that really run on workers with arenas: in what order, and that an LSTM computes the same with any setting.
#include <atomic>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "graph/kernel.hpp"
#include "lab/executor/emulated.hpp"
#include "lab/executor/executor.hpp"
#include "lab/executor/lstm.hpp"

namespace dodona::calibrate {
namespace executor_test {

constexpr int kLayers = 3;
constexpr int kSteps = 5;

/// Cells of three layers and five steps in one direction, as threads/operator_graph.cpp writes them.
threads::OperatorGraph cells() {
    graph::Kernel step = graph::matmul(2, 4 * 8, 8);
    step.kind = graph::KernelKind::recurrent;
    threads::OperatorGraph graph;
    graph.kinds = {{"lstm", {graph::matmul(2, 4 * 8, 6), step}}, {"lstm", {graph::matmul(2, 4 * 8, 8), step}}};
    for (std::size_t cell = 0; cell < std::size_t{kLayers} * kSteps; ++cell) {
        std::vector<std::size_t> after;
        if (cell % kSteps > 0) {
            after.push_back(cell - 1);
        }
        if (cell >= kSteps) {
            after.push_back(cell - kSteps);
        }
        graph.operators.push_back({cell < kSteps ? std::size_t{0} : std::size_t{1}, after});
    }
    return graph;
}

std::vector<std::size_t> numbers(const threads::OperatorGraph& graph) {
    std::vector<std::size_t> order(graph.operators.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

Eigen::MatrixXf result_of(const threads::OperatorGraph& graph, const std::vector<RunSection>& sections) {
    Lstm lstm(lstm_shape(graph), 7);
    run_passes(
        graph, numbers(graph), sections,
        [&](std::size_t cell, std::int64_t part, std::int64_t parts) { lstm.run_part(cell, part, parts); }, 2);
    return lstm.result();
}

TEST(Executor, ComputesTheSameWithEverySetting) {
    const threads::OperatorGraph graph = cells();
    const Eigen::MatrixXf alone = result_of(graph, {{{0, 15}, {1, 1}}});
    EXPECT_GT(alone.norm(), 0.001);
    for (std::int64_t workers = 1; workers <= 3; ++workers) {
        for (std::int64_t threads = 1; threads <= 3; ++threads) {
            const Eigen::MatrixXf found = result_of(graph, {{{0, 15}, {workers, threads}}});
            EXPECT_LT((found - alone).norm(), 1e-5) << workers << " workers of " << threads;
        }
    }
    const Eigen::MatrixXf sections = result_of(graph, {{{0, 5}, {1, 2}}, {{5, 15}, {2, 1}}});
    EXPECT_LT((sections - alone).norm(), 1e-5);
}

TEST(Executor, RunsEveryPartOnceAndAfterWhatItWaitsFor) {
    const threads::OperatorGraph graph = cells();
    std::vector<std::atomic<int>> parts_run(graph.operators.size());
    std::atomic<int> too_early{0};
    constexpr int kPasses = 4;
    const RunPart run = [&](std::size_t number, std::int64_t /*part*/, std::int64_t parts) {
        const int pass = parts_run[number] / static_cast<int>(parts);
        for (const std::size_t before : graph.operators[number].after) {
            too_early += parts_run[before] < (pass + 1) * static_cast<int>(parts) ? 1 : 0;
        }
        ++parts_run[number];
    };
    const auto times = run_passes(graph, numbers(graph), {{{0, 15}, {3, 2}}}, run, kPasses);
    EXPECT_EQ(times.size(), std::size_t{kPasses});
    EXPECT_EQ(too_early, 0);
    for (const std::atomic<int>& count : parts_run) {
        EXPECT_EQ(count, 2 * (kPasses + 1)) << "two parts of each pass, and of the one before";
    }
}

/// Cells of 1 ms that sleep 20 ms: 15 one after the other, 7 diagonals of up to three side by side.
TEST(Executor, EmulatesMoreCoresThanThereAre) {
    const threads::OperatorGraph graph = cells();
    const std::vector<threads::OperatorWork> works(2, {.kernels = {{.alone = true, .compute = 62.5_us}}});
    const threads::ThreadCosts costs{.cores = 16, .of_core = 1_GB_per_s, .of_all = 16_GB_per_s};
    EmulatedOperators sleeping(graph, works, costs, 20);
    const RunPart run = [&](std::size_t number, std::int64_t part, std::int64_t parts) {
        if (part == 0) {
            sleeping.run(number, parts);
        }
    };
    const auto time = [&](std::int64_t workers) {
        return run_passes(graph, numbers(graph), {{{0, 15}, {workers, 1}}}, run, 1).front().in(unit::second);
    };
    const double one = time(1);
    const double three = time(3);
    EXPECT_GE(one, 15 * 20e-3);
    EXPECT_GE(three, 7 * 20e-3);
    EXPECT_LT(three, 0.75 * one);
}

TEST(Executor, KnowsTheShapeOfAnLstmAndRefusesOthers) {
    threads::OperatorGraph graph = cells();
    const LstmShape shape = lstm_shape(graph);
    EXPECT_EQ(shape.layers, kLayers);
    EXPECT_EQ(shape.steps, kSteps);
    EXPECT_EQ(shape.inputs, 6);
    EXPECT_EQ(shape.hidden, 8);
    EXPECT_EQ(shape.samples, 2);
    graph.operators.back().after.pop_back();
    EXPECT_THROW(lstm_shape(graph), InputError) << "a cell that does not read the layer below";
    threads::OperatorGraph plain = cells();
    plain.kinds[0].kernels.pop_back();
    EXPECT_THROW(lstm_shape(plain), InputError) << "no recurrence";
}

}  // namespace executor_test
}  // namespace dodona::calibrate
