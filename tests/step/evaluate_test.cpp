// One plan on a small world: parts add up, memory follows sharding and recomputation, faults are named.
#include "step/evaluate.hpp"

#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/predict.hpp"
#include "step/stages.hpp"

namespace dodona::step {
namespace evaluate_test {

using test::pipelined;
using test::small_cluster;
using test::small_network;
using test::strategy;

plan::Plan data_plan(std::int64_t devices) {
    plan::Plan plan;
    plan.strategy = strategy("data", {"data"});
    plan.mesh = {{"data", devices}};
    plan.batch = 32;
    plan.microbatch = 32 / devices;
    plan.precision = Precision::fp32;
    return plan;
}

plan::Plan pipeline_plan(std::int64_t stages, std::int64_t microbatch) {
    plan::Plan plan = data_plan(1);
    plan.strategy = pipelined();
    plan.mesh = {{"pipeline", stages}};
    plan.microbatch = microbatch;
    return plan;
}

std::string faults_of(const plan::Plan& plan) {
    try {
        predict(small_network(), small_cluster(), plan);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no fault";
}

TEST(Evaluate, ExposedPartsAddUpToTheStep) {
    for (const plan::Plan& plan : {data_plan(4), pipeline_plan(4, 2)}) {
        const Prediction p = predict(small_network(), small_cluster(), plan);
        EXPECT_NEAR(p.time.total().in(unit::second), p.step.value.in(unit::second), 1e-15);
        EXPECT_LE(p.step.lo, p.step.value);
        EXPECT_GE(p.step.hi, p.step.value);
    }
}

TEST(Evaluate, GradientsOfDataParallelismCostOneRingAllReduce) {
    const Prediction p = predict(small_network(), small_cluster(), data_plan(4));
    // 4 layers of 8*8*9 weights and 8 biases in fp32: 2 * 3 * (10 us + 9344 B / 4 / 25 GB/s).
    const double bytes = 4.0 * 4 * (8 * 8 * 9 + 8);
    EXPECT_NEAR(p.time[TimePart::gradients].in(unit::second), 2 * 3 * (10e-6 + bytes / 4 / 25e9), 1e-12);
}

TEST(Evaluate, StatesShardOverTheDataRanks) {
    plan::Plan plan = data_plan(4);
    const Prediction whole = predict(small_network(), small_cluster(), plan);
    plan.shard = plan::ShardLevel::states;
    const Prediction states = predict(small_network(), small_cluster(), plan);
    plan.shard = plan::ShardLevel::parameters;
    const Prediction parameters = predict(small_network(), small_cluster(), plan);
    EXPECT_EQ(states.memory[MemoryPart::optimizer] * 4.0, whole.memory[MemoryPart::optimizer]);
    EXPECT_EQ(states.memory[MemoryPart::weights], whole.memory[MemoryPart::weights]);
    EXPECT_EQ(parameters.memory[MemoryPart::weights] * 4.0, whole.memory[MemoryPart::weights]);
    EXPECT_EQ(parameters.memory[MemoryPart::gradients] * 4.0, whole.memory[MemoryPart::gradients]);
}

TEST(Evaluate, GatheredParametersAreHeldTwoUnitsAtATimeOrAllWhereTheyAreKept) {
    plan::Plan plan = data_plan(4);
    const double none = predict(small_network(), small_cluster(), plan).memory[MemoryPart::buffers].in(1_B);
    plan.shard = plan::ShardLevel::parameters;
    const double passing = predict(small_network(), small_cluster(), plan).memory[MemoryPart::buffers].in(1_B);
    plan.keep_parameters = true;
    const double kept = predict(small_network(), small_cluster(), plan).memory[MemoryPart::buffers].in(1_B);
    // A block has 8*8*9 + 8 parameters of 4 bytes; the network has 4 blocks.
    EXPECT_DOUBLE_EQ(passing - none, 2 * 584 * 4.0);
    EXPECT_DOUBLE_EQ(kept - none, 4 * 584 * 4.0);
}

TEST(Evaluate, BackwardGathersFromTheRanksOfAGatherGroup) {
    // Two nodes of four ranks; 4 blocks of 584 parameters of 4 bytes.
    constexpr double kWeights = 4 * 584 * 4;
    cluster::Cluster cluster = small_cluster();
    cluster.levels = {{.name = "node", .size = 4, .bandwidth = 100_GB_per_s, .latency = 1_us},
                      {.name = "switch", .size = 2, .bandwidth = 10_GB_per_s, .latency = 10_us}};
    plan::Plan plan = data_plan(8);
    plan.shard = plan::ShardLevel::parameters;
    const Prediction whole = predict(small_network(), cluster, plan);
    plan.gather_group = 4;
    const Prediction grouped = predict(small_network(), cluster, plan);
    // An eighth of the weights, and a quarter of their copy.
    EXPECT_DOUBLE_EQ(whole.memory[MemoryPart::weights].in(1_B), kWeights / 8);
    EXPECT_DOUBLE_EQ(grouped.memory[MemoryPart::weights].in(1_B), kWeights / 8 + kWeights / 4);
    // Between nodes the same gather runs once instead of twice; within one, a ring of four passes on three quarters.
    const double within = 3 * (1e-6 + kWeights / 4 / 100e9);
    EXPECT_NEAR(grouped.busy[TimePart::parameters].in(unit::second),
                whole.busy[TimePart::parameters].in(unit::second) / 2 + within, 1e-12);
    EXPECT_EQ(grouped.busy[TimePart::gradients], whole.busy[TimePart::gradients]);
    for (const std::int64_t none : {8, 3, 16}) {
        plan.gather_group = none;
        EXPECT_THROW(static_cast<void>(predict(small_network(), cluster, plan)), InputError) << none;
    }
    plan.gather_group = 4;
    plan.shard = plan::ShardLevel::gradients;
    EXPECT_THROW(static_cast<void>(predict(small_network(), cluster, plan)), InputError);
}

TEST(Evaluate, FullRecomputationKeepsBlockInputsAndRepeatsForward) {
    plan::Plan plan = data_plan(1);
    const Prediction kept = predict(small_network(), small_cluster(), plan);
    plan.recompute = plan::RecomputeKind::full;
    const Prediction recomputed = predict(small_network(), small_cluster(), plan);
    EXPECT_EQ(recomputed.time[TimePart::recompute], recomputed.time[TimePart::forward]);
    // A block keeps its convolution's input and its relu's output, which is the next block's input: with
    // recomputation the inputs of 4 blocks are left of 5 tensors.
    EXPECT_EQ(recomputed.memory[MemoryPart::activations] * 5.0, kept.memory[MemoryPart::activations] * 4.0);
    plan.recompute = plan::RecomputeKind::every;
    plan.recompute_every = 2;
    const Prediction sparse = predict(small_network(), small_cluster(), plan);
    EXPECT_EQ(sparse.memory[MemoryPart::activations] * 2.0, recomputed.memory[MemoryPart::activations]);
    // The last two blocks at once: two tensors instead of the one of the last alone.
    EXPECT_EQ(sparse.memory[MemoryPart::recompute], 2.0 * recomputed.memory[MemoryPart::recompute]);
}

TEST(Evaluate, ReadingSamplesHidesBehindComputeOnlyWithPrefetch) {
    graph::Graph graph = small_network();
    graph.dataset.sample_bytes = 1_MiB;
    cluster::Cluster cluster = small_cluster();
    cluster.storage = cluster::Storage{.bandwidth = 1_GB_per_s, .prefetch = false, .source = "test"};
    const Prediction apart = predict(graph, cluster, data_plan(4));
    // 32 samples of 1 MiB on one node at 1 GB/s.
    const double reading = 32 * 1048576.0 / 1e9;
    EXPECT_NEAR(apart.time[TimePart::input].in(unit::second), reading, 1e-12);
    cluster.storage->prefetch = true;
    const Prediction hidden = predict(graph, cluster, data_plan(4));
    EXPECT_NEAR(hidden.step.value.in(unit::second), reading, 1e-12);
}

TEST(Evaluate, SeveralMicroBatchesAddTheirGradientsUp) {
    // One sample of a wide layer: all that counts is what passes through memory.
    const graph::Graph graph = graph::build(test::network(
        test::tensor({{"feature", 4096}}), {test::layer("wide", "linear", {{"out", std::int64_t{4096}}})}));
    const auto backward = [&graph](std::int64_t batch) {
        plan::Plan plan = data_plan(1);
        plan.batch = batch;
        plan.microbatch = 1;
        return predict(graph, small_cluster(), plan).time[TimePart::backward].in(unit::second);
    };
    // A sum reads what is there already: two passes take more than twice one alone, three half as long again as two.
    EXPECT_GT(backward(2), 2 * backward(1) * (1 + 1e-9));
    EXPECT_NEAR(backward(3) / backward(2), 1.5, 1e-12);
}

TEST(Evaluate, EveryNodeReadsItsShareOfTheSamples) {
    graph::Graph graph = small_network();
    graph.dataset.sample_bytes = 1_MiB;
    cluster::Cluster cluster = small_cluster();
    cluster.levels[0].size = 2;
    cluster.levels.push_back({.name = "system", .size = 4, .bandwidth = 25_GB_per_s, .latency = 10_us});
    cluster.storage = cluster::Storage{.bandwidth = 1_GB_per_s, .prefetch = false, .source = "test"};
    const auto reading = [&](std::int64_t devices) {
        const Prediction p = predict(graph, cluster, data_plan(devices));
        EXPECT_EQ(p.time[TimePart::input], p.busy[TimePart::input]);
        return p.time[TimePart::input].in(unit::second);
    };
    // 32 samples on one node, on two and on four.
    EXPECT_NEAR(reading(1), 32 * 1048576.0 / 1e9, 1e-12);
    EXPECT_NEAR(reading(2), 32 * 1048576.0 / 1e9, 1e-12);
    EXPECT_NEAR(reading(4), 16 * 1048576.0 / 1e9, 1e-12);
    EXPECT_NEAR(reading(8), 8 * 1048576.0 / 1e9, 1e-12);
}

TEST(Evaluate, EqualBlocksAreDealtOutEqually) {
    const Prediction p = predict(small_network(), small_cluster(), pipeline_plan(4, 2));
    ASSERT_EQ(p.stages.size(), 4U);
    for (const StagePrediction& stage : p.stages) {
        EXPECT_EQ(stage.layers, "body");
    }
}

TEST(Evaluate, GivenStagesAreTaken) {
    plan::Plan plan = pipeline_plan(2, 2);
    plan.stages = {1, 3};
    const Prediction p = predict(small_network(), small_cluster(), plan);
    ASSERT_EQ(p.stages.size(), 2U);
    EXPECT_EQ(p.stages[0].layers, "body");
    EXPECT_EQ(p.stages[1].layers, "3 x body");
    EXPECT_EQ(p.critical_stage, 1U);
}

// 16 micro-batches of two directions: each stage runs eight of either of its two parts, and reduces after each with ZeRO-2.
TEST(Evaluate, AStageThatTwoDirectionsPassRunsHalfTheMicroBatchesOfEitherPart) {
    plan::Plan plan = pipeline_plan(2, 1);
    plan.mesh = {{"pipeline", 2}, {"data", 2}};
    plan.shard = plan::ShardLevel::gradients;
    const auto reductions = [](const Prediction& p) {
        double count = 0;
        for (const CommunicationLine& line : p.communication) {
            if (line.subject == CommunicationSubject::weight_gradients &&
                line.collective == cluster::Collective::reduce_scatter) {
                count += line.per_step;
            }
        }
        return count;
    };
    const Prediction one_way = predict(small_network(), small_cluster(), plan);
    plan.schedule = plan::schedule_from("dualpipe").value();
    const Prediction both_ways = predict(small_network(), small_cluster(), plan);
    ASSERT_TRUE(both_ways.runs);
    EXPECT_EQ(one_way.microbatches, 16);
    EXPECT_GE(reductions(one_way), 16);
    EXPECT_EQ(reductions(both_ways), reductions(one_way) / 2);
    EXPECT_NEAR(both_ways.hfu * both_ways.step.value.in(unit::second),
                one_way.hfu * one_way.step.value.in(unit::second),
                1e-9 * one_way.hfu * one_way.step.value.in(unit::second))
        << "as much is executed";
    EXPECT_NEAR(both_ways.time[TimePart::forward] / one_way.time[TimePart::forward], 1, 1e-9);
}

// The first and the last of two stages are neighbours in a node of two; copies of their weights never leave it.
TEST(Evaluate, GradientsOfTwoCopiesTravelFromTheFirstStageToTheLast) {
    plan::Plan plan = pipeline_plan(2, 1);
    plan.mesh = {{"pipeline", 2}, {"data", 2}};
    plan.schedule = plan::schedule_from("dualpipe").value();
    const auto copies = [&](const cluster::Cluster& cluster) {
        Seconds time;
        for (const CommunicationLine& line : predict(small_network(), cluster, plan).communication) {
            time += line.subject == CommunicationSubject::copied_gradients ? line.time : Seconds{};
        }
        return time;
    };
    cluster::Cluster nodes = small_cluster();
    nodes.levels[0].size = 2;
    nodes.levels.push_back({.name = "system", .size = 4, .bandwidth = 0.5_GB_per_s, .latency = 100_us});
    EXPECT_GT(copies(nodes), Seconds{});
    EXPECT_EQ(copies(nodes), copies(small_cluster()));
    plan.mesh = {{"data", 2}, {"pipeline", 2}};
    EXPECT_GT(copies(nodes), 2 * copies(small_cluster())) << "in different nodes";
}

TEST(Evaluate, LinesOfCommunicationTakeWhatTheTraceOfTheirRequestTakes) {
    const cluster::Cluster cluster = small_cluster();
    std::size_t traced = 0;
    for (const plan::ShardLevel level : {plan::ShardLevel::none, plan::ShardLevel::parameters}) {
        plan::Plan plan = pipeline_plan(2, 1);
        plan.mesh = {{"pipeline", 2}, {"data", 2}};
        plan.shard = level;
        for (const CommunicationLine& line : predict(small_network(), cluster, plan).communication) {
            if (line.request) {
                const cost::CollectiveTrace trace = cost::collective_trace(cluster, *line.request, line.forced);
                EXPECT_NEAR(line.time / (line.per_step * trace.time.time.value), 1, 1e-12) << text(line);
                ++traced;
            }
        }
    }
    EXPECT_GE(traced, 4U);
}

// A loss over all pairs of 32 samples is another one over those of 8 at a time.
TEST(Evaluate, SaysOfHowManySamplesALossComparesPairs) {
    using test::layer;
    const graph::Graph pairs = graph::build(
        test::network(test::tensor({{"feature", 16}}), {layer("left", "linear", {{"out", std::int64_t{4}}}, {"x"}),
                                                        layer("right", "linear", {{"out", std::int64_t{4}}}, {"x"}),
                                                        layer("loss", "contrastive_loss", {}, {"left", "right"})}));
    const auto compared = [&](std::int64_t microbatch) {
        plan::Plan plan = data_plan(1);
        plan.microbatch = microbatch;
        std::vector<std::string> lines;
        for (const SourceLine& line : predict(pairs, small_cluster(), plan).provenance) {
            if (line.of == SourceLine::Of::compared) {
                lines.push_back(line.name + ": " + line.source);
            }
        }
        return lines;
    };
    EXPECT_TRUE(compared(32).empty());
    EXPECT_EQ(compared(8), (std::vector<std::string>{"loss: 8 of the batch's 32"}));
    EXPECT_EQ(compared(16), (std::vector<std::string>{"loss: 16 of the batch's 32"}));
}

TEST(Evaluate, MoreStagesThanPiecesIsALimitByName) {
    plan::Plan plan = pipeline_plan(8, 2);
    const Prediction p = predict(small_network(), small_cluster(), plan);
    EXPECT_FALSE(p.fits);
    EXPECT_EQ(text(p.why_not.value()),
              "pipeline <= 4: the network has 4 pieces to cut into 8 stages x 1 virtual stages");
}

TEST(Evaluate, ABatchThatDoesNotDivideIsAFaultWithTheNearestThatDo) {
    plan::Plan plan = data_plan(4);
    plan.batch = 30;
    EXPECT_NE(faults_of(plan).find("batch 30 does not divide by 4 data ranks x micro-batch 8"), std::string::npos);
    EXPECT_NE(faults_of(plan).find("the smallest batch that does: 32"), std::string::npos);
}

TEST(Evaluate, AnAxisThatTheStrategyDoesNotUseIsAFault) {
    plan::Plan plan = data_plan(4);
    plan.mesh.push_back({"tensor", 2});
    EXPECT_NE(faults_of(plan).find("strategy \"data\" does not use an axis \"tensor\""), std::string::npos);
}

TEST(Evaluate, AMeshLargerThanTheMachineIsAFault) {
    EXPECT_NE(faults_of(data_plan(16)).find("the mesh needs 16 devices, small has 8"), std::string::npos);
}

TEST(Evaluate, APrecisionThatTheDeviceLacksIsAFault) {
    plan::Plan plan = data_plan(4);
    plan.precision = Precision::fp8;
    EXPECT_NE(faults_of(plan).find("device has no fp8 matrix units"), std::string::npos);
}

}  // namespace evaluate_test
}  // namespace dodona::step
