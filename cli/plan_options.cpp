#include "cli/plan_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/files.hpp"
#include "cli/next.hpp"
#include "cli/note.hpp"
#include "cli/software.hpp"
#include "cli/words.hpp"
#include "cli/zero.hpp"
#include "files/number.hpp"
#include "plan/recompute.hpp"
#include "search/space.hpp"
#include "step/predict.hpp"
#include "step/validate.hpp"

namespace dodona::cli {

namespace {

/// What a plan file says itself.
constexpr std::array kSpeltOut{
    "--strategy",           "--mesh",      "--micro-batch", "--schedule",     "--virtual-stages",  "--cut",
    "--recompute",          "--zero",      "--zero-group",  "--gather-group", "--keep-parameters", "--precision",
    "--gradient-precision", "--optimizer", "--overlap",     "--offload",      "--algorithm"};

constexpr std::string_view kLayers = "layers=";
constexpr std::string_view kModules = "modules=";

void read_recompute(Arguments& arguments, PlanSettings& settings) {
    const auto typed = arguments.text("--recompute");
    if (!typed) {
        return;
    }
    for (const std::string_view start : {kLayers, kModules}) {
        if (!typed->starts_with(start)) {
            continue;
        }
        settings.recompute = plan::RecomputeKind::layers;
        for (const std::string& name : between_commas(typed->substr(start.size()))) {
            if (name.empty()) {
                arguments.fault("--recompute", as_typed(*typed) + " has an empty entry",
                                "names between commas, without blanks: layers=norm1,gated");
            }
            if (start == kModules) {
                settings.recompute_modules.push_back(name);
            } else {
                settings.recompute_layers.push_back(plan::layers_named(name));
            }
        }
        return;
    }
    const std::vector<std::string> simple{"none", "selective", "full"};
    const auto kind = plan::recompute_from(choice_meant(*typed, simple).value_or(*typed));
    if (kind && *kind != plan::RecomputeKind::every && *kind != plan::RecomputeKind::layers) {
        settings.recompute = *kind;
        return;
    }
    for (const auto& [start, kind, number] :
         {std::tuple{"every-", plan::RecomputeKind::every, &settings.recompute_every},
          std::tuple{"first-", plan::RecomputeKind::full, &settings.repeated.first},
          std::tuple{"one-in-", plan::RecomputeKind::full, &settings.repeated.one_in}}) {
        const std::string_view begin = start;
        const auto found = typed->starts_with(begin)
                               ? files::whole_from(typed->substr(begin.size()))
                               : std::variant<std::int64_t, files::NotANumber>(files::NotANumber{});
        const auto* count = std::get_if<std::int64_t>(&found);
        if (count != nullptr && *count >= 1 && *count <= kMaxCount) {
            settings.recompute = kind;
            *number = *count;
            return;
        }
    }
    const std::vector<std::string> choices{
        "none", "selective", "full", "every-K", "first-K", "one-in-K", "layers=NAME,...", "modules=NAME,..."};
    arguments.fault("--recompute", fmt::format("{} is not one of {}{}", as_typed(*typed), join(choices),
                                               did_you_mean(*typed, choices)));
}

void read_schedule(Arguments& arguments, PlanSettings& settings) {
    if (const auto word = arguments.word("--schedule", value_names<plan::ScheduleKind>())) {
        settings.schedule = plan::schedule_from(*word);
    }
    settings.virtual_stages = arguments.count("--virtual-stages").value_or(1);
    settings.cut = read_cut(arguments);
    const bool interleaved = settings.schedule == plan::ScheduleKind::interleaved;
    const auto [least, most] =
        settings.schedule ? plan::schedule_of(*settings.schedule).traits.virtual_stages : schedule::VirtualStages{};
    if (settings.schedule && least == most && !arguments.has("--virtual-stages")) {
        settings.virtual_stages = least;
    } else if (most > 1 && (settings.virtual_stages < least || settings.virtual_stages > most) && !interleaved) {
        arguments.fault("--virtual-stages",
                        fmt::format("{} has {} virtual stages on each rank", plan::name(*settings.schedule), least),
                        fmt::format("--virtual-stages {}, or leave it out", least));
    }
    if (interleaved && !arguments.has("--virtual-stages")) {
        arguments.fault("--schedule", "interleaved-1f1b needs --virtual-stages", "for example --virtual-stages 2");
    }
    if (settings.schedule && !plan::has_virtual_stages(*settings.schedule) && settings.virtual_stages > 1) {
        arguments.fault("--virtual-stages",
                        fmt::format("{} has one virtual stage on each rank", plan::name(*settings.schedule)),
                        "for several: --schedule interleaved-1f1b");
    }
}

void read_zero(Arguments& arguments, PlanSettings& settings) {
    if (const auto typed = arguments.word("--zero", zero_choices())) {
        settings.shard = zero_level(*typed);
    }
    settings.shard_group = arguments.count("--zero-group").value_or(0);
    settings.keep_parameters = arguments.has("--keep-parameters");
    settings.gather_group = arguments.count("--gather-group").value_or(0);
}

plan::Plan plan_from_file(Arguments& arguments, const PlanSettings& settings) {
    for (const char* option : kSpeltOut) {
        if (arguments.has(option)) {
            arguments.fault(option, "the plan file says this", "leave it out, or edit " + settings.file);
        }
    }
    arguments.throw_if_faults();
    plan::Plan plan = library().plan(settings.file, {});
    plan.batch = settings.batch.value_or(plan.batch);
    if (settings.gpus && *settings.gpus != plan.devices()) {
        arguments.fault(
            "--gpus", fmt::format("{} GPUs, but the mesh of {} has {}", *settings.gpus, settings.file, plan.devices()));
    }
    return plan;
}

/// All devices on the only axis that a strategy has beside its pipeline.
std::vector<plan::MeshAxis> only_axis(Arguments& arguments, const plan::Strategy& strategy, std::int64_t devices) {
    const auto axes =
        filtered<std::string>(strategy.axes, [&](const std::string& axis) { return axis != strategy.pipeline; });
    if (axes.size() == 1) {
        return {{axes.front(), devices}};
    }
    if (devices > 1) {
        std::string example;
        for (const std::string& axis : strategy.axes) {
            example += (example.empty() ? "" : ",") + axis + "=SIZE";
        }
        arguments.fault("--mesh",
                        fmt::format("the sizes are missing: {} has {}", strategy.name,
                                    axes.empty() ? "no axis for more than one GPU" : "several axes"),
                        axes.empty() ? "" : "--mesh " + example);
    }
    return {};
}

/// The largest micro-batch whose step fits, of those that divide a data rank's samples; 1 in a pipeline, and where none
/// does. A step that breaks a limit takes all samples at once. Answers that are compared stay together.
std::int64_t largest_microbatch(plan::Plan plan, const Workload& workload) {
    const std::int64_t samples = plan.batch / step::data_ranks(plan);
    const bool pipelined = plan.strategy.pipeline && plan.axis_size(*plan.strategy.pipeline) > 1;
    const std::int64_t together =
        samples % workload.graph.post_training.together == 0 ? workload.graph.post_training.together : 1;
    if (pipelined || samples <= together) {
        return together;
    }
    const auto is_too_large = [&](std::int64_t microbatch) {
        plan.microbatch = microbatch;
        const step::Prediction prediction = step::predict(workload.graph, workload.cluster, plan);
        return !prediction.fits && !plan::tightest_broken(prediction.limits);
    };
    if (!is_too_large(samples)) {
        return samples;
    }
    std::vector<std::int64_t> choices = search::divisors(samples);
    std::erase_if(choices, [&](std::int64_t choice) { return choice % together != 0; });
    const auto too_large = std::partition_point(choices.begin(), choices.end(),
                                                [&](std::int64_t choice) { return !is_too_large(choice); });
    return too_large == choices.begin() ? together : *std::prev(too_large);
}

/// A plan that does not fit and whose ZeRO level is open: with the least level above that its software runs, if it fits so.
void shard_to_fit(plan::Plan& plan, const Workload& workload, std::optional<std::int64_t> microbatch) {
    const std::vector<plan::ShardLevel>& can = plan.framework.levels;
    const auto runs = [&](plan::ShardLevel level) { return can.empty() || contains(can, level); };
    const auto fits = [&](const plan::Plan& one) { return step::predict(workload.graph, workload.cluster, one).fits; };
    plan::Plan sharded = plan;
    sharded.shard = runs(plan::ShardLevel::states) ? plan::ShardLevel::states : plan::ShardLevel::gradients;
    if (plan.strategy.shard_axes.empty() || !plan.strategy.shard_levels.empty() || !runs(sharded.shard) || fits(plan)) {
        return;
    }
    sharded.microbatch = microbatch ? *microbatch : largest_microbatch(sharded, workload);
    if (fits(sharded)) {
        note("--zero {}: without it the plan does not fit", sharded.shard == plan::ShardLevel::states ? 1 : 2);
        plan = std::move(sharded);
    }
}

/// Axes that a fold lies on and that were not typed have one rank.
void add_axes_of_folds(plan::Plan& plan) {
    for (const plan::Fold& fold : plan.folds) {
        for (const std::string& axis : fold.of) {
            const bool is_there = std::any_of(plan.mesh.begin(), plan.mesh.end(),
                                              [&](const plan::MeshAxis& entry) { return entry.name == axis; });
            if (!is_there) {
                plan.mesh.push_back({axis, 1});
            }
        }
    }
}

void check_mesh(Arguments& arguments, const plan::Plan& plan, std::int64_t gpus) {
    double product = 1;
    std::vector<std::string> axes;
    for (const plan::MeshAxis& axis : plan.mesh) {
        product *= static_cast<double>(axis.size);
        axes.push_back(fmt::format("{}={}", axis.name, axis.size));
    }
    if (product != static_cast<double>(gpus)) {
        arguments.fault("--mesh",
                        fmt::format("{} makes {:.0f} GPUs, but --gpus says {}", axes.empty() ? "nothing" : join(axes),
                                    product, gpus),
                        "the product of the sizes is the number of GPUs");
    }
}

}  // namespace

std::vector<Option> plan_options() {
    const std::string group = "Plan";
    return {
        {"--plan", "FILE", "a plan file: from `dodona plan --save`, or your own", group},
        {"--strategy", "A", "a built-in strategy or a file", group, kOnce, Names::strategies},
        {"--mesh", "AXIS=SIZE,...", "innermost axis first; default: all GPUs on the strategy's only axis", group},
        {.names = "--micro-batch",
         .value = "B",
         .description = "samples for each data rank and forward pass; default: as many as\n"
                        "fit, 1 in a pipeline",
         .group = group,
         .old_name = "--microbatch"},
        {"--schedule", choices_text<plan::ScheduleKind>(), "default: 1f1b", group},
        {.names = "--virtual-stages",
         .value = "K",
         .description = "parts of the model on each pipeline rank, for interleaved-1f1b",
         .group = group,
         .old_name = "--chunks"},
        {.names = "--cut",
         .value = "balanced|software|N,N,...|LAYOUT",
         .description = "how the pipeline is cut: as even as possible, as the software does by\n"
                        "itself, or so many layers on each stage; default: balanced",
         .group = group,
         .old_name = "--stages"},
        {"--recompute", "none|selective|full|every-K|first-K|one-in-K|layers=NAME,...|modules=NAME,...",
         "activations to recompute in the backward pass; full of the first K\n"
         "blocks of each virtual stage, or of one block in K; layers by name; modules\n"
         "of the software, such as layernorm,moe_act of Megatron; default: none",
         group},
        {.names = "--zero",
         .value = "0|1|2|3",
         .description = "ZeRO stage: shard optimizer states, gradients and parameters over\n"
                        "data ranks; default: the strategy's own, else the least with\n"
                        "which the plan fits, of 0 and the next that the software runs",
         .group = group,
         .old_name = "--shard",
         .takes_more = true},
        {.names = "--zero-group",
         .value = "N",
         .description = "ranks that share one sharded copy; default: all that can",
         .group = group,
         .old_name = "--shard-group"},
        {"--gather-group", "N",
         "ZeRO-3: ranks that keep one more copy of the weights, from which\n"
         "backward gathers (ZeRO++); default: it gathers from all",
         group},
        {"--keep-parameters", "", "ZeRO-3: gather weights once for forward and backward", group},
    };
}

PlanSettings read_plan_settings(Arguments& arguments) {
    PlanSettings settings;
    settings.file = arguments.text("--plan").value_or("");
    settings.strategy = taken_as(arguments, files::NameOf::strategy, arguments.text("--strategy").value_or(""));
    std::optional<std::int64_t> virtual_stages;
    for (const auto& [axis, size] : arguments.sizes("--mesh")) {
        if (means_virtual_stages(axis)) {
            virtual_stages = size;
        } else {
            settings.mesh.push_back({axis, size});
        }
    }
    give_gpus_of_machine(arguments);
    settings.gpus = arguments.count("--gpus");
    settings.batch = arguments.count("--batch");
    settings.microbatch = arguments.count("--micro-batch");
    read_schedule(arguments, settings);
    settings.virtual_stages = virtual_stages.value_or(settings.virtual_stages);
    read_recompute(arguments, settings);
    read_zero(arguments, settings);
    const bool has_plan = arguments.has("--plan");
    if (!has_plan && !arguments.has("--strategy") && settings.mesh.empty()) {
        const std::vector<std::string> plan = next_lines(arguments, "plan", {{"plan", {}, " --save plan.yaml"}});
        arguments.missing("a plan", fmt::format("`{}` writes one for --plan plan.yaml; or give --strategy A and --mesh "
                                                "AXIS=SIZE,...",
                                                plan.empty() ? "dodona plan ... --save plan.yaml" : plan.front()));
    } else if (!has_plan && !arguments.has("--strategy")) {
        arguments.missing("the strategy of the mesh",
                          "give --strategy A; `dodona strategies` lists them with their axes");
    }
    if (!has_plan && settings.mesh.empty() && !arguments.has("--gpus")) {
        settings.gpus = arguments.required_count("--gpus", "how many GPUs to train on: --gpus 64");
    }
    return settings;
}

plan::Plan in_its_software(Arguments& arguments, const Workload& workload, plan::Plan plan) {
    if (arguments.has("--software")) {
        plan.framework = framework_of(arguments, workload, plan);
    } else {
        questions::add_other_source(plan.framework, workload);
    }
    plan.memory = questions::memory_of(plan.framework, workload.files);
    check_devices(arguments, workload.cluster, plan.devices());
    arguments.throw_if_faults();
    return plan;
}

plan::Plan plan_of(Arguments& arguments, const PlanSettings& settings, const Workload& workload) {
    if (!settings.file.empty()) {
        return in_its_software(arguments, workload, plan_from_file(arguments, settings));
    }
    plan::Plan plan;
    plan.precision = precision_of(arguments, workload.cluster);
    plan.gradient_precision = gradient_precision_of(arguments);
    plan.optimizer = optimizer_of(arguments, workload.graph);
    plan.overlap = overlap_of(arguments);
    plan.offload = offload_of(arguments, workload.cluster);
    plan.algorithm = algorithm_of(arguments, workload.cluster);
    arguments.throw_if_faults();
    plan.strategy = read_strategy(settings.strategy, arguments.place("--strategy"));
    plan.shard = settings.shard.value_or(plan.strategy.shard.value_or(plan::ShardLevel::none));
    plan.framework = framework_of(arguments, workload, plan);
    plan.memory = questions::memory_of(plan.framework, workload.files);
    plan.mesh = settings.mesh.empty() ? only_axis(arguments, plan.strategy, *settings.gpus) : settings.mesh;
    for (plan::MeshAxis& axis : plan.mesh) {
        axis.name = axis_meant(axis.name, plan.strategy);
    }
    plan.fold_axes();
    add_axes_of_folds(plan);
    arguments.throw_if_faults();
    check_mesh(arguments, plan, settings.gpus.value_or(plan.devices()));
    arguments.throw_if_faults();
    check_devices(arguments, workload.cluster, plan.devices());
    plan.batch = settings.batch.value_or(default_batch(workload.graph, workload.cluster, plan.devices()));
    check_answers(arguments, workload.graph, plan.batch);
    plan.virtual_stages = settings.virtual_stages;
    plan.schedule = settings.schedule.value_or(
        settings.virtual_stages > 1 ? plan::ScheduleKind::interleaved : plan::ScheduleKind::one_forward_one_backward);
    plan.stages = settings.cut.stages;
    if (settings.cut.cut == search::Cut::fastest) {
        arguments.fault("--cut", "the fastest cut is searched by `dodona plan`", "balanced, software or 4,4,...");
    }
    if (settings.cut.cut == search::Cut::software && plan.places().positions() > 1) {
        const std::int64_t blocks = workload.graph.block_count();
        plan.stages = plan.framework.dealt(blocks, plan.places().positions());
        if (plan.stages.empty()) {
            arguments.fault("--cut",
                            fmt::format("{} does not deal {} blocks to {} parts by itself", plan.framework.label(),
                                        blocks, plan.places().positions()),
                            "give those of each part: --cut 4,4,...");
        }
    }
    plan.recompute = settings.recompute;
    plan.recompute_every = settings.recompute_every;
    plan.repeated = settings.repeated;
    plan.recompute_layers = settings.recompute_layers;
    plan.recompute_modules = settings.recompute_modules;
    plan.shard_group = settings.shard_group;
    plan.keep_parameters = settings.keep_parameters;
    plan.gather_group = settings.gather_group;
    if (plan.shard_group > 0 && plan.shard == plan::ShardLevel::none) {
        arguments.fault("--zero-group", "nothing is sharded", "add --zero 1, 2 or 3");
    }
    if (plan.gather_group > 0 && plan.shard != plan::ShardLevel::parameters) {
        arguments.fault("--gather-group", "parameters are not sharded", "add --zero 3");
    }
    if (plan.keep_parameters && plan.shard != plan::ShardLevel::parameters) {
        arguments.fault("--keep-parameters", "parameters are not sharded", "add --zero 3");
    }
    arguments.throw_if_faults();
    plan.microbatch = settings.microbatch ? *settings.microbatch : largest_microbatch(plan, workload);
    if (!settings.shard && !plan.strategy.shard) {
        shard_to_fit(plan, workload, settings.microbatch);
    }
    return plan;
}

}  // namespace dodona::cli
