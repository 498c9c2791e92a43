#include "cli/plan_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "files/number.hpp"
#include "plan/recompute.hpp"
#include "step/validate.hpp"

namespace dodona::cli {

namespace {

/// What a plan file says itself.
constexpr std::array kSpeltOut{
    "--strategy",  "--mesh",    "--microbatch",  "--schedule",        "--virtual-stages", "--stages",
    "--recompute", "--shard",   "--shard-group", "--keep-parameters", "--precision",      "--gradient-precision",
    "--optimizer", "--overlap", "--offload",     "--algorithm"};

void read_recompute(Arguments& arguments, PlanWords& words) {
    const auto typed = arguments.text("--recompute");
    if (!typed) {
        return;
    }
    constexpr std::string_view kLayers = "layers=";
    if (typed->starts_with(kLayers)) {
        words.recompute = plan::RecomputeKind::layers;
        for (const std::string& layer : between_commas(typed->substr(kLayers.size()))) {
            if (layer.empty()) {
                arguments.fault("--recompute", as_typed(*typed) + " has an empty entry",
                                "names between commas, without blanks: layers=norm1,gated");
            }
            words.recompute_layers.push_back(plan::layers_named(layer));
        }
        return;
    }
    const auto kind = plan::recompute_from(*typed);
    if (kind && *kind != plan::RecomputeKind::every && *kind != plan::RecomputeKind::layers) {
        words.recompute = *kind;
        return;
    }
    const auto every = typed->starts_with("every-") ? files::whole_from(typed->substr(6)) : files::NotANumber{};
    const auto* count = std::get_if<std::int64_t>(&every);
    if (count == nullptr || *count < 1 || *count > kMostCount) {
        const std::vector<std::string> choices{"none", "selective", "full", "every-K", "layers=NAME,..."};
        arguments.fault("--recompute", fmt::format("{} is not one of {}{}", as_typed(*typed), join(choices),
                                                   did_you_mean(*typed, choices)));
        return;
    }
    words.recompute = plan::RecomputeKind::every;
    words.recompute_every = *count;
}

void read_schedule(Arguments& arguments, PlanWords& words) {
    if (const auto word = arguments.word("--schedule", value_names<plan::ScheduleKind>())) {
        words.schedule = plan::schedule_from(*word);
    }
    words.chunks = arguments.count("--virtual-stages").value_or(1);
    words.stages = arguments.counts("--stages");
    const bool interleaved = words.schedule == plan::ScheduleKind::interleaved;
    if (interleaved && !arguments.has("--virtual-stages")) {
        arguments.fault("--schedule", "interleaved-1f1b needs --virtual-stages", "for example --virtual-stages 2");
    }
    if (words.schedule && !interleaved && words.chunks > 1) {
        arguments.fault("--virtual-stages", fmt::format("{} has one stage on each rank", plan::name(*words.schedule)),
                        "for several: --schedule interleaved-1f1b");
    }
}

void read_sharding(Arguments& arguments, PlanWords& words) {
    if (const auto word = arguments.word("--shard", value_names<plan::ShardLevel>())) {
        words.shard = plan::shard_from(*word);
    }
    words.shard_group = arguments.count("--shard-group").value_or(0);
    words.keep_parameters = arguments.has("--keep-parameters");
}

plan::Plan plan_from_file(Arguments& arguments, const PlanWords& words) {
    for (const char* option : kSpeltOut) {
        if (arguments.has(option)) {
            arguments.fault(option, "the plan file says this", "leave it out, or edit " + words.file);
        }
    }
    arguments.throw_if_faults();
    plan::Plan plan = library().plan(words.file, {});
    plan.batch = words.batch.value_or(plan.batch);
    if (words.gpus && *words.gpus != plan.devices()) {
        arguments.fault("--gpus",
                        fmt::format("{} GPUs, but the mesh of {} has {}", *words.gpus, words.file, plan.devices()));
    }
    return plan;
}

/// All devices on the only axis that a strategy has beside its pipeline.
std::vector<plan::MeshAxis> only_axis(Arguments& arguments, const plan::Strategy& strategy, std::int64_t devices) {
    std::vector<std::string> axes;
    for (const std::string& axis : strategy.axes) {
        if (axis != strategy.pipeline) {
            axes.push_back(axis);
        }
    }
    if (axes.size() == 1) {
        return {{axes.front(), devices}};
    }
    if (devices > 1) {
        std::string example;
        for (const std::string& axis : strategy.axes) {
            example += (example.empty() ? "" : ",") + axis + "=SIZE";
        }
        arguments.fault("--mesh",
                        fmt::format("which sizes? {} has {}", strategy.name,
                                    axes.empty() ? "no axis for more than one GPU" : "several axes"),
                        axes.empty() ? "" : "--mesh " + example);
    }
    return {};
}

/// Without a pipeline a data rank's samples go through at once.
std::int64_t default_microbatch(const plan::Plan& plan) {
    const bool pipelined = plan.strategy.pipeline && plan.axis_size(*plan.strategy.pipeline) > 1;
    return pipelined ? 1 : std::max<std::int64_t>(1, plan.batch / step::data_ranks(plan));
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
        {.names = "--plan",
         .value = "FILE",
         .description = "what `dodona plan --save` wrote, or your own",
         .group = group},
        {.names = "--strategy", .value = "A", .description = "a built-in strategy or a file", .group = group},
        {.names = "--mesh",
         .value = "AXIS=SIZE,...",
         .description = "innermost axis first; default: all GPUs on the strategy's only axis",
         .group = group},
        {.names = "--microbatch",
         .value = "B",
         .description = "samples for each data rank and forward pass; default: all at once,\n"
                        "1 in a pipeline",
         .group = group},
        {.names = "--schedule",
         .value = choices_text<plan::ScheduleKind>(),
         .description = "default: 1f1b",
         .group = group},
        {.names = "--virtual-stages",
         .value = "K",
         .description = "virtual stages on each pipeline rank, for interleaved-1f1b",
         .group = group,
         .old_name = "--chunks"},
        {.names = "--stages",
         .value = "N,N,...",
         .description = "layers or blocks on each stage; default: balanced",
         .group = group},
        {.names = "--recompute",
         .value = "none|selective|full|every-K|layers=NAME,...",
         .description = "activations to compute again in backward; default: none",
         .group = group},
        {.names = "--shard",
         .value = choices_text<plan::ShardLevel>(),
         .description = "ZeRO 1, 2, 3; default: the strategy's own",
         .group = group},
        {.names = "--shard-group",
         .value = "N",
         .description = "ranks that share one copy; default: all that can",
         .group = group},
        {.names = "--keep-parameters",
         .value = "",
         .description = "ZeRO 3: gather weights once for forward and backward",
         .group = group},
        {.names = "--gradient-precision",
         .value = choices_text<Precision>(),
         .description = "of the gradient buffer and its reduction; default: fp32",
         .group = group},
    };
}

PlanWords read_plan_words(Arguments& arguments) {
    PlanWords words;
    words.file = arguments.text("--plan").value_or("");
    words.strategy = arguments.text("--strategy").value_or("");
    for (const auto& [axis, size] : arguments.sizes("--mesh")) {
        words.mesh.push_back({axis, size});
    }
    words.gpus = arguments.count("--gpus");
    words.batch = arguments.count("--batch");
    words.microbatch = arguments.count("--microbatch");
    if (const auto word = arguments.word("--gradient-precision", value_names<Precision>())) {
        words.gradient_precision = precision_from(*word);
    }
    read_schedule(arguments, words);
    read_recompute(arguments, words);
    read_sharding(arguments, words);
    const bool has_plan = arguments.has("--plan");
    if (!has_plan && !arguments.has("--strategy")) {
        arguments.missing("a plan", "give --strategy A and --mesh AXIS=SIZE,..., or --plan FILE");
    }
    if (!has_plan && words.mesh.empty() && !words.gpus && !arguments.has("--gpus")) {
        arguments.missing("--gpus", "how many GPUs to train on: --gpus 64");
    }
    return words;
}

plan::Plan plan_of(Arguments& arguments, const PlanWords& words, const Workload& workload) {
    if (!words.file.empty()) {
        plan::Plan plan = plan_from_file(arguments, words);
        if (arguments.has("--framework")) {
            plan.framework = framework_of(arguments, workload);
        }
        plan.memory = memory_of(plan.framework);
        check_devices(arguments, workload.cluster, plan.devices());
        arguments.throw_if_faults();
        return plan;
    }
    plan::Plan plan;
    plan.precision = precision_of(arguments, workload.cluster);
    plan.optimizer = optimizer_of(arguments, workload.graph);
    plan.overlap = overlap_of(arguments);
    plan.offload = offload_of(arguments, workload.cluster);
    plan.algorithm = algorithm_of(arguments);
    plan.framework = framework_of(arguments, workload);
    plan.memory = memory_of(plan.framework);
    arguments.throw_if_faults();
    plan.strategy = read_strategy(words.strategy);
    plan.mesh = words.mesh.empty() ? only_axis(arguments, plan.strategy, *words.gpus) : words.mesh;
    plan.fold_axes();
    arguments.throw_if_faults();
    check_mesh(arguments, plan, words.gpus.value_or(plan.devices()));
    arguments.throw_if_faults();
    check_devices(arguments, workload.cluster, plan.devices());
    plan.batch = words.batch.value_or(default_batch(workload.graph, plan.devices()));
    plan.microbatch = words.microbatch.value_or(default_microbatch(plan));
    plan.chunks = words.chunks;
    plan.schedule = words.schedule.value_or(words.chunks > 1 ? plan::ScheduleKind::interleaved
                                                             : plan::ScheduleKind::one_forward_one_backward);
    plan.stages = words.stages;
    plan.recompute = words.recompute;
    plan.recompute_every = words.recompute_every;
    plan.recompute_layers = words.recompute_layers;
    plan.shard = words.shard.value_or(plan.strategy.shard.value_or(plan::ShardLevel::none));
    plan.shard_group = words.shard_group;
    plan.keep_parameters = words.keep_parameters;
    plan.gradient_precision = words.gradient_precision;
    if (plan.shard_group > 0 && plan.shard == plan::ShardLevel::none) {
        arguments.fault("--shard-group", "nothing is sharded", "add --shard states, gradients or parameters");
    }
    if (plan.keep_parameters && plan.shard != plan::ShardLevel::parameters) {
        arguments.fault("--keep-parameters", "parameters are not sharded", "add --shard parameters");
    }
    arguments.throw_if_faults();
    return plan;
}

}  // namespace dodona::cli
