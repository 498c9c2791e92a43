#include "cli/threads.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/measured_settings.hpp"
#include "cli/output.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMostTried = 512;

std::vector<Option> cost_options() {
    const std::string group = "Costs of threads";
    return {{"--core-bandwidth", "BW", "memory bandwidth that one thread reaches: 12GB/s", group},
            {"--serial", "TIME", "of a kernel, whatever its threads: 5us", group},
            {"--fork", "TIME", "of a kernel on more than one thread", group},
            {"--barrier", "TIME", "of a kernel, each time its threads double", group},
            {"--oversubscription", "SHARE",
             "by which work takes longer for each further thread on a core, of every kind\nof kernel; "
             "without it as measured, else 0.1",
             group},
            {"--change", "TIME", "of the numbers of workers and threads, at run time", group}};
}

threads::KnownCosts known_costs(Arguments& arguments) {
    threads::KnownCosts known;
    known.of_core = arguments.bandwidth("--core-bandwidth");
    known.serial = arguments.duration("--serial");
    known.fork = arguments.duration("--fork");
    known.barrier = arguments.duration("--barrier");
    known.oversubscription = arguments.ratio("--oversubscription", 0);
    known.change = arguments.duration("--change");
    return known;
}

/// Cores that work, at most those of the machine's device, which is a CPU.
std::int64_t cores_of(Arguments& arguments, const Workload& workload, std::optional<std::int64_t> asked) {
    const cluster::Device& device = workload.cluster.device;
    if (!threads::is_cpu(device)) {
        arguments.fault("--machine", fmt::format("{} is no CPU", device.name),
                        "a machine of CPUs, such as theta, or one measured with calibrate --backend cpu");
    }
    const std::int64_t all = device.multiprocessors;
    if (asked && *asked > all) {
        arguments.fault("--cores", fmt::format("{} are more than {} has", *asked, device.name),
                        fmt::format("at most {}", all));
    }
    return asked.value_or(all);
}

/// All settings that were measured, and the cores, are in the grid.
std::int64_t most_of(std::optional<std::int64_t> asked, const std::vector<threads::MeasuredSetting>& measured) {
    std::int64_t most = asked.value_or(1);
    for (const threads::MeasuredSetting& one : measured) {
        most = std::max({most, one.setting.workers, one.setting.threads});
    }
    return most;
}

int run_threads(Arguments& arguments) {
    const Output output = read_output(arguments);
    const AskedThreads asked = read_asked_threads(arguments);
    write(output,
          reports::threads_document({asked.workload.model, asked.workload.machine}, asked.question, asked.answer));
    return asked.answer ? kAnswered : kNo;
}

std::vector<Option> options_of_command() {
    std::vector<Option> all = threads_options();
    append(all, output_options());
    return all;
}

}  // namespace

std::vector<Option> threads_options() {
    std::vector<Option> all;
    for (Option& option : workload_options()) {
        const std::string name = option.long_name();
        if (name == "--machine" || name == "--batch" || name == "--seq" || name == "--image" || name == "--set" ||
            name == "--precision") {
            option.description = name == "--batch" ? "samples at once; 1 without it" : option.description;
            all.push_back(std::move(option));
        }
    }
    all.push_back({"--cores", "N", "of the machine's CPU; all of them without it", "Job"});
    all.push_back({"--most", "N", "workers, and threads of each, to try; the cores without it", "Job"});
    all.push_back({"--measured", "FILE",
                   "settings that were run, a CSV with workers,threads,median_s: how well\n"
                   "they are ranked, and what the guideline is really worth",
                   "Measured"});
    const std::vector<Option> costs = cost_options();
    all.insert(all.end(), costs.begin(), costs.end());
    return all;
}

AskedThreads read_asked_threads(Arguments& arguments) {
    const threads::KnownCosts known = known_costs(arguments);
    const auto asked_cores = arguments.count("--cores");
    const auto asked_most = arguments.count("--most", kMostTried);
    const auto table = arguments.text("--measured");
    const std::int64_t batch = arguments.count("--batch").value_or(1);
    AskedThreads asked{
        .workload = read_workload(arguments), .question = {}, .operators = {}, .works = {}, .answer = {}};
    const std::int64_t cores = cores_of(arguments, asked.workload, asked_cores);
    const Precision precision = precision_of(arguments, asked.workload.cluster);
    arguments.throw_if_faults();
    const graph::Graph& network = asked.workload.graph;
    const cluster::Device& device = asked.workload.cluster.device;
    asked.question = {.device = device,
                      .batch = batch,
                      .weights = graph::count(network).parameters * stored_bytes(precision),
                      .costs = threads::thread_costs(device, cores, known),
                      .known = known,
                      .whole_grid = asked_most || table,
                      .measured = {},
                      .measured_with = table.value_or("")};
    if (table) {
        asked.question.measured = load_measured_settings(*table, network.name);
    }
    if (asked.question.weights <= device.memory) {
        asked.operators = threads::operator_graph(network, static_cast<double>(batch));
        asked.works = threads::works_of(device, asked.operators, precision, cores);
        asked.question.evidence = threads::weakest(asked.works);
        asked.answer = threads::forecast(asked.operators, asked.works, asked.question.costs,
                                         most_of(asked_most, asked.question.measured));
    }
    return asked;
}

Command threads_command() {
    return {.name = "threads",
            .summary = "a forward pass on a CPU: how many operators at once, on how many threads each",
            .usage = "--machine M",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = options_of_command(),
            .examples =
                "Examples:\n"
                "  dodona threads googlenet-v1 --machine theta --batch 8\n"
                "  dodona threads gnmt --machine theta --cores 48 --core-bandwidth 10GB/s",
            .run = run_threads};
}

}  // namespace dodona::cli
