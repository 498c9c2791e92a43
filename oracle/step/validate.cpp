#include "step/validate.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "plan/mesh.hpp"
#include "plan/recompute.hpp"
#include "step/offload.hpp"
#include "step/placement.hpp"

namespace dodona::step {

namespace {

std::vector<std::string> axis_names(const plan::Plan& plan) {
    std::vector<std::string> names = plan.strategy.axes;
    append(names, plan.folds, &plan::Fold::name);
    return names;
}

void check_mesh(const plan::Plan& plan, const cluster::Cluster& cluster, const Location& where, Diagnostics& faults) {
    const std::vector<std::string> known = axis_names(plan);
    std::set<std::string> seen;
    for (const plan::MeshAxis& axis : plan.mesh) {
        if (std::find(known.begin(), known.end(), axis.name) == known.end()) {
            faults.error(where,
                         fmt::format("strategy \"{}\" does not use an axis \"{}\"{}", plan.strategy.name, axis.name,
                                     did_you_mean(axis.name, known)),
                         fmt::format("its axes: {}", known.empty() ? "none" : join(known)));
        }
        if (!seen.insert(axis.name).second) {
            faults.error(where, fmt::format("axis \"{}\" is in the mesh twice", axis.name));
        }
        if (axis.size < 1) {
            faults.error(where, fmt::format("axis \"{}\" has size {}", axis.name, axis.size), "sizes are 1 or more");
        }
    }
    if (plan.devices() > cluster.devices()) {
        faults.error(
            where, fmt::format("the mesh needs {} devices, {} has {}", plan.devices(), cluster.name, cluster.devices()),
            "choose a smaller mesh or a larger machine");
    }
    for (const plan::Fold& fold : plan.folds) {
        for (const std::string& axis : fold.of) {
            if (seen.count(axis) == 0) {
                faults.error(where,
                             fmt::format("fold \"{}\" uses axis \"{}\", which is not in the mesh", fold.name, axis));
            }
        }
    }
}

void check_batch(const plan::Plan& plan, const Location& where, Diagnostics& faults) {
    const bool positive = all_of(plan.mesh, [](const plan::MeshAxis& axis) { return axis.size >= 1; });
    if (!positive) {
        return;
    }
    if (const auto fault = plan::Mesh::fault_of(plan)) {
        faults.error(where, fault->message, fault->help);
        return;
    }
    const std::int64_t ranks = data_ranks(plan);
    if (plan.batch < 1 || plan.microbatch < 1) {
        faults.error(where,
                     fmt::format("batch {} and micro-batch {} must both be 1 or more", plan.batch, plan.microbatch));
    } else if (plan.batch % (ranks * plan.microbatch) != 0) {
        const std::int64_t step = ranks * plan.microbatch;
        const std::int64_t below = plan.batch / step * step;
        faults.error(where,
                     fmt::format("batch {} does not divide by {} data ranks x micro-batch {}", plan.batch, ranks,
                                 plan.microbatch),
                     below > 0 ? fmt::format("nearest batches that do: {} and {}", below, below + step)
                               : fmt::format("the smallest batch that does: {}", step));
    }
}

/// A stage without a block holds the layers before the first block or after the last, or it holds nothing.
void check_stages(const graph::Graph& graph, const plan::Plan& plan, const Location& where, Diagnostics& faults) {
    const std::int64_t positions = plan.pipeline_stages() * plan.virtual_stages;
    const std::int64_t blocks = graph.block_count();
    const std::int64_t given = std::accumulate(plan.stages.begin(), plan.stages.end(), std::int64_t{0});
    if (static_cast<std::int64_t>(plan.stages.size()) != positions) {
        faults.error(where, fmt::format("{} stage sizes are given for {} stages x {} virtual stages",
                                        plan.stages.size(), plan.pipeline_stages(), plan.virtual_stages));
        return;
    }
    if (given != blocks) {
        faults.error(where, fmt::format("the stages hold {} blocks, the network has {}", given, blocks),
                     fmt::format("sizes must add up to {}", blocks));
        return;
    }
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const bool has_layers = (i == 0 && !graph.segments.front().is_block()) ||
                                (i + 1 == plan.stages.size() && !graph.segments.back().is_block());
        if (plan.stages[i] == 0 && !has_layers) {
            faults.error(where, fmt::format("stage {} holds nothing", i + 1),
                         "only a first or last stage that has layers beside the blocks may do without a block");
        }
    }
}

void check_schedule(const graph::Graph& graph, const plan::Plan& plan, const Location& where, Diagnostics& faults) {
    const std::int64_t stages = plan.pipeline_stages();
    const auto [least, most] = plan::schedule_of(plan.schedule).traits.virtual_stages;
    if (plan.virtual_stages > most && most > 1) {
        faults.error(where,
                     fmt::format("{} has {} virtual stages per pipeline rank, not {}", name(plan.schedule), most,
                                 plan.virtual_stages),
                     fmt::format("set virtual_stages to {}", most));
    }
    if (plan.virtual_stages < least && least == most && stages > 1) {
        faults.error(where,
                     fmt::format("{} has {} virtual stages per pipeline rank, not {}", name(plan.schedule), least,
                                 plan.virtual_stages),
                     fmt::format("set virtual_stages to {}", least));
    }
    if (plan.virtual_stages > 1 && !plan::has_virtual_stages(plan.schedule)) {
        faults.error(where,
                     fmt::format("{} virtual stages per pipeline rank need the schedule interleaved-1f1b, not {}",
                                 plan.virtual_stages, name(plan.schedule)),
                     "add --schedule interleaved-1f1b");
    }
    if (plan.virtual_stages > 1 && stages == 1) {
        faults.error(where, "virtual stages need a pipeline of at least two stages", "set virtual_stages to 1");
    }
    if (!plan.stages.empty()) {
        check_stages(graph, plan, where, faults);
    }
    if (plan.recompute == plan::RecomputeKind::every && plan.recompute_every < 1) {
        faults.error(where, fmt::format("a checkpoint every {} blocks means nothing", plan.recompute_every),
                     "give 1 or more");
    }
    if (plan.repeated.first < 0 || plan.repeated.one_in < 1) {
        faults.error(where, "blocks that are recomputed are counted from 1", "give 1 or more");
    }
    if (plan.recompute == plan::RecomputeKind::layers && plan.recompute_layers.empty() &&
        plan.recompute_modules.empty()) {
        faults.error(where, "no layers are named to be recomputed", "name some, or recompute none");
    }
    for (const std::string& module : plan::unknown_modules(plan)) {
        faults.error(where, fmt::format("recompute: {} knows no module \"{}\"", plan.framework.label(), module),
                     plan::modules_text(plan.memory));
    }
    for (const std::string& pattern : plan::unmatched_layers(graph, plan)) {
        faults.error(where, fmt::format("recompute: no layer of {} is called \"{}\"", graph.name, pattern),
                     "layers are called as in the model file, `*` stands for any characters: norm1, layers*/gated");
    }
}

}  // namespace

namespace {

/// Domain: sizes of the mesh that divide (Mesh::fault_of).
void check_gathers(const plan::Plan& plan, const Location& where, Diagnostics& faults) {
    if (plan.gather_group == 0 || faults.has_errors()) {
        return;
    }
    if (plan.shard != plan::ShardLevel::parameters || plan.keep_parameters || plan.offload.weights) {
        faults.error(where, "a gather group is of weights that backward gathers again",
                     "shard parameters, keep none of them and offload no weights, or leave the group out");
    } else if (const std::optional<plan::Mesh> mesh = plan::Mesh::of(plan)) {
        const plan::Atoms shared = mesh->shard_atoms(mesh->axes(plan.strategy.shard_axes));
        if (mesh->ways(mesh->gather_atoms(shared)) != plan.gather_group || mesh->ways(shared) <= plan.gather_group) {
            faults.error(where,
                         fmt::format("a gather group of {} is no part of the {} ranks that share the weights",
                                     plan.gather_group, mesh->ways(shared)),
                         "the ranks of a node, where the weights are shared by several");
        }
    }
}

}  // namespace

void check_devices(const cluster::Cluster& cluster, std::int64_t ranks, Precision precision, const Location& where,
                   Diagnostics& faults) {
    const std::vector<cluster::DeviceKind> kinds = cluster.device_kinds(ranks);
    if (kinds.size() > kMaxDeviceKinds) {
        faults.error(where, fmt::format("the job has {} kinds of devices", kinds.size()),
                     fmt::format("at most {} work together", kMaxDeviceKinds));
    }
    for (const cluster::DeviceKind& kind : kinds) {
        if (!kind.device->supports(precision)) {
            std::vector<std::string> known;
            for (const auto& [other, peak] : kind.device->matrix) {
                known.emplace_back(name(other));
            }
            faults.error(where, fmt::format("{} has no {} matrix units", kind.device->name, name(precision)),
                         fmt::format("its precisions: {}", join(known)));
        }
    }
}

std::int64_t data_ranks(const plan::Plan& plan, const Location& where) {
    const plan::Mesh mesh(plan, where);
    return mesh.ways(data_atoms(mesh, plan.strategy));
}

Diagnostics plan_faults(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                        const Location& where) {
    Diagnostics faults;
    check_mesh(plan, cluster, where, faults);
    check_batch(plan, where, faults);
    check_schedule(graph, plan, where, faults);
    check_devices(cluster, plan.devices(), plan.precision, where, faults);
    if (plan.places().copies() > 1 && cluster.device_kinds(plan.devices()).size() > 1) {
        faults.error(where,
                     fmt::format("{} has every part of the network on two stages, whose devices differ here",
                                 name(plan.schedule)),
                     "use devices of one kind, or another schedule");
    }
    if (plan.shard != plan::ShardLevel::none && plan.strategy.shard_axes.empty()) {
        faults.error(where,
                     fmt::format("strategy \"{}\" has no axes to shard {} over", plan.strategy.name, name(plan.shard)),
                     "use a strategy with `shard: {axes: [...]}`, or --zero 0");
    }
    check_gathers(plan, where, faults);
    if (plan.offload.any() && !cluster.host) {
        faults.error(where,
                     fmt::format("{} has no host memory to offload {} to", cluster.name, join(words(plan.offload))),
                     "add `host: {memory: 2 TB, bandwidth: 64 GB/s, source: ...}` to the machine's file");
    }
    if (plan.offload.pages && !has_page_rate(cluster.device)) {
        faults.error(where, fmt::format("how fast {} moves pages of unified memory is not known", cluster.device.name),
                     "it is of NVIDIA's GPUs from Pascal on; offload optimizer, activations or weights");
    }
    return faults;
}

void validate(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
              const Location& where) {
    plan_faults(graph, cluster, plan, where).throw_if_errors();
}

}  // namespace dodona::step
