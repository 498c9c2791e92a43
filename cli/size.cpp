#include "cli/size.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "cli/adjusted_machine.hpp"
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
#include "reports/collect/sizing_report.hpp"
#include "search/batches.hpp"

namespace dodona::cli {

namespace {

constexpr std::size_t kMostCounts = 10'000;

std::vector<Option> size_command_options() {
    std::vector<Option> all = workload_options();
    for (Option& option : all) {
        if (option.long_name() == "--machine") {
            option.description += "; repeat to compare several";
            option.repeats = true;
        } else if (option.long_name() == "--gpus") {
            option.value = "A..B|N,N,...";
            option.description =
                "numbers to consider: every multiple of a node from A to B, or\n"
                "those listed; default: parts of a node, every node to 32,\n"
                "then 16 numbers to each doubling, to the whole machine";
        }
    }
    append(all, goal_options());
    append(all, job_space_options(true));
    all.push_back({"--find", "fewest|fastest|cheapest",
                   "of the numbers that meet the goals; default: fastest where a\n"
                   "budget is the only goal, cheapest of several machines with\n"
                   "prices, else fewest",
                   "Search"});
    append(all, output_options());
    return all;
}

/// What --gpus asks for, before it is compared with what a machine has.
struct DeviceCounts {
    std::optional<std::pair<std::int64_t, std::int64_t>> range;
    std::vector<std::int64_t> counts;
};

DeviceCounts read_counts(Arguments& arguments) {
    const std::string name = "--gpus";
    DeviceCounts asked;
    const auto typed = arguments.text(name);
    if (!typed) {
        return asked;
    }
    const std::size_t dots = typed->find("..");
    if (dots == std::string::npos) {
        asked.counts = arguments.counts(name);
        std::sort(asked.counts.begin(), asked.counts.end());
        asked.counts.erase(std::unique(asked.counts.begin(), asked.counts.end()), asked.counts.end());
        return asked;
    }
    const auto least = arguments.count_from(name, typed->substr(0, dots));
    const auto most = arguments.count_from(name, typed->substr(dots + 2));
    if (least && most && *least > *most) {
        arguments.fault(name, fmt::format("{} is empty", as_typed(*typed)), "the smaller number comes first: 8..1024");
    } else if (least && most) {
        asked.range = {*least, *most};
    }
    return asked;
}

/// `clips`: of several machines the smaller ones end a range where they end.
std::vector<std::int64_t> counts_of(Arguments& arguments, const DeviceCounts& asked, const cluster::Cluster& cluster,
                                    bool clips) {
    if (!asked.range && asked.counts.empty()) {
        return search::usual_counts(cluster);
    }
    std::int64_t most = asked.range ? asked.range->second : asked.counts.back();
    if (asked.range && clips && asked.range->first <= cluster.devices()) {
        most = std::min(most, cluster.devices());
    }
    check_devices(arguments, cluster, most);
    if (most > cluster.devices() || !asked.range) {
        return asked.counts;
    }
    std::vector<std::int64_t> counts = search::counts_between(cluster, asked.range->first, most);
    if (counts.size() > kMostCounts) {
        arguments.fault("--gpus", fmt::format("{} numbers are too many", counts.size()),
                        fmt::format("{} at most, or list them: 1024,2048,4096", kMostCounts));
    }
    return counts;
}

std::vector<Workload> read_workloads(Arguments& arguments) {
    const std::string model = model_asked(
        arguments, arguments.required_text("MODEL", "a built-in model (`dodona models` lists them) or a file"));
    const auto parameters = model_parameters(arguments);
    std::vector<std::string> machines = arguments.all("--machine");
    for (std::string& machine : machines) {
        machine = taken_as(arguments, files::NameOf::cluster, machine);
    }
    if (machines.empty()) {
        arguments.missing("--machine", "a built-in cluster (`dodona machines` lists them) or a file");
    }
    for (std::size_t i = 0; i < machines.size(); ++i) {
        if (std::find(machines.begin(), machines.begin() + static_cast<std::ptrdiff_t>(i), machines[i]) !=
            machines.begin() + static_cast<std::ptrdiff_t>(i)) {
            arguments.fault("--machine", as_typed(machines[i]) + " is named twice");
        }
    }
    const auto contention = arguments.ratio("--contention", 1);
    arguments.throw_if_faults();
    std::vector<Workload> workloads;
    for (const std::string& machine : machines) {
        Workload& workload = workloads.emplace_back(Workload{.model = model, .machine = machine});
        workload.parameters = parameters;
        workload.expert_loads = arguments.text("--expert-loads").value_or("");
        workload.graph = network_with(workload, parameters, arguments.place("MODEL"));
        workload.cluster = adjusted_machine(arguments, read_machine(machine, arguments.place("--machine")));
        if (contention) {
            workloads.back().cluster.contention = contention;
        }
    }
    arguments.throw_if_faults();
    return workloads;
}

/// A budget without another goal buys time: the fewest GPUs within it would be the slowest.
search::Find read_find(Arguments& arguments, const GoalSettings& goals, const std::vector<Workload>& workloads) {
    const bool priced = std::all_of(workloads.begin(), workloads.end(),
                                    [](const Workload& workload) { return workload.cluster.price; });
    const auto word = arguments.word("--find", choices_of(search::kFinds));
    if (!word) {
        const bool buys_time = goals.budget && !goals.deadline && !goals.tokens_per_second && !goals.samples_per_second;
        return buys_time                        ? search::Find::fastest
               : priced && workloads.size() > 1 ? search::Find::cheapest
                                                : search::Find::fewest;
    }
    const auto* const find = std::find_if(search::kFinds.begin(), search::kFinds.end(),
                                          [&](search::Find known) { return search::name(known) == *word; });
    if (*find == search::Find::cheapest && !priced && workloads.size() > 1) {
        arguments.fault("--find", "cheapest of machines of which not all have prices",
                        "add --price M=2.5USD/h for each, of one GPU; dodona has none");
    }
    return *find;
}

/// One machine after the other, with progress on a terminal and Ctrl-C.
search::Sizing size_with_progress(const Workload& workload, const search::SizingQuestion& question) {
    ProgressLine line(fmt::format("numbers of GPUs of {}", workload.machine));
    search::Sizing sizing =
        search::size(workload.graph, workload.cluster, question, [&](std::int64_t seen, std::int64_t all) {
            line.show(seen, all);
            return !interrupted();
        });
    line.clear();
    if (!sizing.complete) {
        note("stopped; this is the result of {} of {} numbers of GPUs of {}", sizing.attempts.size(), sizing.counts,
             workload.machine);
    }
    return sizing;
}

int run_size(Arguments& arguments) {
    const Output output = read_output(arguments);
    const DeviceCounts counts = read_counts(arguments);
    const auto batch = arguments.count("--batch");
    const GoalSettings goals = read_goals(arguments);
    std::vector<Workload> workloads = read_workloads(arguments);
    set_prices(arguments, goals, workloads);
    reports::SizingAnswer sized;
    sized.find = read_find(arguments, goals, workloads);
    std::vector<search::SizingQuestion> questions;
    for (const Workload& workload : workloads) {
        search::SizingQuestion question{.space = job_space(arguments, workload), .find = sized.find};
        question.counts = counts_of(arguments, counts, workload.cluster, workloads.size() > 1);
        question.goals = goals_of(arguments, goals, workload.graph);
        question.batch = [&workload, batch](std::int64_t n) {
            return batch ? search::nearest_dividing_batch(*batch, n)
                         : default_batch(workload.graph, workload.cluster, n);
        };
        questions.push_back(std::move(question));
        arguments.throw_if_faults();
    }
    listen_for_interrupt();
    for (std::size_t i = 0; i < workloads.size(); ++i) {
        sized.machines.push_back({.machine = workloads[i].machine,
                                  .source = workloads[i].cluster.source,
                                  .precision = questions[i].space.precision,
                                  .price = workloads[i].cluster.price,
                                  .sizing = size_with_progress(workloads[i], questions[i])});
    }
    sized.best = reports::best_machine(sized.machines, sized.find);
    sized.parameters = graph::count(workloads.front().graph).parameters;
    sized.question = {.model = workloads.front().model,
                      .model_source = workloads.front().graph.source,
                      .tokens_a_sample = tokens_a_sample(workloads.front().graph),
                      .goals = questions.front().goals,
                      .settings = settings_given(arguments)};
    reports::Document document = reports::sizing_document(sized);
    if (sized.best) {
        const std::string& machine = sized.machines[*sized.best].machine;
        add_next(document, arguments, "size",
                 {{"report", {{"--machine", machine}, {"--gpus", ""}, {"--price", ""}}},
                  {"limits", {{"--machine", machine}, {"--gpus", ""}}}});
    }
    write(output, document);
    return interrupted() ? kInterrupted : sized.best ? kAnswered : kNo;
}

}  // namespace

Command size_command() {
    return {.name = "size",
            .summary = "how many GPUs a job needs, and of which machine: fewest, fastest, cheapest",
            .usage = "--machine M",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = size_command_options(),
            .examples =
                "Without goals: the fewest GPUs that train the model at all. A larger number may do worse, so\n"
                "numbers are searched one by one, but for those that bounds rule out.\n\n"
                "Examples:\n"
                "  dodona size llama-3.1-70b --machine dgx-h100\n"
                "  dodona size llama-3.1-70b --machine dgx-h100 --tokens 1e12 --deadline 30d\n"
                "  dodona size resnet50 --machine abci --epochs 90 --deadline 1h --gpus 4..1024\n"
                "  dodona size llama-3.1-8b --tokens 1e11 --deadline 14d --machine dgx-h100 \\\n"
                "      --machine dgx-b200 --price dgx-h100=2.5USD/h --price dgx-b200=4USD/h",
            .run = run_size};
}

}  // namespace dodona::cli
