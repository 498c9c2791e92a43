#include <optional>
#include <string>

#include "../derivation/drawn_plan.hpp"
#include "base/text_hash.hpp"
#include "plan/axis_limit.hpp"
#include "prediction.hpp"
#include "step/predict.hpp"

namespace dodona::signature {

namespace {

using drawn::Draw;
using drawn::World;

/// How far a strategy goes on a network.
void add_limits(Records& records, const graph::Graph& graph, const plan::Strategy& strategy,
                std::optional<std::int64_t> batch) {
    const std::vector<plan::AxisLimit> axes = plan::axis_limits(graph, strategy, batch);
    for (const plan::AxisLimit& axis : axes) {
        const std::string which = "limit of an axis: " + axis.axis;
        records.add(which, fmt::format("{}, even {}", axis.largest.value_or(-1), axis.even.value_or(-1)));
        records.add(which + ", set by", axis.set_by ? text(*axis.set_by) : "");
        records.add(which + ", uneven", axis.uneven ? text(*axis.uneven) : "");
    }
    const plan::Reach reach = plan::reach(graph, strategy, axes, batch);
    std::string mesh;
    for (const plan::MeshAxis& axis : reach.mesh) {
        mesh += fmt::format(" {} {}", axis.name, axis.size);
    }
    records.add("limit of devices",
                fmt::format("{}{}:{}", reach.devices.value_or(-1), reach.exact ? "" : " or more", mesh));
}

}  // namespace

void add_strategies(Records& records) {
    const files::Library library = drawn::library();
    for (const std::string& name : library.strategies()) {
        const plan::Strategy strategy = library.strategy(name);
        for (unsigned i = 0; i < 8; ++i) {
            const unsigned seed = static_cast<unsigned>(text_hash(name)) + i;  // a new strategy changes no other's

            World world = drawn::draw_world(seed);
            Draw draw(seed);
            world.cluster.device.memory = 16_GiB;
            world.graph.dataset.samples = 1000;
            const plan::Plan plan = drawn::draw_plan(draw, world, strategy);
            std::string question = fmt::format("{}, {}", i, world.network);
            for (const plan::MeshAxis& axis : plan.mesh) {
                question += fmt::format(" {} {}", axis.name, axis.size);
            }
            records.ask("strategy " + name, question);
            try {
                add(records, step::predict(world.graph, world.cluster, plan));
            } catch (const InputError& error) {
                records.add("fault", error.diagnostics().front().message);
            }
            if (i < 4) {
                add_limits(records, world.graph, strategy, i % 2 == 0 ? std::optional(plan.batch) : std::nullopt);
            }
        }
    }
}

}  // namespace dodona::signature
