// How alike the errors of two runs are.
#include "step/likeness.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/uncertainty.hpp"

namespace dodona::step {
namespace likeness_test {

using test::small_network;
using test::strategy;

plan::Plan data_parallel(std::int64_t devices, std::int64_t batch) {
    plan::Plan plan;
    plan.strategy = strategy("data", {"data"});
    plan.mesh = {{"data", devices}};
    plan.batch = batch;
    plan.precision = Precision::fp32;
    return plan;
}

TEST(Likeness, IsOneForEqualJobsAndFallsWithEveryDifference) {
    const graph::Graph network = small_network();
    const RunKind one = run_kind(network, data_parallel(4, 64));
    EXPECT_EQ(job_correlation(one, one), 1);
    const Likeness likeness;
    // Twice as many devices at the same batch: half as many samples on each.
    EXPECT_NEAR(job_correlation(one, run_kind(network, data_parallel(8, 64))),
                std::exp(-likeness.doubled_devices - likeness.doubled_samples), 1e-12);
    EXPECT_NEAR(job_correlation(one, run_kind(network, data_parallel(4, 256))), std::exp(-2 * likeness.doubled_samples),
                1e-12);
    EXPECT_NEAR(job_correlation(one, run_kind(network, data_parallel(1, 16))),
                std::exp(-2 * likeness.doubled_devices - likeness.one_device), 1e-12);
    plan::Plan half = data_parallel(4, 64);
    half.precision = Precision::bf16;
    EXPECT_NEAR(job_correlation(one, run_kind(network, half)), std::exp(-likeness.other_precision), 1e-12);
    graph::Graph other = network;
    other.name = "another";
    EXPECT_NEAR(job_correlation(one, run_kind(other, data_parallel(4, 64))), std::exp(-likeness.other_network), 1e-12);
}

TEST(Likeness, RunsOfOneLayoutShareMoreThanThoseOfTwo) {
    const graph::Graph network = small_network();
    const RunKind one = run_kind(network, data_parallel(4, 64));
    EXPECT_DOUBLE_EQ(run_correlation(one, run_kind(network, data_parallel(4, 64))), 1 - kRunPart);
    plan::Plan sharded = data_parallel(4, 64);
    sharded.shard = plan::ShardLevel::parameters;
    EXPECT_DOUBLE_EQ(run_correlation(one, run_kind(network, sharded)), 1 - kLayoutPart);
    plan::Plan wide = data_parallel(8, 128);
    EXPECT_EQ(run_kind(network, wide).layout, one.layout) << "replicas are divided alike";
    RunKind named = one;
    named.id = "7";
    EXPECT_EQ(run_correlation(named, named), 1) << "the very run";
    EXPECT_LT(run_correlation(named, one), 1);
}

TEST(Likeness, TellsANetworkFromOneOfItsNameAndAnotherSize) {
    const graph::Graph network = small_network();
    graph::Graph frozen = network;
    for (graph::Layer& layer : frozen.layers) {
        layer.frozen = true;
    }
    EXPECT_NE(job_kind(network, Precision::bf16, 8, 1).network, job_kind(frozen, Precision::bf16, 8, 1).network);
    EXPECT_TRUE(job_kind(network, Precision::bf16, 8, 1).layout.empty()) << "any layout";
}

}  // namespace likeness_test
}  // namespace dodona::step
