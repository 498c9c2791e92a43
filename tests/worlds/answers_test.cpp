// One answer, one number. In drawn worlds every listed plan is saved, read and predicted, and comes out equal to the last
// digit; no neighbour of the first plan in the asked space is faster; no figure is none.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "drawn_world.hpp"
#include "files/plan_file.hpp"
#include "reports/collect/plan_summary.hpp"
#include "search/answer.hpp"
#include "step/predict.hpp"

namespace dodona {
namespace answers_test {

using drawn::World;
using step::Prediction;

constexpr unsigned kWorlds = 60;  ///< of each of the eight sets

plan::Plan saved_and_read(const plan::Plan& plan) {
    const files::Library library = drawn::library();
    plan::Plan read =
        files::read_plan(files::parse_document(files::to_yaml(plan, "saved"), "saved.yaml"), library.strategy_opener(),
                         library.framework_opener(), library.mechanism_opener());
    read.memory = plan.memory;  // of the framework's name, not of the plan's file
    return read;
}

/// Of the arithmetic of training by convention, thrice the forward pass, the share that nobody computes: gradients of
/// what the network is given.
double never_computed(const graph::Graph& graph) {
    Flop first;
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        const graph::Layer& layer = graph.layer(v);
        if (!layer.input_gradient) {
            first += static_cast<double>(graph.instances(v)) * layer.nest.work(layer.nest.whole()).model_forward;
        }
    }
    return first / graph::count(graph).training_per_sample;
}

void expect_figures(const graph::Graph& graph, const Prediction& p, const std::string& where) {
    const double step = p.step.value.in(unit::second);
    EXPECT_TRUE(std::isfinite(step) && step > 0) << where;
    EXPECT_LE(p.step.lo.in(unit::second), step) << where;
    EXPECT_GE(p.step.hi.in(unit::second), step) << where;
    EXPECT_TRUE(std::isfinite(p.step.hi.in(unit::second))) << where;
    EXPECT_NEAR(p.time.total().in(unit::second), step, 1e-9 * step) << where << ": the parts of the step";
    for (const Seconds part : p.time.values) {
        EXPECT_GE(part.in(unit::second), -1e-9 * step) << where;
    }
    EXPECT_NEAR(p.memory.total().in(unit::byte), p.totals.process.in(unit::byte),
                1e-9 * p.totals.process.in(unit::byte))
        << where << ": the parts of memory";
    EXPECT_GE(p.mfu, 0) << where;
    EXPECT_LE(p.mfu, 1) << where;
    EXPECT_GE(p.hfu, p.mfu * (1 - never_computed(graph) - 1e-9)) << where << ": what is executed holds what has to be";
}

class Answers : public testing::TestWithParam<unsigned> {};

TEST_P(Answers, AreTheSameOfThePlanThatIsSaved) {
    unsigned plans = 0;
    for (const unsigned seed : drawn::seeds(GetParam(), kWorlds)) {
        const World world = drawn::draw_world(seed);
        const search::Answer answer = search::search(world.graph, world.cluster, world.space);
        for (std::size_t i = 0; i < answer.plans.size(); ++i) {
            const Prediction& listed = answer.plans[i];
            const std::string where =
                world.network + ", world " + std::to_string(seed) + ", plan " + std::to_string(i + 1);
            const Prediction again = step::predict(world.graph, world.cluster, saved_and_read(listed.plan));
            EXPECT_EQ(again.step.value, listed.step.value) << where;
            EXPECT_EQ(again.step.lo, listed.step.lo) << where;
            EXPECT_EQ(again.step.hi, listed.step.hi) << where;
            EXPECT_EQ(again.memory.total(), listed.memory.total()) << where;
            EXPECT_EQ(again.samples_per_second, listed.samples_per_second) << where;
            expect_figures(world.graph, listed, where);
            ++plans;
        }
    }
    EXPECT_TRUE(!drawn::full() || plans > kWorlds) << plans << " plans that were listed";
}

/// The plan with another micro-batch, or with a factor of one axis moved to another.
plan::Plan neighbour(plan::Plan plan, drawn::Draw& draw) {
    plan.stages.clear();
    if (draw.one_in(2) || plan.mesh.size() < 2) {
        plan.microbatch = draw.one_in(2) ? plan.microbatch * 2 : std::max<std::int64_t>(1, plan.microbatch / 2);
        return plan;
    }
    const auto size = static_cast<double>(plan.mesh.size());
    const auto from = static_cast<std::size_t>(draw.between(0, size));
    const auto to = static_cast<std::size_t>(draw.between(0, size));
    for (const std::int64_t factor : {2, 3}) {
        if (plan.mesh[from].size % factor == 0) {
            plan.mesh[from].size /= factor;
            plan.mesh[to].size *= factor;
            break;
        }
    }
    return plan;
}

TEST_P(Answers, HaveNoFasterNeighbourInTheSpaceThatWasAsked) {
    constexpr int kNeighbours = 50;
    unsigned compared = 0;
    for (const unsigned seed : drawn::seeds(GetParam(), kWorlds)) {
        World world = drawn::draw_world(seed);
        world.space.vary.unusual = true;
        for (plan::Strategy& strategy : world.space.strategies) {
            strategy.considered.least.clear();  // as where one is named: neighbours may have one rank on any axis
        }
        const search::Answer answer = search::search(world.graph, world.cluster, world.space);
        if (answer.plans.empty()) {
            continue;
        }
        const Prediction& first = answer.plans.front();
        drawn::Draw draw(seed);
        for (int i = 0; i < kNeighbours; ++i) {
            const plan::Plan plan = neighbour(first.plan, draw);
            try {
                const Prediction other = step::predict(world.graph, world.cluster, plan);
                const Bytes most =
                    world.space.max_memory ? min(*world.space.max_memory, other.memory_limit) : other.memory_limit;
                if (!other.runs || !other.fits || other.most_memory > (1 - world.space.reserve) * most) {
                    continue;
                }
                ++compared;
                EXPECT_GE((1 + search::kEqualTime) * other.step.value.in(unit::second),
                          (1 - 1e-6) * first.step.value.in(unit::second))
                    << world.network << ", world " << seed << ": micro-batch " << plan.microbatch << ", "
                    << search::mesh_text(plan) << "; first: " << first.plan.microbatch << ", "
                    << search::mesh_text(first.plan);
            } catch (const InputError&) {
            }
        }
    }
    EXPECT_TRUE(!drawn::full() || compared > kWorlds) << compared << " neighbours that run and fit";
}

/// Whether the network is cut into stages at the same places.
bool same_cut(const Prediction& a, const Prediction& b) {
    return std::equal(a.stages.begin(), a.stages.end(), b.stages.begin(), b.stages.end(),
                      [](const auto& one, const auto& other) { return one.layers == other.layers; });
}

/// What a law of physics says of the first plan of a world, with a machine that is better in one respect. Exceptions:
/// - networks of unequal blocks are cut by the time of passes on the machine at hand, whatever gradients, updates and
///   copies after the last pass make of that;
/// - schedules that split the backward pass have all its waits for the host in the part that other stages wait for: the
///   shorter the kernels of weights' gradients are, the more of these waits are there;
/// - collectives of layers and the reduction of gradients may hide behind the same kernels: the shorter those are, the
///   more of both is exposed.
template <class Better>
void expect_no_slower(unsigned set, Better better) {
    constexpr double kOtherCut = 0.5;    // 0.35 seen: alexnet on two stages, its optimizer offloaded
    constexpr double kSplit = 0.01;      // 0.001 seen: mixtral on three and on six stages, zb-h1
    constexpr double kSameCover = 0.05;  // 0.026 seen: resnet18 on 6 devices, data+filter (world 303367084)
    unsigned compared = 0;
    unsigned cut_alike = 0;
    for (const unsigned seed : drawn::seeds(set, kWorlds)) {
        const World world = drawn::draw_world(seed);
        const search::Answer answer = search::search(world.graph, world.cluster, world.space);
        if (answer.plans.empty()) {
            continue;
        }
        const plan::Plan& plan = answer.plans.front().plan;
        cluster::Cluster other = world.cluster;
        better(other);
        const Prediction then = step::predict(world.graph, other, plan);
        const Prediction now = step::predict(world.graph, world.cluster, plan);
        ++compared;
        const bool same = same_cut(then, now);
        cut_alike += same ? 1 : 0;
        const bool splits = plan.pipeline_stages() > 1 && plan::schedule_of(plan.schedule).traits.splits_backward;
        const bool hides_layers = plan.overlap.tensor || plan.overlap.expert;
        const bool covers_twice = hides_layers && (plan.overlap.gradients || plan.overlap.parameters);
        const double more = !same ? kOtherCut : covers_twice ? kSameCover : splits ? kSplit : 1e-9;
        EXPECT_LE(then.step.value.in(unit::second), (1 + more) * now.step.value.in(unit::second))
            << world.network << ", world " << seed << ": " << reports::plan_text(now);
    }
    EXPECT_TRUE(!drawn::full() || (compared > kWorlds / 5 && cut_alike >= 0.8 * compared))
        << cut_alike << " of " << compared << " cut alike";
}

// ResNet-50 on devices 3.3 times faster once took 54.9 ms in place of 51.2: gradients hid behind kernels alone, not
// behind the host's waits that took the kernels' place.
TEST_P(Answers, AreNoSlowerOnFasterDevices) {
    expect_no_slower(GetParam(), [](cluster::Cluster& cluster) {
        constexpr double kFaster = 3.3;
        for (auto& [precision, peak] : cluster.device.matrix) {
            peak = kFaster * peak;
        }
        cluster.device.vector = kFaster * cluster.device.vector;
        cluster.device.memory_bandwidth = kFaster * cluster.device.memory_bandwidth;
    });
}

// Joint reductions were only tried where flows share a link, so that a job alone was slower than one among eight.
TEST_P(Answers, AreNoSlowerWithoutContention) {
    for (const unsigned seed : drawn::seeds(GetParam(), kWorlds)) {
        World world = drawn::draw_world(seed);
        const search::Answer answer = search::search(world.graph, world.cluster, world.space);
        if (answer.plans.empty()) {
            continue;
        }
        const auto step = [&](double contention) {
            world.cluster.contention = contention;
            return step::predict(world.graph, world.cluster, answer.plans.front().plan).step.value.in(unit::second);
        };
        EXPECT_LE(step(1), (1 + 1e-9) * step(8)) << world.network << ", world " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Drawn, Answers, testing::Range(0U, 8U));

}  // namespace answers_test
}  // namespace dodona
