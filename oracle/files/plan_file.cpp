#include "files/plan_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "files/fields.hpp"
#include "files/framework_file.hpp"
#include "files/heading.hpp"
#include "files/scope.hpp"
#include "files/strategy_file.hpp"

namespace dodona::files {

namespace {

using plan::MeshAxis;
using plan::Plan;
using plan::RecomputeKind;
using plan::ScheduleKind;
using plan::ShardLevel;

constexpr std::int64_t kMostDevices = 1'000'000'000;
constexpr std::int64_t kMostChunks = 1'000;

constexpr std::array kSchedules{ScheduleKind::gpipe, ScheduleKind::one_forward_one_backward, ScheduleKind::interleaved};
constexpr std::array kRecomputes{RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full};

/// Whether the value is this word, and not one that was refused.
bool is_word(const Value& value, std::string_view word) { return value.is_scalar() && value.node().text == word; }

plan::Strategy strategy_of_plan(const Value& value, const Document& document, const Opener& open) {
    if (value.is_mapping()) {
        return read_inline_strategy(value);
    }
    const std::string named = value.text();
    if (!named.empty()) {
        try {
            return read_strategy(open(named, document.folder, value.where()));
        } catch (const InputError& error) {
            absorb(value.faults(), error);
        }
    }
    return {};
}

void read_framework_of(const Value& value, const Document& document, const Opener& open, Plan& plan) {
    if (value && value.is_mapping()) {
        plan.framework = read_inline_framework(value);
        return;
    }
    const std::string named = value ? value.text() : std::string();
    if (!named.empty()) {
        try {
            plan.framework = read_framework(open(named, document.folder, value.where()));
            plan.framework.reference = named;
        } catch (const InputError& error) {
            absorb(value.faults(), error);
        }
    }
}

void read_mesh(const Value& value, Plan& plan) {
    Fields fields(value);
    double devices = 1;
    for (const Fields::Member& member : fields.rest()) {
        if (!is_identifier(member.key)) {
            value.faults().error(member.where, fmt::format("{}: not a name for an axis", member.value.path()));
        }
        plan.mesh.push_back({member.key, member.value.whole(1, kMostDevices)});
        devices *= static_cast<double>(plan.mesh.back().size);
    }
    if (devices > static_cast<double>(kMostDevices)) {
        value.error(fmt::format("{} devices are more than {}", devices, kMostDevices));
    }
}

std::vector<std::string> mesh_names(const Plan& plan) {
    std::vector<std::string> names;
    for (const MeshAxis& axis : plan.mesh) {
        names.push_back(axis.name);
    }
    return names;
}

/// `expert: 8`, of an axis that the strategy itself folds: in the mesh until all are read, as `mesh: {expert: 8}` is.
void read_known_fold(const Fields::Member& member, Plan& plan) {
    const auto& known = plan.strategy.folds;
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const plan::FoldedAxis& axis) { return axis.name == member.key; });
    if (found == known.end()) {
        member.value.error("of which axes? The strategy folds no axis of this name",
                           fmt::format("write {}: {{of: [data], size: 4}}", member.key));
        return;
    }
    const std::vector<std::string> axes = mesh_names(plan);
    if (std::find(axes.begin(), axes.end(), member.key) != axes.end()) {
        member.value.error("a fold and an axis of the mesh have the same name");
        return;
    }
    plan.mesh.push_back({member.key, member.value.whole(1, kMostDevices)});
}

void read_fold(const Fields::Member& member, Plan& plan) {
    if (member.value.is_scalar()) {
        read_known_fold(member, plan);
        return;
    }
    plan::Fold fold{.name = member.key};
    const std::vector<std::string> axes = mesh_names(plan);
    Fields fields(member.value);
    std::int64_t ranks = 1;
    bool are_known = true;
    const Value of = fields.require("of", "the axes whose ranks it uses: [data]");
    const std::vector<Value> items = of.is_list() ? of.list() : of ? std::vector<Value>{of} : std::vector<Value>{};
    for (const Value& item : items) {
        const std::string axis = item.text();
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
            are_known = false;
            item.error(fmt::format("no axis \"{}\" in the mesh{}", axis, did_you_mean(axis, axes)),
                       fmt::format("axes of the mesh: {}", axes.empty() ? "none" : join(axes)));
        } else if (std::find(fold.of.begin(), fold.of.end(), axis) != fold.of.end()) {
            item.error(fmt::format("axis \"{}\" is listed twice", axis));
        } else {
            ranks *= plan.axis_size(axis);
        }
        fold.of.push_back(axis);
    }
    if (of.is_list() && items.empty()) {
        of.error("no axes");
    }
    const Value size = fields.require("size", "how many of their ranks it uses");
    fold.size = size.whole(1, kMostDevices);
    if (size && are_known && ranks % fold.size != 0) {
        size.error(fmt::format("{} does not divide the {} ranks of {}", fold.size, ranks, join(fold.of)));
    }
    fields.finish();
    if (std::find(axes.begin(), axes.end(), fold.name) != axes.end()) {
        member.value.error("a fold and an axis of the mesh have the same name");
    }
    plan.folds.push_back(std::move(fold));
}

/// Every axis of the mesh and every fold is one that the strategy lays something on.
void check_axes(const Value& value, const Plan& plan) {
    if (!value.is_mapping() || plan.strategy.name.empty()) {
        return;
    }
    std::vector<std::string> known = plan.strategy.axes;
    for (const plan::FoldedAxis& fold : plan.strategy.folds) {
        known.push_back(fold.name);
    }
    for (const Node::Member& member : value.node().members) {
        if (std::find(known.begin(), known.end(), member.key) == known.end()) {
            value.faults().error(member.where,
                                 fmt::format("{}.{}: the strategy {} does not use this axis{}", value.path(),
                                             member.key, plan.strategy.name, did_you_mean(member.key, known)),
                                 fmt::format("its axes: {}", known.empty() ? "none" : join(known)));
        }
    }
}

void read_stages(const Value& value, Plan& plan) {
    for (const Value& item : value.list()) {
        plan.stages.push_back(item.whole(1));
    }
    const std::int64_t ranks = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    if (value.is_list() && static_cast<std::int64_t>(plan.stages.size()) != ranks * plan.chunks &&
        !value.faults().has_errors()) {
        value.error(fmt::format("{} stages, but {} pipeline rank{} of {} chunk{} hold {}", plan.stages.size(), ranks,
                                ranks == 1 ? "" : "s", plan.chunks, plan.chunks == 1 ? "" : "s", ranks * plan.chunks),
                    "give the units of every stage, or leave `stages` out to balance them");
    }
}

void read_schedule(const Value& value, Plan& plan) {
    if (!value.is_mapping()) {
        plan.schedule = value.one_of(kSchedules, plan.schedule);
        if (value && plan.schedule == ScheduleKind::interleaved) {
            value.error("interleaved-1f1b needs the number of chunks",
                        "write schedule: {kind: interleaved-1f1b, chunks: 2}");
        }
        return;
    }
    Fields fields(value);
    const Value kind = fields.require("kind", "gpipe, 1f1b or interleaved-1f1b");
    plan.schedule = kind.one_of(kSchedules, plan.schedule);
    const Value chunks = fields.find("chunks");
    plan.chunks = chunks.whole(1, kMostChunks);
    if (plan.schedule == ScheduleKind::interleaved && !chunks) {
        value.error("interleaved-1f1b needs the number of chunks",
                    "write schedule: {kind: interleaved-1f1b, chunks: 2}");
    } else if (chunks && plan.schedule == ScheduleKind::interleaved && plan.chunks < 2) {
        chunks.error("interleaved-1f1b needs 2 chunks at least", "with one chunk it is 1f1b");
    } else if (plan.schedule != ScheduleKind::interleaved && plan.chunks > 1 && is_word(kind, name(plan.schedule))) {
        chunks.error(fmt::format("{} has one chunk per rank", name(plan.schedule)), "only interleaved-1f1b has more");
    }
    if (const Value stages = fields.find("stages")) {
        read_stages(stages, plan);
    }
    fields.finish();
}

void read_recompute(const Value& value, Plan& plan) {
    if (!value.is_mapping()) {
        plan.recompute = value.one_of(kRecomputes, plan.recompute);
        return;
    }
    Fields fields(value);
    if (const Value layers = fields.find("layers")) {
        plan.recompute = RecomputeKind::layers;
        plan.recompute_layers = read_matches(layers);
        if (plan.recompute_layers.empty()) {
            layers.error("no layers", "name those that run again in backward: [norm1, gated]");
        }
    } else {
        plan.recompute = RecomputeKind::every;
        plan.recompute_every =
            fields.require("every", "one checkpoint every so many blocks: {every: 2}; or {layers: [norm1, gated]}")
                .whole(1);
    }
    fields.finish();
}

void read_optimizer(const Value& value, Plan& plan) {
    plan.shard = plan.strategy.shard.value_or(ShardLevel::none);
    if (!value.is_mapping()) {
        plan.optimizer = value.one_of(plan::kOptimizerKinds, plan.optimizer);
        return;
    }
    Fields fields(value);
    plan.optimizer = fields.require("kind", "adam, momentum, sgd, ...").one_of(plan::kOptimizerKinds, plan.optimizer);
    const Value shard = fields.find("shard");
    plan.shard = shard.one_of(plan::kShardLevels, plan.shard);
    if (shard && plan.shard != ShardLevel::none && plan.strategy.shard_axes.empty() && !plan.strategy.name.empty()) {
        shard.error(fmt::format("the strategy {} has no axes to shard over", plan.strategy.name),
                    "set shard: none, or choose a strategy with `shard: {axes: …}`");
    }
    const Value group = fields.find("group");
    plan.shard_group = group.whole(1, kMostDevices, 0);
    const Value keep = fields.find("keep_parameters");
    plan.keep_parameters = keep.flag();
    if (keep && plan.keep_parameters && plan.shard != ShardLevel::parameters) {
        keep.error("parameters are kept only where they are sharded", "set shard: parameters, or leave it out");
    }
    if (group && plan.shard == ShardLevel::none && (!shard || is_word(shard, name(plan.shard)))) {
        group.error("a group to shard over, and nothing is sharded", "set shard, or leave it out");
    }
    fields.finish();
}

/// Sets the members that a list of words names.
template <class Flags, class Words>
void read_words(const Value& value, const Words& words, Flags& flags) {
    std::vector<std::string> choices;
    for (const auto& word : words) {
        choices.emplace_back(word.word);
    }
    for (const Value& item : value.list()) {
        flags.*words[item.choice(choices)].member = true;
    }
}

}  // namespace

Plan read_plan(Document document, const Opener& open, const Opener& open_framework) {
    Plan plan;
    const Value root(*document.root, "", document.faults);
    Fields fields(root);
    static_cast<void>(read_heading(fields, "plan", SourceIs::optional));
    plan.strategy = strategy_of_plan(
        fields.require("strategy", "the name of a built-in strategy, a file, or its rules"), document, open);
    const Value mesh = fields.require("mesh", "its axes, innermost first: {tensor: 8, data: 16}; {} for one device");
    read_mesh(mesh, plan);
    check_axes(mesh, plan);
    const Value fold = fields.find("fold");
    for (const Fields::Member& member : Fields(fold).rest()) {
        read_fold(member, plan);
    }
    check_axes(fold, plan);
    plan.fold_axes();
    plan.batch = fields.require("batch", "samples per step, all devices together").whole(1);
    plan.microbatch = fields.require("microbatch", "samples per data rank and forward pass").whole(1);
    plan.precision =
        fields.require("precision", "fp32, tf32, fp16, bf16, fp8, mxfp8 or nvfp4").one_of(kPrecisions, plan.precision);
    if (const Value precision = fields.find("gradient_precision")) {
        plan.gradient_precision = precision.one_of(kPrecisions, Precision::fp32);
    }
    read_schedule(fields.find("schedule"), plan);
    read_recompute(fields.find("recompute"), plan);
    read_optimizer(fields.find("optimizer"), plan);
    read_words(fields.find("overlap"), plan::kOverlapWords, plan.overlap);
    read_words(fields.find("offload"), plan::kOffloadWords, plan.offload);
    if (const Value algorithm = fields.find("algorithm")) {
        plan.algorithm = algorithm.one_of(cluster::kAlgorithms, cluster::Algorithm::ring);
    }
    read_framework_of(fields.find("framework"), document, open_framework, plan);
    fields.finish();
    throw_faults(document);
    return plan;
}

}  // namespace dodona::files
