// A thousand plans of the built-in networks and machines, drawn with a fixed seed: the closed form beside the same step
// played task by task.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "files/library.hpp"
#include "play/simulated_step.hpp"
#include "search/space.hpp"
#include "step/validate.hpp"

namespace dodona {
namespace played_test {

/// How far a closed form may be off, and how many may be further off.
constexpr double kNear = 0.02;
constexpr double kFurther = 0.05;

files::Library library() {
    const char* root = std::getenv("DODONA_SOURCE");
    return files::Library(root == nullptr ? "." : root);
}

std::size_t asked_plans() {
    const char* asked = std::getenv("DODONA_PLANS");
    return asked == nullptr ? 1000 : std::stoul(asked);
}

class Draw {
public:
    /// Not std::uniform_int_distribution: it may draw otherwise in another library.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_()) % n; }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template <class T>
    const T& of(const std::vector<T>& values) {
        return values[below(values.size())];
    }

private:
    std::mt19937 random_{7};
};

struct Networks {
    std::vector<std::string> names = library().models();
    std::map<std::string, graph::Graph> known;

    const graph::Graph& draw(Draw& draw) {
        const std::string& name = draw.of(names);
        auto found = known.find(name);
        if (found == known.end()) {
            found = known.emplace(name, graph::build(library().model(name, {}))).first;
        }
        return found->second;
    }
};

/// Any schedule that flushes. Without a flush a step has no first and last task to play from.
void draw_schedule(Draw& draw, plan::Plan& plan) {
    const std::vector<plan::ScheduleKind> kinds = [] {
        std::vector<plan::ScheduleKind> found;
        for (const plan::ScheduleKind kind : values_of(plan::kScheduleTable)) {
            if (plan::schedule_of(kind).traits.flushes) {
                found.push_back(kind);
            }
        }
        return found;
    }();
    plan.schedule = draw.of(kinds);
    const auto [least, most] = plan::schedule_of(plan.schedule).traits.virtual_stages;
    plan.virtual_stages = std::clamp<std::int64_t>(plan.virtual_stages, least, most);
}

/// One plan of the space of a drawn strategy and mesh; none if the strategy has no mesh of that size.
std::optional<plan::Plan> draw_plan(Draw& draw, const graph::Graph& graph, std::int64_t devices) {
    plan::Plan plan;
    plan.strategy = library().strategy(draw.of(library().strategies()));
    if (!search::considered(plan.strategy, graph)) {
        return std::nullopt;
    }
    const std::vector<std::vector<plan::MeshAxis>> meshes = search::meshes(plan.strategy, devices);
    if (meshes.empty()) {
        return std::nullopt;
    }
    plan.mesh = draw.of(meshes);
    const bool piped = plan.strategy.pipeline && plan.axis_size(*plan.strategy.pipeline) > 1;
    if (!piped && !draw.one_in(24)) {
        return std::nullopt;  // without a pipeline both are the same
    }
    plan.microbatch = static_cast<std::int64_t>(std::size_t{1} << draw.below(3));
    plan.batch = step::data_ranks(plan) * plan.microbatch * static_cast<std::int64_t>(1 + draw.below(96));
    plan.precision = Precision::bf16;
    plan.framework = library().framework(draw.of(library().frameworks()));
    const std::vector<plan::Plan> variants = search::variants(plan, graph);
    plan = draw.of(variants);
    plan.overlap.pipeline = draw.one_in(6);
    if (piped && draw.one_in(2)) {
        draw_schedule(draw, plan);
    }
    return plan;
}

struct Comparison {
    std::string text;
    double ratio = 1;  ///< closed form over played
};

TEST(Played, ClosedFormsOfAThousandPlansAreWithinTwoPercent) {
    Draw draw;
    Networks networks;
    std::vector<std::string> machines = library().clusters();
    std::vector<Comparison> plans;
    std::vector<Comparison> off;
    std::size_t pipelines = 0;
    std::map<plan::ScheduleKind, int> by_schedule;
    while (plans.size() < asked_plans()) {
        const graph::Graph& graph = networks.draw(draw);
        const cluster::Cluster cluster = library().cluster(draw.of(machines));
        const auto devices = static_cast<std::int64_t>(std::size_t{1} << draw.below(9));
        const std::optional<plan::Plan> plan = draw_plan(draw, graph, devices);
        if (!plan || devices > cluster.devices() || cluster.device_kinds(devices).size() > 1) {
            continue;
        }
        std::optional<play::SimulatedStep> step;
        try {
            step = play::simulate_step(graph, cluster, *plan);
        } catch (const InputError&) {
            continue;  // the network or machine cannot do that
        }
        const double ratio = step->prediction.step.value / step->time();
        const std::int64_t stages = step->steps.stages;
        plans.push_back(
            {fmt::format("{} on {} of {}: {} {}, {} stages x {}, {} micro-batches, {}{}", graph.name, devices,
                         cluster.name, plan->strategy.name, name(plan->schedule), stages, plan->virtual_stages,
                         step->costs.microbatches, plan->microbatch, plan->overlap.pipeline ? ", overlapped" : ""),
             ratio});
        pipelines += stages > 1 ? 1U : 0U;
        by_schedule[plan->schedule] += stages > 1 ? 1 : 0;
        if (stages == 1) {
            EXPECT_NEAR(ratio, 1, 1e-9) << plans.back().text;
        }
        if (std::abs(ratio - 1) > kNear) {
            off.push_back(plans.back());
        }
    }
    std::string told;
    std::sort(off.begin(), off.end(), [](const Comparison& a, const Comparison& b) { return a.ratio < b.ratio; });
    for (const Comparison& each : off) {
        told += fmt::format("{:+.1f} %: {}\n", 100 * (each.ratio - 1), each.text);
    }
    RecordProperty("pipelines", static_cast<int>(pipelines));
    RecordProperty("off", static_cast<int>(off.size()));
    EXPECT_GE(pipelines, plans.size() / 2);
    for (const plan::ScheduleKind kind : values_of(plan::kScheduleTable)) {
        const bool expected = plan::schedule_of(kind).traits.flushes && plans.size() >= 1000;
        EXPECT_GE(by_schedule[kind], expected ? 1 : 0) << name(kind);
    }
    EXPECT_LE(static_cast<double>(off.size()), kFurther * static_cast<double>(plans.size())) << told;
    if (std::getenv("DODONA_PLANS") != nullptr) {
        fmt::print("{} plans, {} with a pipeline, {} beyond {} %\n{}", plans.size(), pipelines, off.size(), 100 * kNear,
                   told);
    }
}

}  // namespace played_test
}  // namespace dodona
