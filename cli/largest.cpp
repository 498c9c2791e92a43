#include "cli/largest.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

#include <fmt/format.h>

#include "cli/convolutions.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/goals.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/next.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/workload.hpp"
#include "reports/collect/largest_report.hpp"

namespace dodona::cli {

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kBatch = "batch";
constexpr std::int64_t kStepsOfGiven = 16;  ///< the usual step is at most this part of the given value

std::vector<Option> largest_command_options() {
    std::vector<Option> all = workload_options();
    append(all, goal_options());
    append(all, job_space_options(true));
    all.push_back({"--step", "K",
                   "look at multiples of K; default: for a batch the number of\n"
                   "GPUs, else a power of two that divides the given value, a\n"
                   "sixteenth of it at most",
                   "Search"});
    all.push_back({"--upto", "V", "look at no larger value; default: a thousand times the given", "Search"});
    all.push_back(convolutions_option());
    append(all, output_options());
    return all;
}

/// The parameter's value in the model file or with --set.
std::int64_t value_given(Arguments& arguments, const std::string& model, const std::string& parameter,
                         const Parameters& parameters) {
    std::vector<files::Setting> settings;
    for (const auto& [name, value] : parameters) {
        settings.push_back({name, value, {}});
    }
    const auto known = library().model(model, settings, {}).parameters;
    std::vector<std::string> names{std::string(kBatch)};
    for (const auto& [name, value] : known) {
        if (std::holds_alternative<std::int64_t>(value.value)) {
            names.push_back(name);
        }
    }
    const auto found = known.find(parameter);
    if (found == known.end()) {
        arguments.fault(
            "WHAT", fmt::format("{} has no parameter {}{}", model, as_typed(parameter), did_you_mean(parameter, names)),
            "available: " + join(names));
        return 1;
    }
    const auto* value = std::get_if<std::int64_t>(&found->second.value);
    if (value == nullptr || *value < 1) {
        arguments.fault("WHAT", fmt::format("{} is not a whole number greater than 0 in {}", parameter, model),
                        "available: " + join(names));
        return 1;
    }
    return *value;
}

/// The largest power of two that divides the value and is no more than a sixteenth of it; at least 1.
std::int64_t usual_step(std::int64_t given) {
    const auto value = static_cast<std::uint64_t>(given);
    const std::uint64_t divides = value & (~value + 1);
    const std::uint64_t most = std::bit_floor(std::max<std::uint64_t>(1, value / kStepsOfGiven));
    return static_cast<std::int64_t>(std::min(divides, most));
}

std::string first_fault(const InputError& error) {
    return error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
}

/// What is asked, in the terms of the command line.
struct Asked {
    std::string parameter;
    Parameters parameters;
    std::int64_t devices = 1;
    std::optional<std::int64_t> batch;
    GoalSettings goals;
};

/// The network with the parameter at that value, and the rest as asked; for `batch` the same network.
std::variant<search::JobAtValue, std::string> job_of(Arguments& arguments, const Asked& asked, const Workload& workload,
                                                     const search::Space& space, std::int64_t value) {
    search::JobAtValue sized{.graph = {}, .space = space, .goals = {}};
    if (asked.parameter == kBatch) {
        sized.graph = workload.graph;
        sized.space.batch = value;
        sized.space.accumulate = false;
    } else {
        Parameters parameters = asked.parameters;
        std::erase_if(parameters, [&](const auto& entry) { return entry.first == asked.parameter; });
        parameters.emplace_back(asked.parameter, std::to_string(value));
        try {
            sized.graph = network_with(workload, parameters);
        } catch (const InputError& error) {
            return first_fault(error);
        }
        sized.space.batch = asked.batch.value_or(default_batch(sized.graph, workload.cluster, asked.devices));
    }
    sized.goals = goals_of(arguments, asked.goals, sized.graph);
    return sized;
}

search::Largest largest_with_progress(const Workload& workload, const search::LargestQuestion& question) {
    ProgressLine line("values");
    search::Largest found = search::largest(workload.cluster, question, [&](std::int64_t seen, std::int64_t all) {
        line.show(seen, all);
        return !interrupted();
    });
    line.clear();
    if (!found.complete) {
        note("stopped; this is the result of {} values", found.attempts.size());
    }
    return found;
}

int run_largest(Arguments& arguments) {
    const Output output = read_output(arguments);
    Asked asked;
    asked.parameter = arguments.required_text("WHAT", "batch, or a parameter of the model file such as layers");
    asked.devices = arguments.required_count("--gpus", "how many GPUs to train on: --gpus 64").value_or(1);
    asked.batch = arguments.count("--batch");
    asked.goals = read_goals(arguments);
    const auto convolutions = read_convolutions(arguments);
    if (convolutions && asked.parameter != kBatch) {
        arguments.fault("--convolutions", "it is of the largest batch", "dodona largest MODEL batch");
    }
    const auto step = arguments.count("--step");
    const auto most = arguments.count("--upto");
    if (asked.parameter == kBatch && asked.batch) {
        arguments.fault("--batch", "the batch is what is asked for", "leave it out, or ask for another parameter");
    }
    asked.parameters = model_parameters(arguments);
    std::vector<Workload> workloads{read_workload(arguments)};
    set_prices(arguments, asked.goals, workloads);
    const Workload& workload = workloads.front();
    check_devices(arguments, workload.cluster, asked.devices);
    search::Space space = job_space(arguments, workload);
    space.devices = asked.devices;
    const search::Goals goals = goals_of(arguments, asked.goals, workload.graph);
    const bool batch = asked.parameter == kBatch;
    const std::int64_t given = batch ? default_batch(workload.graph, workload.cluster, asked.devices)
                                     : value_given(arguments, workload.model, asked.parameter, asked.parameters);
    arguments.throw_if_faults();
    constexpr std::int64_t kThousand = 1024;
    const std::int64_t last = most.value_or(std::min(kMostCount, given * kThousand));
    const std::int64_t stride = step.value_or(batch ? asked.devices : usual_step(given));
    const search::LargestQuestion question{
        .job = [&](std::int64_t value) { return job_of(arguments, asked, workload, space, value); },
        .start = std::min(given, last),
        .step = std::min(stride, last),
        .most = last};
    listen_for_interrupt();
    search::Largest found = largest_with_progress(workload, question);
    const reports::ConvolutionAnswer choices =
        convolutions ? convolution_choices(*convolutions, workload, found) : reports::ConvolutionAnswer{};
    const reports::LargestAnswer sought{.question = {.model = workload.model,
                                                     .model_source = workload.graph.source,
                                                     .tokens_a_sample = tokens_a_sample(workload.graph),
                                                     .goals = goals,
                                                     .settings = settings_given(arguments)},
                                        .parameter = asked.parameter,
                                        .given = given,
                                        .machine = workload.machine,
                                        .machine_source = workload.cluster.source,
                                        .precision = space.precision,
                                        .devices = asked.devices,
                                        .price = workload.cluster.price,
                                        .largest = with_algorithms(std::move(found), choices)};
    reports::Document document = reports::largest_document(sought);
    if (convolutions) {
        reports::add_convolutions(document, choices);
    }
    if (sought.largest.answer() != nullptr && !convolutions) {
        add_next(document, arguments, "largest", {{"limits"}, {"size", {{"--gpus", ""}}}});
    }
    write(output, document);
    return interrupted() ? kInterrupted : sought.largest.found ? kAnswered : kNo;
}

}  // namespace

Command largest_command() {
    return {.name = "largest",
            .summary = "the largest batch, sequence or model that trains on N GPUs",
            .usage = "--machine M --gpus N",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models},
                            {.name = "WHAT",
                             .description = "batch, without accumulating gradients; or a parameter of the\n"
                                            "model file that is a whole number: layers, hidden, sequence,\n"
                                            "image, ..."}},
            .options = largest_command_options(),
            .examples =
                "Values double from the given one until three in a row fail; then the gap above the largest\n"
                "that fits is searched in ever smaller steps. With goals, the answer meets them too.\n\n"
                "Examples:\n"
                "  dodona largest resnet50 batch --machine abci --gpus 8\n"
                "  dodona largest alexnet batch --machine gce-k80 --gpus 1 --convolutions each\n"
                "  dodona largest llama-3.1-8b sequence --machine dgx-h100 --gpus 64 --batch 64\n"
                "  dodona largest gpt3-175b layers --machine selene --gpus 256 --tokens 3e11 --deadline 90d",
            .run = run_largest};
}

}  // namespace dodona::cli
