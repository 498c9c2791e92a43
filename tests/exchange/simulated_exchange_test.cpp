// Exchanges played on the links of a machine, beside their closed forms.
#include "exchange/simulated_exchange.hpp"

#include <gtest/gtest.h>

namespace dodona::exchange::testing {
namespace simulated_exchange_test {

/// Nodes of one device with one link of 10 GB/s and 10 us.
cluster::Cluster single_devices(std::int64_t nodes) {
    cluster::Cluster cluster;
    cluster.device.memory_bandwidth = BytesPerSecond::of_base(1e15);  // reductions and updates take no time
    cluster.levels = {{.name = "node", .size = 1, .bandwidth = 10_GB_per_s},
                      {.name = "system", .size = nodes, .bandwidth = 10_GB_per_s, .latency = 10_us}};
    return cluster;
}

struct Scene {
    cluster::Cluster cluster;
    Replicas replicas;

    explicit Scene(std::int64_t workers, Seconds compute = 0.1_s)
        : cluster(single_devices(2 * workers)),
          replicas{.group = {{{1, workers}}}, .ranks = workers, .work = {.compute = compute}, .step = {}} {
        replicas.work.gradients = {25e6, Bytes::of_base(100e6)};  // 10 ms on a link
    }
    [[nodiscard]] ReplicaExchange made(const Exchange& exchange) const {
        return replica_exchange(exchange, cluster, replicas, 1);
    }
    [[nodiscard]] PlayedExchange play(const Exchange& exchange, double deviation = 0) const {
        PlayedSettings settings;
        if (deviation > 0) {
            settings.noise = {{.by = simulate::NoiseBy::rank, .deviation = deviation}};
        }
        return play_exchange(made(exchange), cluster, replicas, settings);
    }
};

Exchange servers(std::optional<std::int64_t> count, Scheduling scheduling, std::int64_t bound = 1) {
    return {.pattern = Pattern::servers, .servers = count, .scheduling = scheduling, .bound = bound, .overlap = false};
}

/// Where all workers do the same at the same time both engines say the same.
TEST(PlayedExchange, EqualsTheClosedFormOfSynchronousExchanges) {
    const Scene scene(8);
    for (const Exchange& exchange :
         {servers(1, Scheduling::synchronous), servers(4, Scheduling::synchronous),
          Exchange{.pattern = Pattern::master, .period = 4, .outer = Outer::average, .sends = Sent::weights},
          Exchange{.pattern = Pattern::ring, .overlap = false},
          Exchange{.pattern = Pattern::all_reduce, .overlap = false},
          Exchange{.pattern = Pattern::ring, .outer = Outer::average, .sends = Sent::weights}}) {
        const Seconds closed = scene.made(exchange).cost.step;
        EXPECT_NEAR(scene.play(exchange).step / closed, 1, 0.002) << name(exchange.pattern);
    }
}

// 8 workers, 10 ms each way, 100 ms of compute: a server is busy for 80 ms of 120, each way.
TEST(PlayedExchange, OfAnIdleServerMeetsTheBound) {
    const Scene scene(8);
    const Exchange exchange = servers(1, Scheduling::asynchronous);
    const PlayedExchange played = scene.play(exchange, 0.02);
    const Seconds bound = scene.made(exchange).cost.step;
    EXPECT_NEAR(bound.in(unit::second), 0.12, 0.001);
    EXPECT_GE(played.step, 0.99 * bound);
    EXPECT_LT(played.step, 1.5 * bound);
}

// 32 workers: 320 ms at the server, each way, for 100 ms of compute.
TEST(PlayedExchange, OfABusyServerIsBoundByIt) {
    const Scene scene(32);
    const Exchange exchange = servers(1, Scheduling::asynchronous);
    EXPECT_NEAR(scene.made(exchange).cost.step.in(unit::second), 0.32, 0.001);
    EXPECT_NEAR(scene.play(exchange).step.in(unit::second), 0.32, 0.02);
    EXPECT_GE(scene.play(exchange).step, 0.319_s);
}

/// 100 MB to each of four neighbours, and four added at 1 TB/s (1.2 GB through memory, or more): a worker without
/// delays takes 0.1 s of compute, 40 ms of its link, and that; or, if it sends during its next step, what is longer of its
/// link and the others. Several workers a node share their links. The bound holds in each.
TEST(PlayedExchange, OfNeighboursWhoDoNotWaitIsNeverShorterThanItsBound) {
    for (const std::int64_t per_node : {1, 2, 4}) {
        for (const Pattern pattern : {Pattern::torus, Pattern::ring}) {
            Scene scene(16);
            scene.cluster.device.memory_bandwidth = 1000_GB_per_s;
            scene.cluster.levels[0].size = per_node;
            scene.cluster.levels[0].bandwidth = 100_GB_per_s;
            Exchange exchange{.pattern = pattern, .scheduling = Scheduling::asynchronous};
            EXPECT_GE(scene.play(exchange).step, (1 - 1e-9) * scene.made(exchange).cost.step) << per_node;
            exchange.overlap = false;
            const Seconds bound = scene.made(exchange).cost.step;
            EXPECT_GE(scene.play(exchange).step, (1 - 1e-9) * bound) << name(pattern) << " " << per_node;
            if (per_node == 1) {
                const Seconds sums = network_of(scene.cluster, scene.replicas.group, 16)
                                         .reduce((pattern == Pattern::torus ? 4.0 : 2.0) * Bytes::of_base(100e6));
                EXPECT_GT(sums, 0.1e-3_s);
                EXPECT_NEAR(bound.in(unit::second),
                            (pattern == Pattern::torus ? 0.14 : 0.12) + 1e-5 + sums.in(unit::second), 1e-6);
            }
        }
    }
}

/// A link that takes 40 ms of 0.1 s of compute is hidden, one of 400 ms is not.
TEST(PlayedExchange, OfNeighboursWhoDoNotWaitHidesWhatTheySend) {
    const Exchange exchange{.pattern = Pattern::torus, .scheduling = Scheduling::asynchronous};
    EXPECT_NEAR(Scene(16).play(exchange).step.in(unit::second), 0.1, 1e-3);
    Scene slow(16);
    slow.cluster.levels[1].bandwidth = 1_GB_per_s;
    EXPECT_NEAR(slow.made(exchange).cost.step.in(unit::second), 0.4, 1e-3);
    EXPECT_NEAR(slow.play(exchange).step.in(unit::second), 0.4, 0.01);
}

/// Every four steps seven others tell the first worker their accuracy, 10 us each, and get 100 MB, 10.01 ms each.
TEST(PlayedExchange, OfTheBestWorkerWaitsForAll) {
    const Scene scene(8);
    const Exchange without{.pattern = Pattern::ring, .overlap = false};
    Exchange best = without;
    best.best_worker = 4;
    const double added = 7 * (10e-6 + 10.01e-3) / 4;
    const auto closed = [&](const Exchange& exchange) { return scene.made(exchange).cost.step.in(unit::second); };
    EXPECT_NEAR(closed(best) - closed(without), added, 1e-7);
    EXPECT_NEAR(scene.play(best).step.in(unit::second), closed(best), 1e-4);
}

/// Between two updates of a worker each other worker makes one, on average.
TEST(PlayedExchange, AsynchronousUpdatesAreStaleByTheOtherWorkers) {
    const Scene scene(8);
    const PlayedExchange played = scene.play(servers(1, Scheduling::asynchronous), 0.3);
    EXPECT_TRUE(played.has_servers);
    EXPECT_NEAR(played.staleness, 7, 0.2);  // the ends of the run count less
    EXPECT_GT(played.most_stale, 7);
    EXPECT_GT(played.lead, 1);
}

TEST(PlayedExchange, BoundedWorkersKeepTheirBound) {
    const Scene scene(8);
    for (const std::int64_t bound : {0, 1, 3}) {
        const Exchange exchange = servers(1, Scheduling::bounded, bound);
        const PlayedExchange played = scene.play(exchange, 0.5);
        EXPECT_LE(played.lead, bound);
        EXPECT_LE(played.most_stale, *scene.made(exchange).cost.staleness.most);
    }
    EXPECT_GT(scene.play(servers(1, Scheduling::asynchronous), 0.5).lead, 3);
}

/// Who waits for nobody loses less to steps that differ than who waits for all.
TEST(PlayedExchange, NoiseCostsWaitingForTheSlowest) {
    const Scene scene(16);
    const PlayedExchange all = scene.play({.pattern = Pattern::all_reduce}, 0.2);
    const PlayedExchange gossip = scene.play({.pattern = Pattern::gossip,
                                              .probability = 0.1,
                                              .scheduling = Scheduling::asynchronous,
                                              .sends = Sent::weights},
                                             0.2);
    EXPECT_GT(all.waiting, 0.2);
    EXPECT_LT(gossip.waiting, 0.05);
    EXPECT_EQ(all.lead, 0);
    EXPECT_FALSE(gossip.has_servers);
}

TEST(PlayedExchange, RefusesWhatItDoesNotPlay) {
    Scene scene(4);
    PlayedSettings settings;
    settings.noise = {{.on = simulate::NoiseOn::links, .deviation = 0.1}};
    const ReplicaExchange made = scene.made({});
    EXPECT_THROW(play_exchange(made, scene.cluster, scene.replicas, settings), InputError);
    scene.replicas.ranks = 8;
    EXPECT_THROW(play_exchange(made, scene.cluster, scene.replicas, {}), InputError);
}

}  // namespace simulated_exchange_test
}  // namespace dodona::exchange::testing
