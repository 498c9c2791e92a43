#include "cli/workload.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/adjusted_machine.hpp"
#include "cli/files.hpp"
#include "cli/note.hpp"
#include "cli/question.hpp"
#include "files/model_reference.hpp"
#include "files/number.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/text_layout.hpp"
#include "step/offload.hpp"

namespace dodona::cli {

namespace {

/// The names of flags, in order.
template <class Table>
std::vector<std::string> names_of_flags(const Table& table) {
    return mapped<std::string>(table, [](const auto& row) { return row.word; });
}

/// Help of an option that takes some of these names, in lines of the help's width.
std::string in_lines(std::string text, const std::vector<std::string>& names) {
    constexpr std::size_t kWidth = 62;
    text.replace(text.find("{}"), 2, join(names));
    return reports::wrapped(text, kWidth, "");
}

/// Sets the members that an option names; `none` sets none and stands alone.
template <class Flags, class Table>
void read_flags(Arguments& arguments, const std::string& option, const std::vector<std::string>& given,
                const Table& table, Flags& flags) {
    std::vector<std::string> choices = names_of_flags(table);
    choices.emplace_back("none");
    for (const std::string& typed : given) {
        const auto known = std::find(choices.begin(), choices.end(), typed);
        if (known == choices.end()) {
            arguments.fault(option, fmt::format("{} is not one of {}{}", as_typed(typed), join(choices),
                                                did_you_mean(typed, choices)));
        } else if (typed == "none" && given.size() > 1) {
            arguments.fault(option, "\"none\" stands alone");
        } else if (typed != "none") {
            flags.*table[static_cast<std::size_t>(known - choices.begin())].member = true;
        }
    }
}

}  // namespace

std::vector<Option> workload_options() {
    const std::string job = "Job";
    const std::string training = "Training";
    return {
        {"-m,--machine", "M", "a built-in machine or a file", job, kOnce, Names::machines},
        {"-p,--gpus", "N", "GPUs that train together", job},
        {"-b,--batch", "B",
         "global batch: samples a step, all GPUs together; default: about\n"
         "4 million tokens (up to 16 million for a sample on each GPU), 128\n"
         "samples of fine-tuning, 128 sequences of a recurrent network on each\n"
         "GPU, or up to 256 images on each GPU of 40 GB, 64 on a smaller one; 65,536\n"
         "samples of a network with tables of embeddings",
         job},
        {"--task", "TASK",
         in_lines("post-training: {}, or two as in qlora+dpo; as MODEL+TASK; default: all weights are trained",
                  value_names<graph::Task>()),
         job},
        {"--adjust", "WHAT=FACTOR",
         "as if the machine had so many times as much: bandwidth.node=2,\n"
         "latency.node=, peak=, memory_bandwidth=, kernel_start=, memory=;\n"
         "repeat for several",
         job, kRepeats},
        {"--seq", "S", "sequence length: --set sequence=S", job},
        {"--image", "N", "image edge: --set image=N", job},
        {"--set", "NAME=VALUE", "replace a parameter of the model file; repeat for several", job, kRepeats},
        {"--expert-loads", "FILE",
         "tokens that each expert got, as measured: a table of expert,tokens\n"
         "(docs/files.md)",
         job},
        {"--precision", choices_text<Precision>(),
         "of the matrix products; default: bf16 or fp16 where the device\n"
         "has it, with fp32 master weights",
         training},
        {"--gradient-precision", choices_text<Precision>(), "of the gradient buffer and its reduction; default: fp32",
         training},
        {"--optimizer", "NAME",
         in_lines("{}; default: adam for models with tokens or attention, else momentum",
                  value_names<plan::OptimizerKind>()),
         training},
        {"--overlap", "WHAT,...|none",
         in_lines("communication that overlaps compute: {}; default: gradients,parameters",
                  names_of_flags(plan::kOverlapNames)),
         training},
        {"--offload", "WHAT,...",
         in_lines("what is kept in host memory: {}; optimizer=0.2 is a share of its states",
                  names_of_flags(plan::kOffloadNames)),
         training},
        {"--algorithm", "NAME",
         in_lines("of all collectives: {}; default: the cheapest that the machine allows",
                  value_names<cluster::Algorithm>()),
         training},
        {"--software", "NAME|FILE",
         "software to train with; a search takes several: megatron-2024,torchtitan;\n"
         "default: what people run for the model, the strategy and the device",
         training, kOnce, Names::frameworks, "--framework"},
        {"--date", "YEAR-MONTH",
         "software of that time: of several versions the newest that was released; default: the newest", training},
        {"--contention", "PHI", "contention factor: flows that share a link; default: computed", training},
    };
}

questions::Parameters model_parameters(Arguments& arguments) {
    questions::Parameters parameters;
    for (const std::string& typed : arguments.all("--set")) {
        const std::size_t equals = typed.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == typed.size()) {
            arguments.fault("--set", as_typed(typed) + " is not name=value", "for example --set layers=12");
        } else {
            parameters.emplace_back(typed.substr(0, equals), typed.substr(equals + 1));
        }
    }
    if (const auto sequence = arguments.count("--seq")) {
        parameters.emplace_back("sequence", std::to_string(*sequence));
    }
    if (const auto image = arguments.count("--image")) {
        parameters.emplace_back("image", std::to_string(*image));
    }
    return parameters;
}

std::string model_asked(Arguments& arguments, const std::string& typed) {
    return with_tasks(arguments, taken_as(arguments, files::NameOf::model, typed));
}

std::string with_tasks(Arguments& arguments, std::string model) {
    for (const std::string& task : arguments.list("--task")) {
        model += "+" + task;
    }
    const std::vector<graph::Task> all = files::model_reference(model, {}).tasks;
    const auto has = [&](graph::Task task) { return std::find(all.begin(), all.end(), task) != all.end(); };
    if (!arguments.has("--quiet") && !arguments.has("--rollout") && has(graph::Task::grpo)) {
        note("samples are answers to prompts; generating and rewarding them is not part of the step");
    } else if (!arguments.has("--quiet") && has(graph::Task::dpo)) {
        note("samples are answers to prompts: two of them are a pair");
    }
    return model;
}

namespace {

/// Names the parts that have no layers, with every answer about the network.
void note_left_out(const Workload& workload) {
    if (!workload.graph.left_out.empty()) {
        note("left out of {}: {}; neither its parameters nor its work are counted", workload.subject.model,
             join(workload.graph.left_out));
    }
}

}  // namespace

Workload read_workload(Arguments& arguments, const std::string& network) {
    Workload workload{.files = library().remembering()};
    auto& [model, machine] = workload.subject;
    model = arguments.required_text("MODEL", "a built-in model (`dodona models` lists them) or a file");
    machine = arguments.required_text("--machine", "a built-in cluster (`dodona machines` lists them) or a file");
    const auto parameters = model_parameters(arguments);
    const auto contention = arguments.ratio("--contention", 1);
    arguments.throw_if_faults();
    model = with_tasks(arguments, network.empty() ? taken_as(arguments, files::NameOf::model, model) : model);
    machine = taken_as(arguments, files::NameOf::cluster, machine);
    workload.parameters = parameters;
    workload.text = network;
    workload.expert_loads = arguments.text("--expert-loads").value_or("");
    workload.graph = network_with(workload, parameters, arguments.place("MODEL"));
    note_left_out(workload);
    workload.cluster = adjusted_machine(arguments, read_machine(machine, arguments.place("--machine")));
    arguments.throw_if_faults();
    if (contention) {
        workload.cluster.contention = contention;
    }
    return workload;
}

void give_gpus_of_machine(Arguments& arguments) {
    const std::string machine = arguments.has("--machine") ? arguments.all("--machine").front() : "";
    if (const std::size_t digits = files::devices_digits(machine); digits > 0 && !files::is_path(machine)) {
        arguments.give("--gpus", machine.substr(0, digits));
    }
}

std::int64_t required_gpus(Arguments& arguments, const std::string& help) {
    give_gpus_of_machine(arguments);
    return arguments.required_count("--gpus", help).value_or(1);
}

Precision precision_of(Arguments& arguments, const cluster::Cluster& cluster) {
    const std::vector<cluster::DeviceKind> kinds = cluster.device_kinds(cluster.devices());
    const auto supports = [](Precision precision) {
        return [precision](const cluster::DeviceKind& kind) { return kind.device->supports(precision); };
    };
    if (const auto word = arguments.word("--precision", value_names<Precision>())) {
        const Precision precision = *precision_from(*word);
        if (std::none_of(kinds.begin(), kinds.end(), supports(precision))) {
            auto supported = mapped_where<std::string>(
                kPrecisions, [&](const Precision other) { return any_of(kinds, supports(other)); },
                [](const Precision other) { return name(other); });
            arguments.fault("--precision", fmt::format("{} has no {} peak", kinds.front().device->name, *word),
                            "it has " + join(supported));
        }
        return precision;
    }
    for (const Precision precision : {Precision::bf16, Precision::fp16}) {
        if (std::all_of(kinds.begin(), kinds.end(), supports(precision))) {
            return precision;
        }
    }
    return Precision::fp32;
}

std::optional<Precision> gradient_precision_of(Arguments& arguments) {
    const auto word = arguments.word("--gradient-precision", value_names<Precision>());
    return word ? precision_from(*word) : std::nullopt;
}

plan::OptimizerKind optimizer_of(Arguments& arguments, const graph::Graph& graph) {
    using plan::OptimizerKind;
    if (const auto word = arguments.word("--optimizer", value_names<plan::OptimizerKind>())) {
        return *plan::optimizer_from(*word);
    }
    const bool attends = std::any_of(graph.layers.begin(), graph.layers.end(),
                                     [](const graph::Layer& l) { return l.nest.loop("head") != graph::kNoLoop; });
    return attends || tokens_a_sample(graph) > 0 ? OptimizerKind::adam : OptimizerKind::momentum;
}

plan::Overlap overlap_of(Arguments& arguments) {
    plan::Overlap overlap{.gradients = true, .parameters = true};
    if (arguments.has("--overlap")) {
        overlap = {};
        read_flags(arguments, "--overlap", arguments.list("--overlap"), plan::kOverlapNames, overlap);
    }
    return overlap;
}

plan::Offload offload_of(Arguments& arguments, const cluster::Cluster& cluster) {
    plan::Offload offload;
    constexpr std::string_view kShare = "optimizer=";
    std::vector<std::string> words;
    for (const std::string& typed : arguments.list("--offload")) {
        if (!typed.starts_with(kShare)) {
            words.push_back(typed);
            continue;
        }
        const auto share = files::decimal_from(typed.substr(kShare.size()));
        const auto* number = std::get_if<double>(&share);
        if (number == nullptr || !(*number > 0 && *number <= 1)) {
            arguments.fault("--offload", as_typed(typed) + " is no share of the states", "above 0 and at most 1");
            continue;
        }
        words.emplace_back("optimizer");
        offload.optimizer_share = *number;
    }
    read_flags(arguments, "--offload", words, plan::kOffloadNames, offload);
    if (offload.any() && !cluster.host) {
        arguments.fault("--offload", cluster.name + " has no host memory",
                        "add `host: {memory: 2 TB, bandwidth: 64 GB/s, source: ...}` to the machine's file");
    }
    if (offload.pages && !step::has_page_rate(cluster.device)) {
        arguments.fault("--offload",
                        fmt::format("how fast {} moves pages of unified memory is not known", cluster.device.name),
                        "it is of NVIDIA's GPUs from Pascal on; optimizer, activations and weights are copied");
    }
    return offload;
}

std::optional<cluster::Algorithm> algorithm_of(Arguments& arguments, const cluster::Cluster& cluster) {
    const auto word = arguments.word("--algorithm", value_names<cluster::Algorithm>());
    const std::optional<cluster::Algorithm> algorithm = word ? cluster::algorithm_from(*word) : std::nullopt;
    const auto none = [&](auto has) { return std::none_of(cluster.levels.begin(), cluster.levels.end(), has); };
    const std::string help = "leave it out to take the cheapest that the machine allows";
    if (algorithm == cluster::Algorithm::torus &&
        none([](const cluster::Level& level) { return level.kind == cluster::LevelKind::torus; })) {
        arguments.fault("--algorithm", "no level of " + cluster.name + " is a torus", help);
    }
    if (algorithm == cluster::Algorithm::in_network &&
        none([](const cluster::Level& level) { return level.in_network.has_value(); })) {
        arguments.fault("--algorithm", "no switches of " + cluster.name + " reduce", help);
    }
    return algorithm;
}

void check_answers(Arguments& arguments, const graph::Graph& graph, std::int64_t batch) {
    const std::int64_t group = graph.post_training.group;
    if (batch % group != 0) {
        arguments.fault("--batch",
                        fmt::format("{} samples are not whole groups of {} answers to a prompt", batch, group),
                        fmt::format("for example {}", (batch / group + 1) * group));
    }
}

void check_devices(Arguments& arguments, const cluster::Cluster& cluster, std::int64_t devices) {
    questions::Faults faults;
    questions::check_devices(cluster, devices, faults);
    add_faults(arguments, faults);
}

std::vector<std::pair<std::string, std::string>> settings_given(const Arguments& arguments) {
    std::vector<std::pair<std::string, std::string>> given;
    for (const char* name : {"--from",       "--set",          "--adjust",       "--seq",
                             "--image",      "--expert-loads", "--precision",    "--gradient-precision",
                             "--optimizer",  "--overlap",      "--offload",      "--algorithm",
                             "--software",   "--date",         "--contention",   "--strategy",
                             "--max-memory", "--reserve",      "--fixed",        "--exclude",
                             "--vary",       "--observed",     "--observed-plan"}) {
        for (const std::string& value : arguments.all(name)) {
            given.emplace_back(name, value);
        }
    }
    return given;
}

}  // namespace dodona::cli
