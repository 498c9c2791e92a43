// Small drawn worlds, a thousand with DODONA_FULL=1: the answer from tables and with bounds is that of the exhaustive walk,
// to the last byte of what it says of plans and of what does not fit.
#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "drawn_world.hpp"
#include "questions/plans/plans.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/render/json.hpp"
#include "search/memory_lower_bound.hpp"
#include "search/mesh_layouts.hpp"
#include "search/space.hpp"
#include "step/evaluate.hpp"

namespace dodona {
namespace worlds_test {

/// All that an answer says but for how it was found.
std::string told(search::Answer answer) {
    answer.counts.evaluated = 0;
    answer.counts.pruned = 0;
    answer.counts.seconds = 0;
    return reports::json_page(questions::plans::document({.found = answer}).record);
}

/// Every fifth with an optimizer that updates whole matrices.
drawn::World world_of(unsigned seed) {
    drawn::World world = drawn::draw_world(seed);
    if (seed % 5 == 0) {
        world.space.optimizer = seed % 2 == 0 ? plan::OptimizerKind::muon : plan::OptimizerKind::soap;
    }
    return world;
}

constexpr unsigned kWorlds = 120;  ///< of each of the eight sets

class Worlds : public testing::TestWithParam<unsigned> {
protected:
    /// In one set of uneven worlds there may be none in which bounds are used.
    static void TearDownTestSuite() {
        EXPECT_TRUE(!drawn::full() || uneven == 0 || 10 * uneven_pruned > uneven)
            << uneven_pruned << " of " << uneven << " worlds in which bounds are used";
    }

    static inline unsigned uneven = 0;         ///< worlds of uneven blocks, of all sets
    static inline unsigned uneven_pruned = 0;  ///< ... in which bounds are used
};

TEST_P(Worlds, TablesAndBoundsFindWhatTheExhaustiveWalkFinds) {
    unsigned with_plans = 0;
    unsigned pruned = 0;
    for (const unsigned seed : drawn::seeds(GetParam(), kWorlds)) {
        drawn::World world = world_of(seed);
        auto& [network, graph, cluster, space] = world;
        const search::Answer quick = search::search(graph, cluster, space);
        space.exhaustive = true;
        const search::Answer slow = search::search(graph, cluster, space);
        ASSERT_EQ(told(quick), told(slow)) << "world " << seed << ": " << network << " on " << space.devices;
        EXPECT_EQ(slow.counts.pruned, 0);
        with_plans += quick.plans.empty() ? 0U : 1U;
        pruned += quick.counts.pruned > 0 ? 1U : 0U;
    }
    EXPECT_TRUE(!drawn::full() || with_plans >= kWorlds / 5) << with_plans << " worlds in which something fits";
    EXPECT_TRUE(!drawn::full() || pruned >= kWorlds / 25) << pruned << " worlds in which bounds are used";
}

/// Where blocks differ, bounds hold for every cut of a pipeline.
TEST_P(Worlds, BoundsHoldForPipelinesOfUnevenBlocks) {
    for (const unsigned seed : drawn::seeds(GetParam(), kWorlds / 10)) {
        drawn::World world = drawn::draw_uneven_world(seed);
        auto& [network, graph, cluster, space] = world;
        const search::Answer quick = search::search(graph, cluster, space);
        space.exhaustive = true;
        const search::Answer slow = search::search(graph, cluster, space);
        ASSERT_EQ(told(quick), told(slow)) << "world " << seed << " on " << space.devices;
        ++uneven;
        uneven_pruned += quick.counts.pruned > 0 ? 1U : 0U;
    }
}

/// How much of what plans of one layout need a bound shows.
struct Shown {
    int plans = 0;
    int half = 0;  ///< plans of which more than half is needed wherever the pipeline is cut
};

/// Expects that the bound for all cuts is no more than what plans need, with what the first micro-batch keeps.
void expect_bounded(const drawn::World& world, const search::MeshLayout& layout, step::ScheduleTimings& orders,
                    Shown& shown) {
    plan::Plan plan = search::plan_of(world.space, layout);
    layout.apply(plan);
    plan.microbatch = 1;
    const step::CostedGraph first = step::cost_graph(world.graph, world.cluster, plan, {});
    const search::Variants variants(world.graph, world.space.vary, world.space.overlap, {});
    for (const std::int64_t microbatch : search::divisors(layout.samples)) {
        plan.microbatch = microbatch;
        const step::CostedGraph costed = step::cost_graph(world.graph, world.cluster, plan, {});
        if (plan::tightest_broken(costed.sharded->limits) != nullptr ||
            world.graph.segment_count() < plan.pipeline_stages()) {
            return;
        }
        EXPECT_TRUE(search::keeps_in_proportion(first, 1, costed, microbatch));
        for (const search::Variant& variant : variants.of(plan)) {
            variant.apply(plan);
            if (plan.places().on_stage() > 1) {
                continue;
            }
            const Bytes needed = step::evaluate(costed, plan, step::Detail::totals).memory.total();
            search::MemoryLowerBound cuts(costed, first, orders);
            const auto may_fit = [&](Bytes limit) {
                return cuts.may_fit(plan, layout.samples / microbatch, static_cast<double>(microbatch), limit);
            };
            EXPECT_TRUE(may_fit(needed)) << reports::plan_text(step::evaluate(costed, plan));
            ++shown.plans;
            shown.half += may_fit(0.5 * needed) ? 0 : 1;
        }
    }
}

TEST_P(Worlds, NoPlanNeedsLessThanTheBoundForAllCuts) {
    Shown shown;
    step::ScheduleTimings orders;
    for (const unsigned seed : drawn::seeds(GetParam(), kWorlds / 10)) {
        const drawn::World world = drawn::draw_uneven_world(seed);
        for (const search::MeshLayout& layout : search::enumerate(world.graph, world.cluster, world.space).layouts) {
            expect_bounded(world, layout, orders, shown);
            ASSERT_FALSE(HasFailure()) << "world " << seed;
        }
    }
    EXPECT_TRUE(!drawn::full() || shown.half > shown.plans / 4);
}

/// What is asked of one plan only is bounded by what devices compute.
TEST_P(Worlds, TheBestAloneIsTheFirstOfAll) {
    unsigned fewer = 0;
    for (const unsigned seed : drawn::seeds(GetParam(), kWorlds)) {
        drawn::World world = world_of(seed);
        auto& [network, graph, cluster, space] = world;
        space.top = 1;
        search::Answer all = search::search(graph, cluster, space);
        space.best_only = true;
        search::Answer best = search::search(graph, cluster, space);
        fewer += best.counts.evaluated < all.counts.evaluated ? 1U : 0U;
        if (!all.plans.empty()) {  // what cannot run is counted only where nothing can
            best.counts = all.counts;
            best.infeasible = all.infeasible;
        }
        all.in_other_software.clear();
        ASSERT_EQ(told(best), told(all)) << "world " << seed << ": " << network << " on " << space.devices << " with "
                                         << plan::name(space.optimizer);
    }
    EXPECT_TRUE(!drawn::full() || fewer >= kWorlds / 5) << fewer << " worlds in which plans are left out";
}

INSTANTIATE_TEST_SUITE_P(Drawn, Worlds, testing::Range(0U, 8U));

}  // namespace worlds_test
}  // namespace dodona
