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
#include "search/space.hpp"
#include "step/predict.hpp"

namespace dodona::derivation {
namespace recorded_test {

using drawn::Draw;
using drawn::World;

std::string text(const step::Prediction& p) {
    std::string out;
    if (p.runs) {
        out += fmt::format(
            "  {:.7g} ({:.7g} to {:.7g}) ms, mfu {:.6g}, hfu {:.6g}, {} micro-batches, stages {} and {}\n",
            1e3 * p.step.value.in(unit::second), 1e3 * p.step.lo.in(unit::second), 1e3 * p.step.hi.in(unit::second),
            p.mfu, p.hfu, p.microbatches, p.critical_stage, p.fullest_stage);
        out += fmt::format("  {:.6g} samples a second, {:.6g} tokens, {} data ranks, {:.8g} B reserved\n",
                           p.samples_per_second, p.tokens_per_second.value_or(0), p.data_ranks,
                           p.totals.reserved.in(unit::byte));
        if (p.epoch) {
            out += fmt::format("  {:.6g} steps an epoch, {:.6g} s and {:.6g} s, {:.6g} s\n", p.epoch->iterations,
                               p.epoch->compute.in(unit::second), p.epoch->communication.in(unit::second),
                               p.epoch->total.in(unit::second));
        }
        out += "  time";
        for (std::size_t i = 0; i < step::kTimeParts; ++i) {
            out += fmt::format(" {:.6g}/{:.6g}", 1e6 * p.time.values[i].in(unit::second),
                               1e6 * p.busy.values[i].in(unit::second));
        }
        out += "\n  memory";
        for (const Bytes part : p.memory.values) {
            out += fmt::format(" {:.8g}", part.in(unit::byte));
        }
        out += fmt::format("; most {:.8g}", p.most_memory.in(unit::byte));
        if (p.host) {
            out += fmt::format("; host {:.7g} in {:.7g} out {:.7g}", p.host->memory.in(unit::byte),
                               p.host->in.in(unit::byte), p.host->out.in(unit::byte));
        }
        out += '\n';
        for (const step::StagePrediction& stage : p.stages) {
            out += fmt::format("  {}: {:.7g} us, {:.7g} B\n", stage.layers, 1e6 * stage.time.in(unit::second),
                               stage.memory.process.in(unit::byte));
        }
        for (const step::CommunicationLine& line : p.communication) {
            out += fmt::format("  {} of {}: {:.6g} a step, {:.7g} B, {:.7g} B sent, {:.6g} us, phi {:.6g}\n",
                               step::text(line), line.ranks, line.per_step, line.size.in(unit::byte),
                               line.sent.in(unit::byte), 1e6 * line.time.in(unit::second), line.contention);
        }
        for (const step::Bottleneck& bottleneck : p.bottlenecks) {
            out += fmt::format("  {} {:.6g}\n", static_cast<int>(bottleneck.kind), bottleneck.share);
        }
    }
    for (const plan::Limit& limit : p.limits) {
        out += "  " + text(limit) + '\n';
    }
    return out + (p.why_not ? "  no: " + text(*p.why_not) + '\n' : "");
}

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
            out += text(step::predict(world.graph, world.cluster, plan));
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
