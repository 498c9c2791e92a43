#include "cli/launch.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/files.hpp"
#include "cli/note.hpp"
#include "files/launch/exported_plan.hpp"
#include "files/launch/launch.hpp"
#include "reports/document/number_format.hpp"
#include "search/answer.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

void note_settings(const char* what, const std::vector<std::string>& settings) {
    if (!settings.empty()) {
        note("{}: {}", what, join_some(settings));
    }
}

/// An option of a file that is of no use where the user typed another of what it belongs to.
struct Belongs {
    std::string_view option;
    std::string_view to;
};
constexpr std::array kBelongs{Belongs{"--zero-group", "--zero"},    Belongs{"--gather-group", "--zero"},
                              Belongs{"--cut", "--mesh"},           Belongs{"--cut", "--schedule"},
                              Belongs{"--cut", "--virtual-stages"}, Belongs{"--virtual-stages", "--schedule"}};

/// Short forms of `--set NAME=`.
constexpr std::array kSetBy{Belongs{"sequence=", "--seq"}, Belongs{"image=", "--image"}};

/// What the user typed beside the file.
class Typed {
public:
    explicit Typed(const Arguments& arguments) : typed_(arguments) {}

    [[nodiscard]] bool wins_over(const std::string& option, const std::string& value) const {
        if (option == "--set") {
            return sets(std::string_view(value).substr(0, value.find('=') + 1));
        }
        return typed_.has(option) || std::any_of(kBelongs.begin(), kBelongs.end(), [&](const Belongs& one) {
                   return one.option == option && typed_.has(std::string(one.to));
               });
    }

private:
    /// `name`: with its `=`.
    [[nodiscard]] bool sets(std::string_view name) const {
        const std::vector<std::string> all = typed_.all("--set");
        return std::any_of(all.begin(), all.end(), [&](const std::string& one) { return one.starts_with(name); }) ||
               std::any_of(kSetBy.begin(), kSetBy.end(),
                           [&](const Belongs& one) { return one.option == name && typed_.has(std::string(one.to)); });
    }

    Arguments typed_;  ///< as they were before those of the file
};

struct Expressed {
    step::Prediction prediction;
    std::size_t rank = 1;
    bool changed = false;  ///< gathers of parameters do not overlap
};

files::Target target_named(const std::string& name) {
    const std::vector<files::Target> targets = library().targets();
    return *find_if(targets, [&](const files::Target& target) { return target.keys.name == name; });
}

/// Targets that write plans of these tasks.
std::vector<std::string> targets_of(const std::vector<graph::Task>& tasks) {
    return mapped_where<std::string>(
        library().targets(),
        [&](const files::Target& target) { return !target.lines.empty() && files::writes(target, tasks); },
        [](const files::Target& target) { return target.keys.name; });
}

files::ExportFacts export_facts(const Workload& workload) {
    return {.model = workload.subject.model,
            .machine = workload.subject.machine,
            .maker = workload.cluster.device.maker(),
            .gpus_per_node = workload.cluster.node_size(),
            .unequal_devices = workload.cluster.device_kinds(workload.cluster.devices()).size() > 1,
            .sequence = static_cast<std::int64_t>(tokens_a_sample(workload.graph)),
            .layers = workload.graph.block_count(),
            .post_training = workload.graph.post_training,
            .of_task = targets_of(workload.graph.post_training.tasks),
            .comments = {},
            .mechanisms = library().mechanisms()};
}

/// A line of a launcher's file: "  --bf16 \\", "tensor_parallel_degree = 4", "tp: 2".
struct SettingLine {
    std::string setting;
    std::string value;
};

std::vector<SettingLine> settings_of(const std::string& text, const std::string& comment) {
    constexpr std::string_view kExport = "export ";
    std::vector<SettingLine> settings;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t start = line.find_first_not_of(" \t");
        const std::size_t end = line.find_last_not_of(" \t\\,");
        if (start == std::string::npos || end == std::string::npos || end < start ||
            (!comment.empty() && line.compare(start, comment.size(), comment) == 0)) {
            continue;
        }
        std::string whole = line.substr(start, end - start + 1);
        if (whole.starts_with(kExport)) {
            whole.erase(0, kExport.size());
        }
        const std::size_t name = std::min(whole.find_first_of(" =:"), whole.size());
        const std::size_t value = std::min(whole.find_first_not_of(" =:", name), whole.size());
        settings.push_back({whole.substr(0, name), whole.substr(value)});
    }
    return settings;
}

/// In the order of the lines; of a setting that stands in several, the first ones belong together.
std::vector<questions::plans::ChangedSetting> changes_between(const std::vector<SettingLine>& now,
                                                              std::vector<SettingLine> then) {
    std::vector<questions::plans::ChangedSetting> changes;
    for (const SettingLine& line : now) {
        const auto same = std::find_if(then.begin(), then.end(),
                                       [&](const SettingLine& other) { return other.setting == line.setting; });
        const bool is_there = same != then.end();
        const std::string value = is_there ? same->value : "";
        if (is_there) {
            then.erase(same);
        }
        if (!is_there || value != line.value) {
            changes.push_back(
                {line.setting, line.value.empty() ? "yes" : line.value, is_there && value.empty() ? "yes" : value});
        }
    }
    for (const SettingLine& line : then) {
        changes.push_back({line.setting, "", line.value.empty() ? "yes" : line.value});
    }
    return changes;
}

/// The plan with the cut that was predicted where software does not deal out its blocks so by itself.
plan::Plan with_cut(const step::Prediction& prediction) {
    plan::Plan plan = prediction.plan;
    const std::vector<std::int64_t>& blocks = prediction.blocks;
    if (plan.stages.empty() &&
        std::adjacent_find(blocks.begin(), blocks.end(), std::not_equal_to<>()) != blocks.end()) {
        plan.stages = blocks;
    }
    return plan;
}

/// Plans before the first that is expressed as it is are predicted anew without overlapped gathers of parameters.
Expressed first_expressed(std::span<const step::Prediction> ranked, const files::Target& target,
                          const Workload& workload) {
    const files::ExportFacts facts = export_facts(workload);
    const auto expresses = [&](const plan::Plan& plan) { return !files::refusals(plan, facts, target).has_errors(); };
    std::optional<Expressed> best;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        plan::Plan plan = with_cut(ranked[i]);
        if (expresses(plan)) {
            return best && best->prediction.step.value < ranked[i].step.value ? *best
                                                                              : Expressed{ranked[i], i + 1, false};
        }
        plan.overlap.parameters = false;
        if (expresses(plan)) {
            step::Prediction other = step::predict(workload.graph, workload.cluster, plan);
            if (other.runs && other.fits && (!best || other.step.value < best->prediction.step.value)) {
                best = {std::move(other), i + 1, true};
            }
        }
    }
    return best ? *best : Expressed{.prediction = ranked.front()};
}

}  // namespace

Option from_option() {
    return {"--from", "FILE",
            "the plan, and the model unless MODEL says it, of what you launch; a search\n"
            "says what to change. A script with Megatron's flags or arguments of the\n"
            "HF Trainer, of ms-swift, verl or OpenRLHF, the JSON of DeepSpeed, the TOML\n"
            "of torchtitan, the YAML of accelerate, LLaMA-Factory, Axolotl, NeMo,\n"
            "nanotron, MaxText, torchtune or GPT-NeoX; options that are typed win",
            "Plan"};
}

Option export_option() {
    return {"--export", "LAUNCHER",
            "print the plan as its settings instead, searched for in its software:\n"
            "megatron, bridge, nemo, deepspeed, torchtitan, fsdp, accelerate, maxtext,\n"
            "nanotron, slurm, kubernetes; of post-training verl, trl, nemo-rl",
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
    give_gpus_of_machine(arguments);
    const std::int64_t gpus = arguments.count("--gpus").value_or(0);
    arguments.throw_if_faults();
    const Typed typed(arguments);
    const files::Launch launch = library().launch(*file, gpus, !arguments.has("MODEL"));
    if (!arguments.has("--mesh")) {
        launch.uneven.throw_if_errors();
    }
    std::string command;
    for (const auto& [option, value] : launch.options) {
        if (typed.wins_over(option, value)) {
            continue;
        }
        arguments.give(option, value, option == "--set");
        if (option == "--rollout") {  // of `plan` alone, where it is asked for
            continue;
        }
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

std::string read_export(Arguments& arguments, bool searches) {
    if (!arguments.has("--export")) {
        return {};
    }
    std::vector<std::string> names;
    std::vector<files::Target> targets = library().targets();
    std::erase_if(targets, [](const files::Target& target) { return target.lines.empty(); });
    append(names, targets, [](const files::Target& target) { return target.keys.name; });
    std::string name = arguments.word("--export", names).value_or("");
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end() && searches) {
        const files::Target& target = targets[static_cast<std::size_t>(found - names.begin())];
        if (!target.framework.empty()) {
            arguments.give("--software", target.framework);
        }
        for (const auto& [option, value] : target.searched) {
            arguments.give(option, value);
        }
    }
    return name;
}

std::string exported_text(const std::string& target, const step::Prediction& prediction, const Workload& workload) {
    const files::Target known = target_named(target);
    files::ExportFacts facts = export_facts(workload);
    facts.comments = {
        "Written by dodona for " + known.version + ".",
        fmt::format("Predicted: {} a step, {} of {} of device memory.", reports::text(prediction.step.value),
                    reports::text(prediction.totals.process), reports::text(prediction.memory_limit))};
    return files::exported(with_cut(prediction), facts, known);
}

questions::plans::ChangedSettings changed_settings(const std::string& target, const step::Prediction& now,
                                                   std::span<const step::Prediction> ranked, const Workload& workload) {
    const files::Target known = target_named(target);
    if (known.lines.empty()) {
        return {.not_expressed = fmt::format("{} is read, and not written", target)};
    }
    const files::ExportFacts facts = export_facts(workload);
    const auto refusal = [&](const plan::Plan& plan) {
        const Diagnostics faults = files::refusals(plan, facts, known);
        return faults.has_errors() ? faults.all().front().message : "";
    };
    questions::plans::ChangedSettings changed{.not_expressed = refusal(with_cut(now))};
    for (std::size_t i = 0; i < ranked.size() && changed.rank == 0; ++i) {
        const bool fits = search::same_software(ranked[i].plan, now.plan) && refusal(with_cut(ranked[i])).empty();
        changed.rank = fits ? i + 1 : 0;
    }
    if (changed.rank == 0 && changed.not_expressed.empty() && !ranked.empty()) {
        changed.not_expressed = refusal(with_cut(ranked.front()));
    }
    if (changed.rank > 0 && changed.not_expressed.empty()) {
        const plan::Plan then = with_cut(ranked[changed.rank - 1]);
        changed.changes = changes_between(settings_of(files::exported(with_cut(now), facts, known), known.comment),
                                          settings_of(files::exported(then, facts, known), known.comment));
    }
    return changed;
}

Exported exported_best(const std::string& target, std::span<const step::Prediction> ranked, const Workload& workload) {
    Expressed expressed = first_expressed(ranked, target_named(target), workload);
    std::string text = exported_text(target, expressed.prediction, workload);
    if (expressed.rank > 1 || expressed.changed) {
        note("{} cannot express plan No. 1 as it is ({} a step): this is No. {}{} ({} a step)", target,
             reports::text(ranked.front().step.value), expressed.rank,
             expressed.changed ? " without overlapped gathers of parameters" : "",
             reports::text(expressed.prediction.step.value));
    }
    return {std::move(expressed.prediction), std::move(text)};
}

}  // namespace dodona::cli
