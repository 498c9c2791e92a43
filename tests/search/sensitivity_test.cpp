// Elasticities and crossovers, in worlds where both are known by hand.
#include "search/sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "search/crossover_search.hpp"
#include "step/predict.hpp"

namespace dodona::search {
namespace sensitivity_test {

using plan::FrameworkParameter;
using step::Prediction;
using step::TimePart;
using step::test::block;
using step::test::layer;
using step::test::network;
using step::test::pipelined;
using step::test::small_cluster;
using step::test::small_network;
using step::test::strategy;
using step::test::tensor;

/// Four layers of 1024 x 1024: 16 MiB of weights in fp32, 4 KiB a sample between layers.
graph::Graph dense_network() {
    return graph::build(network(tensor({{"feature", 1024}}),
                                {block("body", 4, {layer("fc", "linear", {{"out", std::int64_t{1024}}})})}));
}

/// No latencies, no launches, no tiles and memory that is never waited for: every time is work over one of two rates.
/// A micro-batch of one sample is then the best of a pipeline, and whole gradients pay over fast links only.
cluster::Cluster plain_cluster() {
    cluster::Cluster cluster = small_cluster();
    cluster.device.launch = {};
    cluster.device.tiles.clear();
    cluster.levels[0].latency = {};
    cluster.levels[0].bandwidth = 50'000_GB_per_s;
    cluster.device.memory = 256_MiB;
    cluster.device.memory_bandwidth = 1e9 * 900_GB_per_s;
    return cluster;
}

/// Data over four devices, or four stages; nothing else.
Space two_plans() {
    plan::Strategy stages = pipelined();
    stages.considered.least = {{"pipeline", 4}};
    return {.devices = 4,
            .batch = 32,
            .precision = Precision::fp32,
            .strategies = {strategy("data", {"data"}), stages},
            .optimizer = plan::OptimizerKind::momentum,
            .overlap = {},
            .top = kCompetitors};
}

const Sensitivity& of(const Explanation& explanation, const std::string& key) {
    const auto found = std::find_if(explanation.parameters.begin(), explanation.parameters.end(),
                                    [&](const Sensitivity& s) { return s.parameter.key == key; });
    if (found == explanation.parameters.end()) {
        throw std::out_of_range("no parameter " + key);
    }
    return *found;
}

Explanation explained(const cluster::Cluster& cluster, const Space& space) {
    const graph::Graph graph = dense_network();
    return explain({graph, cluster, space}, search(graph, cluster, space));
}

const Prediction& named(const Answer& answer, const std::string& strategy) {
    return *std::find_if(answer.plans.begin(), answer.plans.end(),
                         [&](const Prediction& p) { return p.plan.strategy.name == strategy; });
}

TEST(Elasticity, OfAJobThatOnlyComputesIsMinusOneInThePeak) {
    const cluster::Cluster cluster = plain_cluster();
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 1}}, .batch = 64, .microbatch = 64};
    plan.precision = Precision::fp32;
    plan.optimizer = plan::OptimizerKind::momentum;
    const graph::Graph graph = dense_network();
    const Explanation explanation = sensitivity(graph, cluster, step::predict(graph, cluster, plan));
    EXPECT_EQ(explanation.parameters.front().parameter.key, "framework.matmul") << "the first two are as large";
    EXPECT_NEAR(explanation.parameters.front().elasticity, 1, 1e-6);
    EXPECT_NEAR(of(explanation, "peak").elasticity, -1, 1e-6);
    EXPECT_NEAR(of(explanation, "memory_bandwidth").elasticity, 0, 1e-6);
    EXPECT_NEAR(of(explanation, "batch").elasticity, 0, 1e-6) << "a sample takes as long in any batch";
    EXPECT_EQ(of(explanation, "memory").elasticity, 0);
    EXPECT_FALSE(explanation.crossovers_searched);
    EXPECT_GT(explanation.memory.left, Bytes{});
}

/// Rates count against times, and the whole step is made of them: d log T adds up to one.
TEST(Elasticity, OfRatesAndTimesAddUpToTheStep) {
    cluster::Cluster cluster = small_cluster();
    cluster.device.tiles.clear();
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 1024, .microbatch = 256};
    plan.precision = Precision::fp32;
    plan.optimizer = plan::OptimizerKind::momentum;
    const graph::Graph graph = small_network();
    const Explanation explanation = sensitivity(graph, cluster, step::predict(graph, cluster, plan));
    double sum = 0;
    for (const char* rate : {"peak", "memory_bandwidth", "bandwidth.node"}) {
        EXPECT_LE(of(explanation, rate).elasticity, 0) << rate;
        sum -= of(explanation, rate).elasticity;
    }
    for (const char* time : {"kernel_start", "latency.node"}) {
        EXPECT_GT(of(explanation, time).elasticity, 0) << time;
        sum += of(explanation, time).elasticity;
    }
    EXPECT_NEAR(sum, 1, 1e-4);
}

/// What the interval rests on, by exact derivatives, is what asking again says.
TEST(Elasticity, OfASoftwaresParameterIsItsShareOfTheInterval) {
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 1024, .microbatch = 32};
    plan.precision = Precision::fp32;
    plan.overlap = {.gradients = true, .parameters = true};
    plan.framework.number(FrameworkParameter::launch).value = 4e-6;
    plan.framework.number(FrameworkParameter::convolution).value = 1.2;
    plan.framework.number(FrameworkParameter::stream).value = 1.5;
    plan.framework.number(FrameworkParameter::collective).value = 1.1;
    plan.framework.number(FrameworkParameter::stragglers).value = 0.01;
    plan.framework.number(FrameworkParameter::step).value = 1e-5;
    const graph::Graph graph = small_network();
    const Prediction p = step::predict(graph, small_cluster(), plan);
    const Explanation explanation = sensitivity(graph, small_cluster(), p);
    for (const char* word : {"launch", "convolution", "stream", "collective", "stragglers", "step"}) {
        double share = 0;
        for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
            const auto& kind = plan::kFrameworkParameters[static_cast<std::size_t>(cost::kErrorSources[k].parameter)];
            share += kind.word == word ? p.uncertainty.sources[k].share : 0;
        }
        EXPECT_GT(share, 0) << word;
        EXPECT_NEAR(of(explanation, std::string("framework.") + word).elasticity, share, 1e-4) << word;
    }
    EXPECT_GT(explanation.insensitive_omitted, 0) << "nothing attends here";
}

/// T_data = C + B/f and T_stages = A + P/f with B and P on the links, so  C + B/f = 1.005 (A + P/f)  at
/// f = (B - 1.005 P) / (1.005 A - C).
TEST(Crossovers, OfTheLinksAreWhereBothPlansMeet) {
    const graph::Graph graph = dense_network();
    const cluster::Cluster cluster = plain_cluster();
    const Space space = two_plans();
    const Answer answer = search(graph, cluster, space);
    ASSERT_EQ(answer.plans.front().plan.strategy.name, "data");
    const Prediction& data = answer.plans.front();
    const Prediction& stages = named(answer, "pipeline");
    const Seconds reduced = data.time[TimePart::gradients];
    const Seconds sent = stages.time[TimePart::pipeline];
    const Seconds c = data.step.value - reduced;
    const Seconds a = stages.step.value - sent;
    const double equal = 1 + kEqualTime;
    const double meet = (reduced - equal * sent) / (equal * a - c);
    ASSERT_GT(meet, 1.0 / 16);
    ASSERT_LT(meet, 1);

    const Explanation explanation = explain({graph, cluster, space}, answer);
    const Sensitivity& links = of(explanation, "bandwidth.node");
    EXPECT_NEAR(links.elasticity, -(reduced / data.step.value), 1e-4);
    ASSERT_TRUE(links.less.crossover);
    EXPECT_NEAR(links.less.crossover->factor / meet, 1, kFine - 1);
    EXPECT_LE(links.less.crossover->factor, meet) << "beyond the meeting";
    ASSERT_TRUE(links.less.crossover->to);
    EXPECT_EQ(links.less.crossover->to->plan.strategy.name, "pipeline");
    EXPECT_TRUE(links.more.searched);
    EXPECT_FALSE(links.more.crossover) << "faster links serve the plan that needs them";
    EXPECT_TRUE(explanation.complete);
}

/// Whether the layout `ours` is still within equal time of the fastest, by a full search.
bool stays(const graph::Graph& graph, const Conditions& conditions, const Space& space, const plan::Plan& ours) {
    Space asked = space;
    asked.software.front().framework = conditions.adjusted(space.software.front().framework);
    asked.batch = conditions.batch;
    asked.max_memory = conditions.max_memory;
    asked.top = 1000;
    asked.only_usual = true;
    const Answer found = search(graph, conditions.cluster, asked);
    Seconds fastest = Seconds::of_base(1e9);
    for (const Prediction& p : found.plans) {
        fastest = min(fastest, p.step.value);
    }
    return std::any_of(found.plans.begin(), found.plans.end(), [&](const Prediction& p) {
        return same_layout(p.plan, ours) && p.step.value <= (1 + kEqualTime) * fastest;
    });
}

/// Weights whole on every device need four times what a stage needs: less memory changes the plan where they no longer fit.
TEST(Crossovers, OfMemoryAreWhereThePlanNoLongerFits) {
    const graph::Graph graph = dense_network();
    const cluster::Cluster cluster = plain_cluster();
    const Space space = two_plans();
    const Answer answer = search(graph, cluster, space);
    const Explanation explanation = explain({graph, cluster, space}, answer);
    const Prediction& data = answer.plans.front();
    EXPECT_EQ(explanation.memory.left, data.memory_limit - data.memory.total());
    const Sensitivity& memory = of(explanation, "memory");
    EXPECT_EQ(memory.elasticity, 0);
    ASSERT_TRUE(memory.less.crossover);
    ASSERT_TRUE(memory.less.crossover->to);
    EXPECT_EQ(memory.less.crossover->to->plan.strategy.name, "pipeline");
    EXPECT_FALSE(memory.more.crossover);
    // Other micro-batches of the same layout keep less.
    const auto holds = [&](double factor) {
        const Conditions less{.cluster = cluster, .batch = space.batch, .max_memory = factor * data.memory_limit};
        return stays(graph, less, space, data.plan);
    };
    EXPECT_FALSE(holds(memory.less.crossover->factor));
    EXPECT_TRUE(holds(kFine * memory.less.crossover->factor));
    EXPECT_TRUE(explanation.memory.searched);
}

TEST(Crossovers, OfTheBatchAreDoublings) {
    const Explanation explanation = explained(plain_cluster(), two_plans());
    const Sensitivity& batch = of(explanation, "batch");
    ASSERT_TRUE(batch.less.crossover);
    EXPECT_EQ(batch.less.crossover->factor, 1.0 / 16) << "two samples are too few for four data ranks, four are not";
    ASSERT_TRUE(batch.less.crossover->to);
    EXPECT_EQ(batch.less.crossover->to->plan.strategy.name, "pipeline");
    EXPECT_EQ(batch.less.crossover->to->plan.batch, 2);
    EXPECT_TRUE(batch.more.searched);
    EXPECT_FALSE(batch.more.crossover) << "what a pipeline waits for and what is reduced do not grow with the batch";
}

/// In a world of many plans, crossovers against full searches on a grid of its own.
TEST(Crossovers, AreThoseOfFullSearches) {
    const graph::Graph graph = small_network();
    const cluster::Cluster cluster = small_cluster();
    plan::Strategy stages = pipelined();
    stages.considered.least = {{"pipeline", 2}};  // one stage is the other strategy's plan
    Space space{.devices = 8,
                .batch = 64,
                .precision = Precision::fp32,
                .strategies = {strategy("data", {"data"}), stages},
                .optimizer = plan::OptimizerKind::momentum,
                .top = kCompetitors};
    space.software.front().framework.number(FrameworkParameter::launch).value = 4e-6;
    const Answer answer = search(graph, cluster, space);
    const plan::Plan& ours = answer.plans.front().plan;
    const Explanation explanation = explain({graph, cluster, space}, answer);
    const Conditions conditions{.cluster = cluster, .batch = space.batch, .max_memory = std::nullopt};
    int crossovers = 0;
    for (const AdjustableParameter& parameter : adjustable_parameters(conditions, graph, ours)) {
        const auto found =
            std::find_if(explanation.parameters.begin(), explanation.parameters.end(),
                         [&](const Sensitivity& s) { return s.parameter.key == parameter.parameter.key; });
        if (found == explanation.parameters.end() || parameter.by_doublings) {
            continue;
        }
        for (const Direction* direction : {&found->less, &found->more}) {
            const bool up = direction == &found->more;
            const double end = direction->crossover ? direction->crossover->factor
                               : up                 ? parameter.parameter.most
                                                    : parameter.parameter.least;
            EXPECT_TRUE(direction->searched) << parameter.parameter.key;
            // Among known plans a crossover may be found late, or not at all; one that is found is one.
            for (int i = 0; i < (is_searched(parameter) ? 8 : 0); ++i) {
                const double factor = std::pow(end, i / 8.0) / (up ? kFine : 1 / kFine);
                EXPECT_TRUE(i == 0 || stays(graph, parameter.adjusted(conditions, factor), space, ours))
                    << parameter.parameter.key << " x " << factor;
            }
            if (direction->crossover || is_searched(parameter)) {
                EXPECT_EQ(stays(graph, parameter.adjusted(conditions, end), space, ours), !direction->crossover)
                    << parameter.parameter.key << " x " << end;
            }
            crossovers += direction->crossover ? 1 : 0;
        }
    }
    EXPECT_GT(crossovers, 2);
}

TEST(Crossovers, TheNearestIsOfTheSmallestFactorEitherWay) {
    Explanation explanation;
    EXPECT_FALSE(nearest_crossover(explanation));
    explanation.parameters.resize(2);
    explanation.parameters[0].less.crossover = Crossover{.factor = 0.4, .to = std::nullopt};
    explanation.parameters[1].more.crossover = Crossover{.factor = 2.4, .to = std::nullopt};
    EXPECT_EQ(nearest_crossover(explanation)->crossover->factor, 2.4);
    explanation.parameters[0].less.crossover->factor = 0.5;
    EXPECT_EQ(nearest_crossover(explanation)->of, explanation.parameters.data());
}

TEST(Crossovers, InterruptedKeepWhatIsFinished) {
    const graph::Graph graph = dense_network();
    const cluster::Cluster cluster = plain_cluster();
    const Space space = two_plans();
    const Answer answer = search(graph, cluster, space);
    const Explanation explanation =
        explain({graph, cluster, space}, answer, [](std::int64_t done, std::int64_t) { return done <= 6; });
    EXPECT_FALSE(explanation.complete);
    EXPECT_TRUE(explanation.memory.searched);
    EXPECT_TRUE(of(explanation, "memory").more.searched) << "what most choices hang on comes first";
    EXPECT_TRUE(of(explanation, "peak").more.searched) << "then what is searched";
    int directions = 0;
    for (const Sensitivity& sensitivity : explanation.parameters) {
        directions += (sensitivity.less.searched ? 1 : 0) + (sensitivity.more.searched ? 1 : 0);
    }
    EXPECT_EQ(directions, 6);
    for (const Sensitivity& sensitivity : explanation.parameters) {
        EXPECT_TRUE(sensitivity.less.searched || !sensitivity.less.crossover);
    }
}

/// What was measured of the whole network stands for its kernels: it is a parameter, and they are none.
TEST(AdjustableParameters, AMeasuredSampleIsOneOfItsOwn) {
    const graph::Graph graph = small_network();
    cluster::Cluster cluster = small_cluster();
    cluster.measured_samples = {{.model = graph.name, .forward_backward = 1_us * 500, .update = 1_us, .source = "x"}};
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 64, .microbatch = 16};
    plan.precision = Precision::fp32;
    const Explanation explanation = sensitivity(graph, cluster, step::predict(graph, cluster, plan));
    EXPECT_GT(of(explanation, "measured_sample").elasticity, 0.9);
    EXPECT_EQ(of(explanation, "peak").elasticity, 0);
}

/// Steps of 10, 10.1, 13 and 13.1 s with an unexplained 5 %: 1 % apart are a tie, 30 % are not.
TEST(Ties, AreGroupsOfPlansThatCannotBeToldApart) {
    std::vector<Prediction> plans(4);
    const double seconds[] = {10, 10.1, 13, 13.1};
    for (std::size_t i = 0; i < plans.size(); ++i) {
        plans[i].step = Estimate::exactly(Seconds::of_base(seconds[i]));
        plans[i].uncertainty.spread = 0.05;
    }
    EXPECT_EQ(ties(plans), (std::vector<std::vector<std::size_t>>{{1, 2}, {3, 4}}));
    plans[3].step = Estimate::exactly(20_s);
    EXPECT_EQ(ties(plans), (std::vector<std::vector<std::size_t>>{{1, 2}}));
    EXPECT_TRUE(ties({}).empty());
}

}  // namespace sensitivity_test
}  // namespace dodona::search
