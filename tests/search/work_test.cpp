// Work of searches. Bounds and orders change no answer but the time that it takes: work.txt records what is evaluated and
// what is left out, so that no change of them passes unnoticed; DODONA_ACCEPT=1 rewrites it. tests/worlds compares the
// answers with those of the exhaustive walk.
#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../cases.hpp"
#include "../step/scenes.hpp"
#include "search/search.hpp"
#include "search/sensitivity.hpp"
#include "search/sizing.hpp"

namespace dodona::search {
namespace work_test {

using graph::test::block;
using graph::test::layer;
using step::test::pipelined;
using step::test::strategy;

struct World {
    graph::Graph graph;
    cluster::Cluster cluster;
    Space space;
};

class Draw {
public:
    explicit Draw(unsigned seed) : random_(seed) {}
    template <class T>
    T of(std::initializer_list<T> values) {
        return *(values.begin() + static_cast<std::ptrdiff_t>(random_() % values.size()));
    }
    bool one_in(unsigned n) { return random_() % n == 0; }

private:
    std::mt19937 random_;
};

/// Two kinds of blocks between a stem and a head, with experts or without.
graph::Graph drawn_network(Draw& draw, bool experts) {
    const auto feature = draw.of<std::int64_t>({64, 256});
    const auto linear = [](const std::string& name, std::int64_t out) { return layer(name, "linear", {{"out", out}}); };
    std::vector<graph::Entry> body{linear("up", 2 * feature), layer("act", "gelu"), linear("down", feature)};
    if (experts) {
        body = {layer("norm", "layer_norm"), layer("router", "router", {{"experts", std::int64_t{4}}}, {"norm"}),
                layer("dispatch", "dispatch", {{"top_k", std::int64_t{2}}}, {"norm", "router"}),
                layer("up", "expert_linear", {{"out", feature}}), layer("combine", "combine", {}, {"up", "router"})};
    }
    std::vector<graph::Entry> entries{linear("stem", feature)};
    if (draw.one_in(2)) {
        entries.push_back(block("first", draw.of<std::int64_t>({1, 3}), {linear("fc", feature)}));
    }
    entries.push_back(block("body", draw.of<std::int64_t>({4, 8, 12}), std::move(body)));
    entries.push_back(linear("head", draw.of<std::int64_t>({1, 2, 4}) * feature));
    return graph::build(
        graph::test::network(graph::test::tensor({{"sequence", 16}, {"feature", feature}}), std::move(entries)));
}

plan::Rule laid(const std::string& kind, const std::string& dimension, const std::string& axis) {
    plan::Rule rule;
    rule.match.kinds = {kind};
    rule.lay = {{dimension, {axis}, {}}};
    return rule;
}

/// Data, pipelines, features on an axis of their own and, with experts, these on a fold of the data ranks.
std::vector<plan::Strategy> strategies(bool experts) {
    plan::Strategy features = pipelined();
    features.name = "features";
    features.axes = {"tensor", "pipeline", "data"};
    features.rules = {laid("linear", "out_feature", "tensor")};
    std::vector<plan::Strategy> all{strategy("data", {"data"}), pipelined(), features};
    if (experts) {
        all.back().name = "experts";
        all.back().folds = {{"expert", {"data"}, {}}};
        all.back().rules.push_back(laid("expert_linear", "expert", "expert"));
    }
    return all;
}

cluster::Cluster drawn_cluster(Draw& draw) {
    cluster::Cluster cluster = step::test::small_cluster();
    cluster.levels = {
        {.name = "node", .size = draw.of<std::int64_t>({2, 4, 6}), .bandwidth = 50_GB_per_s, .latency = 10_us},
        {.name = "system", .size = 16, .bandwidth = draw.of({1, 10}) * 1_GB_per_s, .latency = 20_us}};
    cluster.host =
        cluster::Host{.memory = 16_GiB, .bandwidth = 10_GB_per_s, .memory_bandwidth = 40_GB_per_s, .source = "drawn"};
    return cluster;
}

/// Memory is drawn about what the best plan without a limit needs, so that it decides in most worlds.
World drawn_world(unsigned seed) {
    Draw draw(seed);
    const bool experts = draw.one_in(2);
    World world{drawn_network(draw, experts), drawn_cluster(draw), {}};
    Space& space = world.space;
    space.devices = draw.of<std::int64_t>({4, 6, 8});
    space.batch = draw.of<std::int64_t>({12, 24, 48}) * draw.of<std::int64_t>({1, 8});
    space.precision = Precision::fp32;
    space.strategies = strategies(experts);
    space.overlap = {.gradients = draw.one_in(2), .parameters = draw.one_in(2), .pipeline = draw.one_in(3)};
    for (bool Vary::*const varied : {&Vary::placement, &Vary::group, &Vary::overlap, &Vary::offload}) {
        if (draw.one_in(6) && space.devices == 4) {
            space.vary.*varied = true;
        }
    }
    space.vary.schedule = draw.one_in(3);
    space.offload.optimizer = draw.one_in(5);
    space.reserve = draw.of({0.0, 0.1});
    space.workers = 1;
    space.top = draw.of<std::size_t>({1, 3});
    space.software.front().framework.name = "one";
    if (draw.one_in(3)) {
        space.software.push_back(space.software.front());
        space.software.back().framework.name = "other";
        space.software.back().framework.number(plan::FrameworkParameter::launch).value = 1e-5;
        space.software.back().framework.fitted_level = plan::ShardLevel::none;
        space.software.back().framework.beyond_fit = 0.2;
    }
    const Answer free = search(world.graph, world.cluster, space);
    space.max_memory = draw.of({0.3, 0.5, 0.8, 1.0, 2.0}) * free.plans.front().memory.total();
    return world;
}

std::string row(const step::Prediction& found) {
    const plan::Plan& plan = found.plan;
    return fmt::format("{} in {}, micro-batch {}, {} x{}, {}, {}, cut [{}]", mesh_text(plan), plan.framework.name,
                       plan.microbatch, plan::name(plan.schedule), plan.virtual_stages, plan::name(plan.recompute),
                       plan::name(plan.shard), fmt::join(plan.stages, " "));
}

/// The first plan of an answer, and how many configurations of each strategy cannot run.
std::string summary(const Answer& answer) {
    std::string all;
    for (const auto* plans : {&answer.plans, &answer.nearest}) {
        for (std::size_t i = 0; i < std::min<std::size_t>(1, plans->size()); ++i) {
            const step::Prediction& plan = (*plans)[i];
            all += fmt::format("{}, {:.4g} us, {:.4g} MiB", row(plan), plan.step.value.in(1_us),
                               plan.memory.total().in(1_MiB));
        }
    }
    for (const Infeasible& infeasible : answer.infeasible) {
        all += fmt::format(", not {} {}", infeasible.count, infeasible.strategy);
    }
    return all;
}

std::string work(const SearchCounts& counts) {
    return fmt::format("{}/{}/{}", counts.configurations, counts.evaluated, counts.pruned);
}

std::string path() { return std::string(std::getenv("DODONA_SOURCE")) + "/tests/search/work.txt"; }

TEST(Work, OfSearchesIsRecorded) {
    std::string now;
    for (unsigned seed = 0; seed < 20; ++seed) {
        auto [graph, cluster, space] = drawn_world(seed);
        const Answer all = search(graph, cluster, space);
        space.best_only = true;
        space.top = 1;
        const Answer best = search(graph, cluster, space);
        ASSERT_EQ(best.plans.empty(), all.plans.empty()) << "world " << seed;
        if (!best.plans.empty()) {
            EXPECT_EQ(row(best.plans.front()), row(all.plans.front())) << "world " << seed;
        }
        now += fmt::format("{}: {}, best {}, {} as fast: {}\n", seed, work(all.counts), work(best.counts),
                           all.counts.equally_fast, summary(all));
    }
    cases::expect(path(), "configurations/evaluated/pruned", now);
}

/// A world whose strategies have plans on few devices, for the expensive questions.
World small_world(unsigned seed) {
    World world = drawn_world(seed);
    Space& space = world.space;
    space.devices = 4;
    space.batch = 24;
    space.vary = {};
    space.software.resize(1);
    space.strategies.resize(2);
    return world;
}

TEST(Work, OfExplanationsIsRecorded) {
    std::string now;
    for (unsigned seed = 101; seed < 104; ++seed) {
        auto [graph, cluster, space] = small_world(seed);
        space.top = kCompetitors;
        const Answer answer = search(graph, cluster, space);
        now += fmt::format("{}: {}\n", seed, answer.plans.empty() ? "nothing fits" : row(answer.plans.front()));
        if (answer.plans.empty()) {
            continue;
        }
        const Explanation explanation = explain({graph, cluster, space}, answer);
        now += fmt::format("{} searches, {} omitted, {:.4g} MiB left\n", explanation.searches,
                           explanation.insensitive_omitted, explanation.memory.left.in(1_MiB));
        for (const Sensitivity& its : explanation.parameters) {
            if (!its.less.crossover && !its.more.crossover) {
                continue;
            }
            now += fmt::format("{}: {:.3f}", its.parameter.key, its.elasticity + 0.0);
            for (const Direction* direction : {&its.less, &its.more}) {
                now += !direction->crossover ? (direction->searched ? ", stays" : ", not searched")
                       : direction->crossover->to
                           ? fmt::format(", at {:.3f} {}", direction->crossover->factor, row(*direction->crossover->to))
                           : fmt::format(", at {:.3f} nothing", direction->crossover->factor);
            }
            now += '\n';
        }
    }
    cases::expect(path(), "explanations", now);
}

TEST(Work, OfSizesIsRecorded) {
    std::string now;
    for (unsigned seed = 200; seed < 206; ++seed) {
        const auto [graph, cluster, space] = small_world(seed);
        const Bound least = bound(graph, cluster, space);
        now += fmt::format("{}: at least {:.4g} of {:.4g} MiB, {:.4g} us a sample\n", seed,
                           least.least_memory.in(1_MiB), least.memory_of_one.in(1_MiB), least.least_sample.in(1_us));
        for (const Find find : kFinds) {
            const Sizing found = size(graph, cluster,
                                      {.space = space,
                                       .counts = counts_between(cluster, 1, 12),
                                       .batch = [](std::int64_t) { return 24; },
                                       .find = find});
            now += fmt::format("{} {}: {} of", seed, name(find), found.found ? found.answer()->devices : 0);
            for (const Attempt& attempt : found.attempts) {
                now += fmt::format(" {}{}", attempt.devices, attempt.asked ? "" : "*");
            }
            for (const RuledOut& out : found.ruled_out) {
                now += fmt::format(", not {}..{} ({})", out.first, out.last, out.counts);
            }
            now += '\n';
        }
    }
    cases::expect(path(), "sizes", now);
}

}  // namespace work_test
}  // namespace dodona::search
