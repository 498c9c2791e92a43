// Predictions of drawn plans of every strategy, and how far it goes, as they were recorded: tests/derivation/recorded/. What
// is right is tested by hand elsewhere; this says that nothing changes unseen. DODONA_ACCEPT=1 rewrites them; `git diff`
// reviews.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "drawn_plan.hpp"
#include "plan/axis_limit.hpp"
#include "recorded_prediction.hpp"
#include "search/space.hpp"
#include "step/predict.hpp"

namespace dodona::derivation {
namespace recorded_test {

using drawn::Draw;
using drawn::World;

/// How far a strategy goes on a network.
std::string limits(const graph::Graph& graph, const plan::Strategy& strategy, std::optional<std::int64_t> batch) {
    const std::vector<plan::AxisLimit> axes = plan::axis_limits(graph, strategy, batch);
    std::string out = "  at most";
    for (const plan::AxisLimit& axis : axes) {
        out += fmt::format(" {} {}, even {};", axis.axis, axis.largest.value_or(-1), axis.even.value_or(-1));
    }
    const plan::Reach reach = plan::reach(graph, strategy, axes, batch);
    out += fmt::format(" together {}{}:", reach.devices.value_or(-1), reach.exact ? "" : " or more");
    for (const plan::MeshAxis& axis : reach.mesh) {
        out += fmt::format(" {} {}", axis.name, axis.size);
    }
    for (const plan::AxisLimit& axis : axes) {
        out += axis.set_by ? "\n    " + text(*axis.set_by) : "";
        out += axis.uneven ? "\n    " + text(*axis.uneven) : "";
    }
    return out + '\n';
}

/// Eight drawn plans of a strategy.
std::string predictions(const plan::Strategy& strategy, unsigned seed) {
    std::string out;
    for (int i = 0; i < 8; ++i) {
        World world = drawn::draw_world(++seed);
        Draw draw(seed);
        world.cluster.device.memory = 16_GiB;
        world.graph.dataset.samples = 1000;
        const plan::Plan plan = drawn::draw_plan(draw, world, strategy);
        out += fmt::format("{}, {}", seed, world.network);
        for (const plan::MeshAxis& axis : plan.mesh) {
            out += fmt::format(" {} {}", axis.name, axis.size);
        }
        out += '\n';
        try {
            out += recorded(step::predict(world.graph, world.cluster, plan));
        } catch (const InputError& error) {
            out += "  " + error.diagnostics().front().message + '\n';
        }
        if (i < 4) {
            out += limits(world.graph, strategy, i % 2 == 0 ? std::optional(plan.batch) : std::nullopt);
        }
    }
    return out;
}

constexpr std::size_t kParts = 9;

class RecordedPredictions : public testing::TestWithParam<std::size_t> {};

TEST_P(RecordedPredictions, do_not_change_unseen) {
    const char* const root = std::getenv("DODONA_SOURCE");
    const files::Library library = drawn::library();
    const std::vector<std::string> names = library.strategies();
    for (std::size_t i = GetParam(); i < names.size(); i += kParts) {
        const std::string path =
            std::string(root == nullptr ? "." : root) + "/tests/derivation/recorded/" + names[i] + ".txt";
        const std::string now = predictions(library.strategy(names[i]), static_cast<unsigned>(9000 + 100 * i));
        if (std::getenv("DODONA_ACCEPT") != nullptr) {
            std::ofstream(path) << now;
        }
        std::stringstream before;
        before << std::ifstream(path).rdbuf();
        EXPECT_EQ(before.str(), now) << "DODONA_ACCEPT=1 rewrites " << path;
    }
}

INSTANTIATE_TEST_SUITE_P(OfStrategies, RecordedPredictions, testing::Range<std::size_t>(0, kParts));

}  // namespace recorded_test
}  // namespace dodona::derivation
