// Thousands of small worlds, drawn with fixed seeds: the answer from tables and with bounds is that of the exhaustive
// walk, to the last byte of what it says of plans and of what does not fit.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "drawn_world.hpp"
#include "reports/collect/plan_report.hpp"
#include "reports/render/json.hpp"

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

INSTANTIATE_TEST_SUITE_P(Drawn, Worlds, testing::Range(0U, 8U));

}  // namespace worlds_test
}  // namespace dodona
