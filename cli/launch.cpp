#include "cli/launch.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/note.hpp"
#include "files/launch/exported_plan.hpp"
#include "files/launch/launch.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::cli {

namespace {

void note_settings(const char* what, const std::vector<std::string>& settings) {
    if (!settings.empty()) {
        note("{}: {}", what, join_some(settings));
    }
}

}  // namespace

Option from_option() {
    return {"--from", "FILE",
            "the plan, and the model unless MODEL says it, of what you launch: a\n"
            "script with Megatron's flags, the JSON of DeepSpeed, the TOML of\n"
            "torchtitan, the YAML of accelerate, NeMo, nanotron or MaxText; options\n"
            "beside it win",
            "Plan"};
}

Option export_option() {
    return {"--export", "LAUNCHER",
            "print the plan as its settings instead: megatron, bridge, nemo,\n"
            "deepspeed, torchtitan, fsdp, accelerate, maxtext, nanotron, slurm,\n"
            "kubernetes",
            "Output"};
}

std::string take_launch(Arguments& arguments) {
    const auto file = arguments.text("--from");
    if (!file) {
        return {};
    }
    if (arguments.has("--plan")) {
        arguments.fault("--from", "--plan says the plan already", "give one of them");
    }
    const std::int64_t gpus = arguments.count("--gpus").value_or(0);
    arguments.throw_if_faults();
    const bool is_typed = arguments.has("MODEL");
    const files::Launch launch = library().launch(*file, gpus, !is_typed);
    std::string command;
    for (const auto& [option, value] : launch.options) {
        if (option == "MODEL" ? is_typed : arguments.has(option) && option != "--set") {
            continue;
        }
        arguments.give(option, value, option == "--set");
        command += option == "MODEL" ? " " + value : fmt::format(" {} {}", option, value);
    }
    if (!launch.model.empty()) {
        arguments.give("MODEL", *file);
    }
    note("{} as {} reads it:{}", *file, launch.target, command);
    note_settings("matters and is not modelled", launch.not_modelled);
    note_settings("not known to dodona, and not taken into account", launch.unknown);
    note_settings("does not matter here", launch.ignored);
    return launch.model;
}

std::string read_export(Arguments& arguments) {
    if (!arguments.has("--export")) {
        return {};
    }
    std::vector<std::string> names;
    for (const files::Target& target : library().targets()) {
        names.push_back(target.keys.name);
    }
    return arguments.word("--export", names).value_or("");
}

std::string exported_text(const std::string& target, const step::Prediction& prediction, const Workload& workload) {
    if (workload.graph.post_training.any) {
        fail({}, fmt::format("--export: what dodona writes for launchers is pretraining, not {}", workload.model),
             "leave it out, or --task");
    }
    const std::vector<files::Target> targets = library().targets();
    const auto found =
        std::find_if(targets.begin(), targets.end(), [&](const files::Target& one) { return one.keys.name == target; });
    const files::ExportFacts facts{
        .model = workload.model,
        .machine = workload.machine,
        .maker = workload.cluster.device.maker(),
        .gpus_per_node = workload.cluster.node_size(),
        .sequence = static_cast<std::int64_t>(tokens_a_sample(workload.graph)),
        .layers = workload.graph.block_count(),
        .comments = {
            "Written by dodona for " + found->version + ".",
            fmt::format("Predicted: {} a step, {} of {} of device memory.", reports::text(prediction.step.value),
                        reports::text(prediction.totals.process), reports::text(prediction.memory_limit))}};
    return files::exported(prediction.plan, facts, *found);
}

}  // namespace dodona::cli
