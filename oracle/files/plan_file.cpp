#include "files/plan_file.hpp"

#include <algorithm>
#include <utility>

#include "base/ranges.hpp"
#include "files/description_keys.hpp"
#include "files/framework_file.hpp"
#include "files/level_file.hpp"
#include "files/read_description.hpp"
#include "files/scope.hpp"
#include "files/strategy_file.hpp"
#include "files/yaml_writer.hpp"

namespace dodona::files {

namespace {

using plan::Framework;
using plan::MeshAxis;
using plan::Plan;
using plan::RecomputeKind;
using plan::ScheduleKind;
using plan::ShardLevel;
using plan::Strategy;

constexpr std::int64_t kMaxVirtualStages = 1'000;
constexpr Range kDeviceCount{.least = 1, .most = kMaxDevices};

/// A fold of a plan: of axes that it names, or of those that the strategy folds.
struct FoldEntry {
    std::string name;
    std::vector<std::string> of;  ///< empty: as the strategy folds it
    std::int64_t size = 1;
};

/// One of these.
struct RecomputeEntry {
    std::optional<RecomputeKind> kind;
    std::optional<std::int64_t> every;
    std::optional<std::int64_t> first;
    std::optional<std::int64_t> one_in;
    std::vector<LayerMatch> layers;
    std::vector<std::string> modules;
};

}  // namespace

template <>
const Description& description<FoldEntry>();
template <>
const Description& description<RecomputeEntry>();

namespace {

bool has_no_axes(const FoldEntry& fold) { return fold.of.empty(); }
bool has_no_framework(const PlanFile& file) {
    const Framework& framework = file.plan.framework;
    return framework.name.empty() && framework.reference.empty() && !framework.observed;
}

std::vector<std::string> mesh_names(const Plan& plan) { return mapped<std::string>(plan.mesh, &MeshAxis::name); }

const plan::FoldedAxis* fold_of_strategy(const Plan& plan, const std::string& name) {
    const auto& folds = plan.strategy.folds;
    return found_in(folds, &plan::FoldedAxis::name, name);
}

// --- folds ---

std::vector<FoldEntry> fold_entries(const PlanFile& file) {
    std::vector<FoldEntry> entries;
    for (const plan::Fold& fold : file.plan.folds) {
        const bool is_known = fold_of_strategy(file.plan, fold.name) != nullptr;
        entries.push_back({fold.name, is_known ? std::vector<std::string>{} : fold.of, fold.size});
    }
    return entries;
}

/// Reports axes that are not in the mesh or listed twice; the ranks of all of them, or none.
std::optional<std::int64_t> ranks_of(const Value& of, const FoldEntry& entry, const Plan& plan) {
    const std::vector<std::string> axes = mesh_names(plan);
    const std::vector<Value> items = of.is_list() ? of.list() : std::vector{of};
    std::optional<std::int64_t> ranks = 1;
    for (std::size_t i = 0; i < entry.of.size(); ++i) {
        const std::string& axis = entry.of[i];
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
            items[i].error(fmt::format("no axis \"{}\" in the mesh{}", axis, did_you_mean(axis, axes)),
                           fmt::format("axes of the mesh: {}", axes.empty() ? "none" : join(axes)));
            ranks.reset();
        } else if (const auto end = entry.of.begin() + static_cast<std::ptrdiff_t>(i);
                   std::find(entry.of.begin(), end, axis) != end) {
            items[i].error(fmt::format("axis \"{}\" is listed twice", axis));
        } else if (ranks) {
            *ranks *= plan.axis_size(axis);
        }
    }
    return ranks;
}

void set_fold(const FoldEntry& entry, Plan& plan, const Fields::Member& member) {
    const std::vector<std::string> axes = mesh_names(plan);
    const bool is_axis = std::find(axes.begin(), axes.end(), entry.name) != axes.end();
    if (!member.value.is_mapping() && fold_of_strategy(plan, entry.name) == nullptr) {
        member.value.error("of which axes? The strategy folds no axis of this name",
                           fmt::format("write {}: {{of: [data], size: 4}}", entry.name));
        return;
    }
    if (is_axis) {
        member.value.error("a fold and an axis of the mesh have the same name");
    }
    if (!member.value.is_mapping()) {
        // In the mesh until all folds are read, as `mesh: {expert: 8}` is.
        if (!is_axis) {
            plan.mesh.push_back({entry.name, entry.size});
        }
        return;
    }
    Fields fields(member.value);
    const Value of = fields.find("of");
    const Value size = fields.find("size");
    if (of) {
        const std::optional<std::int64_t> ranks = ranks_of(of, entry, plan);
        if (size && ranks && *ranks % entry.size != 0) {
            size.error(fmt::format("{} does not divide the {} ranks of {}", entry.size, *ranks, join(entry.of)));
        }
    }
    plan.folds.push_back({.name = entry.name, .of = entry.of, .size = entry.size});
}

void set_folds(const std::vector<FoldEntry>& entries, PlanFile& file, const Value& value, const Reading& /*reading*/) {
    const std::vector<Fields::Member> members =
        value.is_mapping() ? Fields(value).rest() : std::vector<Fields::Member>{};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        set_fold(entries[i], file.plan, members[i]);
    }
}

// --- recomputation ---

RecomputeEntry recompute_entry(const PlanFile& file) {
    const Plan& plan = file.plan;
    RecomputeEntry entry;
    if (plan.recompute == RecomputeKind::every) {
        entry.every = plan.recompute_every;
    } else if (plan.recompute == RecomputeKind::layers) {
        entry.layers = layer_matches(plan.recompute_layers);
        entry.modules = plan.recompute_modules;
    } else if (plan.keeps_some_blocks() && plan.repeated.first > 0) {
        entry.first = plan.repeated.first;
    } else if (plan.keeps_some_blocks()) {
        entry.one_in = plan.repeated.one_in;
    } else {
        entry.kind = plan.recompute;
    }
    return entry;
}

void set_recompute(const RecomputeEntry& entry, PlanFile& file, const Value& value, const Reading& /*reading*/) {
    Plan& plan = file.plan;
    if (value.is_mapping()) {
        Fields fields(value);
        const bool has_layers = fields.find("layers") || fields.find("modules");
        int given = 0;
        for (const char* form : {"kind", "every", "first", "one_in", "layers", "modules"}) {
            given += fields.find(form) ? 1 : 0;
        }
        if (given != 1) {
            value.error(
                given == 0 ? "which layers run again in backward?" : "more than one way to choose what runs again",
                "one of kind: full, every: 2, layers: [norm1, gated]");
        }
        if (has_layers) {
            plan.recompute = RecomputeKind::layers;
            plan.recompute_layers = matches_of(entry.layers);
            plan.recompute_modules = entry.modules;
            return;
        }
    }
    plan.recompute = entry.every ? RecomputeKind::every : entry.kind.value_or(plan.recompute);
    plan.recompute_every = entry.every.value_or(plan.recompute_every);
    if (entry.first || entry.one_in) {
        plan.recompute = RecomputeKind::full;
        plan.repeated = {.first = entry.first.value_or(0), .one_in = entry.one_in.value_or(1)};
    }
}

/// Kinds that are a word; the others are keys.
ValueType recompute_words() {
    ValueType type = enum_type<RecomputeKind>();
    auto& choices = std::get<EnumType>(type.type).choices;
    std::erase_if(choices, [](const EnumType::Choice& choice) {
        return choice.name == name(RecomputeKind::every) || choice.name == name(RecomputeKind::layers);
    });
    return optional_type<RecomputeKind>(std::move(type));
}

// --- checks across keys ---

/// Every axis of the mesh and every fold is one that the strategy lays something on.
void check_axes(const Value& value, const Plan& plan) {
    if (!value.is_mapping() || plan.strategy.name.empty()) {
        return;
    }
    std::vector<std::string> known = plan.strategy.axes;
    append(known, plan.strategy.folds, &plan::FoldedAxis::name);
    for (const Node::Member& member : value.node().members) {
        if (std::find(known.begin(), known.end(), member.key) == known.end()) {
            value.faults().error(member.where,
                                 fmt::format("{}.{}: the strategy {} does not use this axis{}", value.path(),
                                             member.key, plan.strategy.name, did_you_mean(member.key, known)),
                                 fmt::format("its axes: {}", known.empty() ? "none" : join(known)));
        }
    }
}

void check_mesh(const Value& value, const Plan& plan) {
    double devices = 1;
    for (const MeshAxis& axis : plan.mesh) {
        devices *= static_cast<double>(axis.size);
    }
    if (value && devices > static_cast<double>(kMaxDevices)) {
        value.error(fmt::format("{} devices are more than {}", devices, kMaxDevices));
    }
}

void check_stages(const Value& value, const Plan& plan) {
    const std::int64_t ranks = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    if (value.is_list() && static_cast<std::int64_t>(plan.stages.size()) != ranks * plan.virtual_stages &&
        !value.faults().has_errors()) {
        value.error(fmt::format("{} stages, but {} pipeline rank{} of {} virtual stage{} hold {}", plan.stages.size(),
                                ranks, ranks == 1 ? "" : "s", plan.virtual_stages, plan.virtual_stages == 1 ? "" : "s",
                                ranks * plan.virtual_stages),
                    "give the blocks of every stage, or leave `stages` out to balance them");
    }
}

/// Whether the value is this word, and not one that was refused.
bool is_word(const Value& value, std::string_view word) { return value.is_scalar() && value.node().text == word; }

std::vector<std::string> names_with_virtual_stages() {
    return mapped_where<std::string>(
        values_of(plan::kScheduleTable), [](const ScheduleKind kind) { return plan::has_virtual_stages(kind); },
        [](const ScheduleKind kind) { return name(kind); });
}

void check_schedule(const Value& value, Plan& plan) {
    Fields fields(value.is_mapping() ? value : Value());
    const bool is_former = !fields.find("virtual_stages");
    const Value virtual_stages = fields.find(is_former ? "chunks" : "virtual_stages");
    const Value kind = value.is_mapping() ? fields.find("kind") : value;
    const bool is_interleaved = is_word(kind, name(ScheduleKind::interleaved));
    const bool may_have_several = is_word(kind, name(plan.schedule)) && plan::has_virtual_stages(plan.schedule);
    const bool is_known = is_word(kind, name(plan.schedule));
    const auto [least, most] = plan::schedule_of(plan.schedule).traits.virtual_stages;
    if (is_known && most > 1 && least == most && !virtual_stages) {
        plan.virtual_stages = least;
    } else if (is_known && most > 1 && least == most && plan.virtual_stages != least) {
        virtual_stages.error(fmt::format("{} has {} virtual stages on each rank", name(plan.schedule), least),
                             fmt::format("write {}, or leave it out", least));
    }
    if (is_interleaved && !virtual_stages) {
        value.error("interleaved-1f1b needs the number of virtual stages on each rank",
                    "write schedule: {kind: interleaved-1f1b, virtual_stages: 2}");
    } else if (is_interleaved && plan.virtual_stages < 2) {
        virtual_stages.error("interleaved-1f1b needs 2 virtual stages at least", "with one it is 1f1b");
    } else if (!may_have_several && plan.virtual_stages > 1 && is_word(kind, name(plan.schedule))) {
        virtual_stages.error(fmt::format("{} has one stage on each rank", name(plan.schedule)),
                             fmt::format("more have {}", join(names_with_virtual_stages())));
    }
    check_stages(fields.find("stages"), plan);
}

void check_optimizer(const Value& value, Plan& plan) {
    Fields fields(value.is_mapping() ? value : Value());
    const Value shard = fields.find("shard");
    if (!shard) {
        plan.shard = plan.strategy.shard.value_or(ShardLevel::none);
    } else if (plan.shard != ShardLevel::none && plan.strategy.shard_axes.empty() && !plan.strategy.name.empty()) {
        shard.error(fmt::format("the strategy {} has no axes to shard over", plan.strategy.name),
                    "set shard: none, or choose a strategy with `shard: {axes: …}`");
    }
    const Value keep = fields.find("keep_parameters");
    if (keep && plan.keep_parameters && plan.shard != ShardLevel::parameters) {
        keep.error("parameters are kept only where they are sharded", "set shard: parameters, or leave it out");
    }
    const Value group = fields.find("group");
    if (group && plan.shard == ShardLevel::none && (!shard || is_word(shard, name(plan.shard)))) {
        group.error("a group to shard over, and nothing is sharded", "set shard, or leave it out");
    }
}

void check_plan(Fields& fields, PlanFile& file, const Reading& /*reading*/) {
    Plan& plan = file.plan;
    check_mesh(fields.find("mesh"), plan);
    check_axes(fields.find("mesh"), plan);
    check_axes(fields.find("fold"), plan);
    plan.fold_axes();
    if (const Value schedule = fields.find("schedule")) {
        check_schedule(schedule, plan);
    }
    check_optimizer(fields.find("optimizer"), plan);
}

// --- references ---

void* strategy_of(void* file) { return &static_cast<PlanFile*>(file)->plan.strategy; }
void set_strategy_name(void* file, const std::string& name) { static_cast<PlanFile*>(file)->strategy = name; }
std::string strategy_name(const void* file) { return static_cast<const PlanFile*>(file)->strategy; }
void set_reference(void* framework, const std::string& name) { static_cast<Framework*>(framework)->reference = name; }
/// Values that an observation moved are in no file that a name could mean.
std::string framework_name(const void* member) {
    const auto& framework = *static_cast<const Framework*>(member);
    return framework.observed ? std::string() : framework.reference;
}

ValueType strategy_type() {
    ReferenceType type = reference_type(description<Strategy>, &Openers::strategy);
    type.object = strategy_of;
    type.opened = set_strategy_name;
    type.name = strategy_name;
    return {std::move(type)};
}

ValueType framework_type() {
    ReferenceType type = reference_type(description<Framework>, &Openers::framework);
    type.opened = set_reference;
    type.name = framework_name;
    return {std::move(type)};
}

ValueType mesh_type() {
    MapType type = named_entries<&MeshAxis::name, &MeshAxis::size>(whole_type<std::int64_t>({.range = kDeviceCount}));
    type.check_key = [](const Fields::Member& entry) {
        if (!is_identifier(entry.key)) {
            entry.value.faults().error(entry.where, fmt::format("{}: not a name for an axis", entry.value.path()));
        }
    };
    type.key_is = "axis";
    return {std::move(type)};
}

ValueType fold_type() {
    MapType type = named_entries<&FoldEntry::name>(record_type(description<FoldEntry>));
    type.key_is = "axis";
    return converted_type<std::vector<FoldEntry>, PlanFile, fold_entries, set_folds>({std::move(type)});
}

ValueType recompute_type() {
    return converted_type<RecomputeEntry, PlanFile, recompute_entry, set_recompute>(
        record_type(description<RecomputeEntry>));
}

const Description& schedule() {
    static const Description described{
        .noun = "schedule",
        .summary = "In which order a pipeline rank runs forward and backward passes.",
        .keys = {required<&PlanFile::plan, &Plan::schedule>("kind", "The order.",
                                                            {.help = "gpipe, 1f1b or interleaved-1f1b"}),
                 optional<&PlanFile::plan, &Plan::virtual_stages>(
                     "virtual_stages",
                     "Virtual stages on each rank, as the schedule has them: at least 2 for interleaved-1f1b.",
                     {.range = {.least = 1, .most = kMaxVirtualStages}, .former_name = "chunks"}),
                 optional<&PlanFile::plan, &Plan::stages>(
                     "stages",
                     "Instances of blocks on every stage, in the order of the model. Layers before the first block are "
                     "on the first stage, those after the last on the last: these may have no block.",
                     {.range = at_least(0), .default_text = "balanced"})},
        .single_value = "kind",
        .one_line = true,
        .defaults = default_of<PlanFile>};
    return described;
}

const Description& optimizer_of_plan() {
    static const Description described{
        .noun = "optimizer",
        .summary =
            "The optimizer and how its states are sharded. Sources, and the passes of one update over memory: "
            "oracle/plan/optimizer.cpp. muon, soap, shampoo, galore and dion update matrices inside the network by "
            "products of matrices: with states sharded each belongs to one rank, else every rank updates all "
            "(oracle/step/matrix_updates.hpp).",
        .keys = {required<&PlanFile::plan, &Plan::optimizer>("kind", "What it keeps beside the weights.",
                                                             {.help = "adam, momentum, sgd, ..."}),
                 optional<&PlanFile::plan, &Plan::shard>("shard",
                                                         "What is sharded over the axes that the strategy allows.",
                                                         {.default_text = "the strategy's", .always_written = true}),
                 optional<&PlanFile::plan, &Plan::shard_group>(
                     "group", "Ranks that share one copy; fewer than there are is hybrid sharding.",
                     {.range = kDeviceCount, .default_text = "all that can"}),
                 optional<&PlanFile::plan, &Plan::keep_parameters>(
                     "keep_parameters",
                     "With `shard: parameters`: gathered weights are kept from forward to backward."),
                 optional<&PlanFile::plan, &Plan::gather_group>(
                     "gather_group",
                     "With `shard: parameters`: ranks that keep one more copy of the weights, from which backward "
                     "gathers (ZeRO++).",
                     {.range = kDeviceCount, .default_text = "backward gathers from all that share"})},
        .single_value = "kind",
        .one_line = true,
        .defaults = default_of<PlanFile>};
    return described;
}

}  // namespace

template <>
const Description& description<FoldEntry>() {
    static const Description described{
        .noun = "fold of a plan",
        .summary =
            "An axis on the innermost ranks of others. The size alone is enough where the strategy folds the axis.",
        .keys = {required<&FoldEntry::of>("of", "Axes of the mesh, innermost first.",
                                          {.help = "the axes whose ranks it uses: [data]",
                                           .is_absent = test<FoldEntry, has_no_axes>,
                                           .none = "no axes",
                                           .or_single = true}),
                 required<&FoldEntry::size>("size", "How many of their ranks it uses.",
                                            {.range = kDeviceCount, .help = "how many of their ranks it uses"})},
        .single_value = "size",
        .one_line = true,
        .defaults = default_of<FoldEntry>};
    return described;
}

template <>
const Description& description<RecomputeEntry>() {
    static const Description described{
        .noun = "recomputation",
        .summary = "What is computed again in backward instead of being kept. One of these.",
        .keys =
            {optional_as<&RecomputeEntry::kind>(recompute_words(), "kind", "What is kept."),
             optional<&RecomputeEntry::every>(
                 "every", "Of n blocks of a stage ceil(n/k) inputs are kept, and k blocks at a time run again.",
                 {.range = at_least(1)}),
             optional<&RecomputeEntry::first>(
                 "first", "So many blocks of every virtual stage are recomputed as with `full`; the others keep all.",
                 {.range = at_least(1)}),
             optional<&RecomputeEntry::one_in>(
                 "one_in", "Of so many blocks of a virtual stage the last is recomputed as with `full`.",
                 {.range = at_least(1)}),
             optional<&RecomputeEntry::layers>(
                 "layers",
                 "Layers that keep nothing, results included, also where another layer reads those in backward. What "
                 "they read of others is kept, and their forward kernels and collectives run again.",
                 {.none = "no layers",
                  .none_help = "name those that run again in backward: [norm1, gated]",
                  .or_single = true}),
             optional<&RecomputeEntry::modules>(
                 "modules", "The same for modules, as the software of the plan names them: [layernorm, moe_act].",
                 {.none = "no modules", .none_help = "name those that run again in backward", .or_single = true})},
        .single_value = "kind",
        .one_line = true,
        .defaults = default_of<RecomputeEntry>};
    return described;
}

template <>
const Description& description<PlanFile>() {
    static const Description described{
        .noun = "plan",
        .summary = "How a model is trained on a cluster.",
        .keys = {file_name<&PlanFile::title>("plan", "Any text."),
                 required_as(strategy_type(), "strategy",
                             "The name of a built-in strategy, a file, or the strategy itself.",
                             {.help = "the name of a built-in strategy, a file, or its rules"}),
                 required_as<&PlanFile::plan, &Plan::mesh>(
                     mesh_type(), "mesh",
                     "Axes of the strategy with their sizes, innermost first. Their product is the number of devices.",
                     {.help = "its axes, innermost first: {tensor: 8, data: 16}; {} for one device"}),
                 optional_as(fold_type(), "fold",
                             "Axes on the ranks of others. An axis that the strategy folds may also stand in `mesh`."),
                 required<&PlanFile::plan, &Plan::batch>(
                     "batch", "Samples per optimizer step, all devices together.",
                     {.range = at_least(1), .help = "samples per step, all devices together"}),
                 required<&PlanFile::plan, &Plan::microbatch>(
                     "microbatch", "Samples per data rank and forward pass.",
                     {.range = at_least(1), .help = "samples per data rank and forward pass"}),
                 required<&PlanFile::plan, &Plan::precision>(
                     "precision",
                     "Of matrix products. With 8 bits or fewer, products of layers in repeated blocks "
                     "run in it; attention, embeddings and heads keep 16 bits.",
                     {.help = "fp32, tf32, fp16, bf16, fp8, mxfp8 or nvfp4"}),
                 optional<&PlanFile::plan, &Plan::gradient_precision>(
                     "gradient_precision", "Of the gradient buffer and its reduction.", {.default_text = "fp32"}),
                 optional_as(record_type(schedule), "schedule", "The schedule of a pipeline.",
                             {.default_text = "1f1b", .always_written = true}),
                 optional_as(recompute_type(), "recompute", "What is computed again in backward.",
                             {.default_text = "none", .always_written = true}),
                 optional_as(record_type(optimizer_of_plan), "optimizer", "The optimizer, and what of it is sharded.",
                             {.default_text = "adam", .always_written = true}),
                 optional_as<&PlanFile::plan, &Plan::overlap>(words_of_flags<plan::Overlap, plan::kOverlapNames>(),
                                                              "overlap", "What hides behind compute.",
                                                              {.default_text = "nothing", .always_written = true}),
                 optional_as<&PlanFile::plan, &Plan::offload>(
                     words_of_flags<plan::Offload, plan::kOffloadNames>(), "offload",
                     "What lives in host memory and visits the device when it is needed; the machine needs `host`. Two "
                     "buffers of the largest unit stay on the device. Bytes and times: oracle/step/offload.hpp.",
                     {.default_text = "nothing"}),
                 optional<&PlanFile::plan, &Plan::offload, &plan::Offload::optimizer_share>(
                     "offloaded_share", "With `offload: [optimizer]`: the share of the states that it keeps there.",
                     {.range = kShare}),
                 optional<&PlanFile::plan, &Plan::algorithm>("algorithm", "Of all collectives.",
                                                             {.default_text = "the fastest that the cluster allows"}),
                 optional_as<&PlanFile::plan, &Plan::framework>(
                     framework_type(), "framework",
                     "What software adds: the name of a framework, a file, or the framework itself. A "
                     "plan that is saved after `--observed` has the framework itself, with the values "
                     "that were moved; what the observation took off the interval is not kept.",
                     {.default_text = "nothing added", .is_absent = test<PlanFile, has_no_framework>})},
        .file_kind = "plan",
        .check = checked<PlanFile, check_plan>,
        .defaults = default_of<PlanFile>};
    return described;
}

Plan read_plan(Document document, const Opener& open_strategy, const Opener& open_framework,
               const Opener& open_mechanism) {
    const Openers open{.strategy = open_strategy, .framework = open_framework, .mechanism = open_mechanism};
    return read_file<PlanFile>(std::move(document), open).plan;
}

std::string to_yaml(const Plan& plan, const std::string& title) { return to_yaml(plan, title, {}); }

std::string to_yaml(const Plan& plan, const std::string& title, const std::string& strategy) {
    PlanFile file{.title = title, .strategy = strategy, .plan = plan};
    Framework& framework = file.plan.framework;
    if (framework.observed) {
        framework.name = framework.name.empty() ? "observed" : framework.name;
        framework.source = framework.source.empty() ? "moved to fit observed steps" : framework.source;
    }
    return to_yaml(file);
}

}  // namespace dodona::files
