// Thousands of small worlds, drawn with fixed seeds: the answer from tables and with bounds is that of the exhaustive
// walk, to the last byte of what it says of plans and of what does not fit.
#include <algorithm>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "drawn_world.hpp"
#include "reports/collect/plan_report.hpp"
#include "reports/render/json.hpp"
#include "search/adjustable_parameters.hpp"

namespace dodona {
namespace worlds_test {

/// All that an answer says but for how it was found.
std::string told(search::Answer answer) {
    answer.counts.evaluated = 0;
    answer.counts.pruned = 0;
    answer.counts.seconds = 0;
    return reports::json_page(reports::plan_document(answer, "").record);
}

/// Of each of the eight sets.
unsigned worlds() {
    const char* asked = std::getenv("DODONA_WORLDS");
    return asked == nullptr ? 250 : static_cast<unsigned>(std::stoul(asked));
}

class Worlds : public testing::TestWithParam<unsigned> {};

TEST_P(Worlds, TablesAndBoundsFindWhatTheExhaustiveWalkFinds) {
    unsigned with_plans = 0;
    unsigned pruned = 0;
    for (unsigned seed = 0; seed < worlds(); ++seed) {
        drawn::World world = drawn::draw_world(1000 * GetParam() + seed);
        auto& [network, graph, cluster, space] = world;
        const search::Answer quick = search::search(graph, cluster, space);
        space.exhaustive = true;
        const search::Answer slow = search::search(graph, cluster, space);
        ASSERT_EQ(told(quick), told(slow))
            << "world " << GetParam() << "/" << seed << ": " << network << " on " << space.devices;
        EXPECT_EQ(slow.counts.pruned, 0);
        with_plans += quick.plans.empty() ? 0U : 1U;
        pruned += quick.counts.pruned > 0 ? 1U : 0U;
    }
    EXPECT_GT(with_plans, worlds() / 5) << "worlds in which something fits";
    EXPECT_GE(pruned, worlds() / 25) << "worlds in which bounds are used";
}

/// One parameter of the machine or the software is worse; which one differs from world to world.
TEST_P(Worlds, BoundsFromBetterConditionsListTheSamePlans) {
    unsigned bounded = 0;
    for (unsigned seed = 0; seed < worlds() / 2; ++seed) {
        drawn::World world = drawn::draw_world(1000 * GetParam() + seed);
        auto& [network, graph, cluster, space] = world;
        space.only_usual = true;
        space.top = 2;
        step::PlayedOrders orders;
        const search::LeastTimes none;
        const search::ListedPlans better = search::search_again(graph, {cluster, space, none, orders});
        if (better.plans.empty()) {
            continue;
        }
        const search::Conditions now{.cluster = cluster,
                                     .framework = space.framework,
                                     .batch = space.batch,
                                     .max_memory = space.max_memory,
                                     .reserve = space.reserve};
        const auto parameters = search::adjustable_parameters(now, graph, better.plans.front().plan);
        const search::AdjustableParameter& parameter = parameters[seed % parameters.size()];
        if (parameter.by_doublings) {
            continue;
        }
        const double worse = parameter.parameter.more_is_better ? std::max(0.6, parameter.parameter.least)
                                                                : std::min(1.6, parameter.parameter.most);
        const search::Conditions then = parameter.adjusted(now, worse);
        space.framework = then.framework;
        space.max_memory = then.max_memory;
        search::Answer slow = search::search(graph, then.cluster, space);
        const std::string expected = told(slow);
        std::int64_t looked_at = 0;
        slow.plans = search::search_again(graph, {then.cluster, space, better.least, orders},
                                          [&](std::int64_t done, std::int64_t) {
                                              looked_at = done;
                                              return true;
                                          })
                         .plans;
        ASSERT_EQ(told(slow), expected) << "world " << GetParam() << "/" << seed << ": " << network << " on "
                                        << space.devices << ", " << parameter.parameter.key;
        bounded += looked_at < static_cast<std::int64_t>(better.least.size()) ? 1U : 0U;
    }
    EXPECT_GE(bounded, worlds() / 25) << "worlds in which meshes are left out";
}

/// What is asked of one plan only is bounded by what devices compute.
TEST_P(Worlds, TheBestAloneIsTheFirstOfAll) {
    unsigned fewer = 0;
    for (unsigned seed = 0; seed < worlds(); ++seed) {
        drawn::World world = drawn::draw_world(1000 * GetParam() + seed);
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
        ASSERT_EQ(told(best), told(all)) << "world " << GetParam() << "/" << seed << ": " << network << " on "
                                         << space.devices;
    }
    EXPECT_GE(fewer, worlds() / 5) << "worlds in which plans are left out";
}

INSTANTIATE_TEST_SUITE_P(Drawn, Worlds, testing::Range(0U, 8U));

}  // namespace worlds_test
}  // namespace dodona
