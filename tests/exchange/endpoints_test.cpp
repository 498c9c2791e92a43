// Cores that only send and receive: what they cost compute and give exchanges, by hand, and how many are chosen.
#include "exchange/endpoints.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/diagnostic.hpp"
#include "exchange/delays.hpp"
#include "exchange/replica_exchange.hpp"

namespace dodona::exchange::testing {
namespace endpoints_test {

/// Two devices, each alone on a node with a link of 10 GB/s, exchange 100 MB after 100 ms of compute.
struct Scene {
    cluster::Cluster cluster;
    Replicas replicas{.group = {{{1, 2}}}, .ranks = 2, .work = {.compute = 0.1_s}, .step = {}};

    explicit Scene(int cores) {
        cluster.device.name = "small";
        cluster.device.multiprocessors = cores;
        cluster.device.memory_bandwidth = BytesPerSecond::of_base(1e15);
        cluster.levels = {{.name = "node", .size = 1, .bandwidth = 10_GB_per_s},
                          {.name = "system", .size = 2, .bandwidth = 10_GB_per_s}};
        replicas.work.gradients = {25e6, Bytes::of_base(100e6)};
    }
    [[nodiscard]] ReplicaExchange made(std::optional<Endpoints> endpoints,
                                       Pattern pattern = Pattern::all_reduce) const {
        Exchange exchange{.name = "mine", .pattern = pattern, .overlap = false};
        exchange.endpoints = endpoints;
        return replica_exchange(exchange, cluster, replicas, 1);
    }
};

// Of five cores one computes 100 ms in 125 ms and sends 100 MB at 1 GB/s in 100 ms: 225 ms. Two: 166.7 and 50, 216.7 ms.
// Three: 250 and 33.3, 283.3 ms.
TEST(Endpoints, TakeComputeAndGiveARate) {
    const Scene scene(5);
    const auto step = [&](std::int64_t cores) {
        return scene.made(Endpoints{.rate = 1_GB_per_s, .cores = cores}).cost.step.in(1_s);
    };
    EXPECT_NEAR(step(1), 0.225, 1e-9);
    EXPECT_NEAR(step(2), 0.1 * 5 / 3 + 0.05, 1e-9);
    EXPECT_NEAR(step(3), 0.25 + 0.1 / 3, 1e-9);
}

TEST(Endpoints, AreAsManyAsMakeTheStepShortest) {
    const ReplicaExchange made = Scene(5).made(Endpoints{.rate = 1_GB_per_s});
    EXPECT_EQ(made.endpoints, 2);
    EXPECT_NEAR(made.cost.compute.in(1_s), 0.1 * 5 / 3, 1e-9);
    EXPECT_EQ(Scene(5).made(Endpoints{.rate = 1_GB_per_s, .cores = {}, .most = 1}).endpoints, 1);
    EXPECT_EQ(Scene(5).made({}).endpoints, std::nullopt);
}

TEST(Endpoints, OfEqualNumbersTheFewestAreTaken) {
    Scene scene(5);
    scene.replicas.work.compute = {};
    EXPECT_EQ(scene.made(Endpoints{.rate = 20_GB_per_s}).endpoints, 1) << "the link is slower than one";
}

TEST(Endpoints, LimitReduceScatterAndAllGatherToo) {
    const Scene scene(1000);
    const Endpoints one{.rate = 1_GB_per_s, .cores = 1};
    EXPECT_NEAR(scene.made(one, Pattern::sharded_update).cost.one.in(1_s), 0.1, 1e-6);
    EXPECT_LT(scene.made({}, Pattern::sharded_update).cost.one.in(1_s), 0.02);
}

TEST(Endpoints, StretchLayersAsTheyStretchTheStep) {
    const CoreSplit split{.cores = 40, .endpoints = 4};
    const ReplicaWork work =
        work_beside(split, {.layers = {{.forward = 9_us, .backward = 18_us}}, .compute = 90_us, .gradients = {}});
    EXPECT_NEAR(work.layers[0].forward / 10_us, 1, 1e-12);
    EXPECT_NEAR(work.layers[0].backward / 20_us, 1, 1e-12);
    EXPECT_NEAR(work.compute / 100_us, 1, 1e-12);
}

TEST(Endpoints, LimitEveryWireOfAWorker) {
    Network network = network_of(EqualWorkers{8, {{}, 10_GB_per_s}, 1_GB_per_s, 1_GB_per_s});
    network.workers.per_node = 4;
    network.workers.inside = {{}, 50_GB_per_s};
    network.workers.near = 50_GB_per_s;
    const Workers limited = network_with({.cores = 8, .endpoints = 2}, 1_GB_per_s, network).workers;
    EXPECT_EQ(limited.inside.bandwidth, 2_GB_per_s);
    EXPECT_EQ(limited.near, 2_GB_per_s);
    EXPECT_EQ(limited.far, 2_GB_per_s);
    EXPECT_EQ(limited.between.bandwidth, 8_GB_per_s) << "of four workers";
}

RC_GTEST_PROP(Endpoints, AreNeverQuickerThanNoneAndNeverSlowerThanAnyOtherNumber, ()) {
    const Scene scene(*rc::gen::inRange(2, 40));
    const auto tenths = *rc::gen::inRange(1, 200);
    const BytesPerSecond rate = tenths * 0.1 * 1_GB_per_s;
    const Seconds best = scene.made(Endpoints{.rate = rate}).cost.step;
    RC_ASSERT(best >= scene.made({}).cost.step);
    const std::int64_t other =
        *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(17, scene.cluster.device.multiprocessors));
    RC_ASSERT(best <= scene.made(Endpoints{.rate = rate, .cores = other}).cost.step);
}

TEST(Endpoints, LeaveACoreToCompute) {
    EXPECT_THROW(static_cast<void>(Scene(4).made(Endpoints{.rate = 1_GB_per_s, .cores = 4})), InputError);
    EXPECT_THROW(static_cast<void>(Scene(1).made(Endpoints{.rate = 1_GB_per_s})), InputError);
    EXPECT_NO_THROW(static_cast<void>(Scene(2).made(Endpoints{.rate = 1_GB_per_s})));
}

/// The error is about them, not about the first line of their file.
TEST(Endpoints, AreWhereTheErrorIs) {
    const auto source = std::make_shared<const Source>(Source{.name = "mine.yaml", .lines = {}});
    try {
        static_cast<void>(Scene(4).made(
            Endpoints{.rate = 1_GB_per_s, .cores = 4, .where = {.source = source, .line = 7, .column = 12}}));
        FAIL() << "no core computes";
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().front().where.line, 7);
    }
}

TEST(Endpoints, NeedADevice) {
    Exchange exchange;
    exchange.endpoints = Endpoints{.rate = 1_GB_per_s};
    EXPECT_THROW(delays({exchange}, {.size = 100_MiB, .link = {{}, 1_GB_per_s}, .compute = 1_s, .workers = {2}}),
                 InputError);
}

}  // namespace endpoints_test
}  // namespace dodona::exchange::testing
