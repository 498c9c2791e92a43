#include "cli/threads.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/workload.hpp"
#include "reports/collect/threads_report.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> cost_options() {
    const std::string group = "Costs of threads";
    return {
        {.names = "--core-bandwidth",
         .value = "BW",
         .description = "memory bandwidth that one thread reaches: 12GB/s",
         .group = group},
        {.names = "--serial", .value = "TIME", .description = "of a kernel, whatever its threads: 5us", .group = group},
        {.names = "--fork", .value = "TIME", .description = "of a kernel on more than one thread", .group = group},
        {.names = "--barrier",
         .value = "TIME",
         .description = "of a kernel, each time its threads double",
         .group = group},
        {.names = "--oversubscription",
         .value = "SHARE",
         .description = "by which work takes longer for each further thread on a core; 0.1 without\nit",
         .group = group},
        {.names = "--change",
         .value = "TIME",
         .description = "of the numbers of workers and threads, at run time",
         .group = group}};
}

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
    all.push_back({.names = "--cores",
                   .value = "N",
                   .description = "of the machine's CPU; all of them without it",
                   .group = "Job"});
    for (const std::vector<Option>& more : {cost_options(), output_options()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
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

int run_threads(Arguments& arguments) {
    const Output output = read_output(arguments);
    const threads::KnownCosts known = known_costs(arguments);
    const auto asked = arguments.count("--cores");
    const std::int64_t batch = arguments.count("--batch").value_or(1);
    const Workload workload = read_workload(arguments);
    const std::int64_t cores = cores_of(arguments, workload, asked);
    const Precision precision = precision_of(arguments, workload.cluster);
    arguments.throw_if_faults();
    const cluster::Device& device = workload.cluster.device;
    reports::ThreadsQuestion question{.device = device,
                                      .batch = batch,
                                      .weights = graph::count(workload.graph).parameters * stored_bytes(precision),
                                      .costs = threads::thread_costs(device, cores, known),
                                      .known = known};
    std::optional<threads::Forecast> answer;
    if (question.weights <= device.memory) {
        const threads::OperatorGraph operators = threads::operator_graph(workload.graph, static_cast<double>(batch));
        const std::vector<threads::OperatorWork> works = threads::works_of(device, operators, precision, cores);
        question.evidence = threads::weakest(works);
        answer = threads::forecast(operators, works, question.costs);
    }
    write(output, reports::threads_document({workload.model, workload.machine}, question, answer));
    return answer ? kAnswered : kNo;
}

}  // namespace

Command threads_command() {
    return {.name = "threads",
            .summary = "a forward pass on a CPU: how many operators at once, on how many threads each",
            .usage = "--machine M",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = threads_options(),
            .examples =
                "Examples:\n"
                "  dodona threads googlenet-v1 --machine theta --batch 8\n"
                "  dodona threads gnmt --machine theta --cores 48 --core-bandwidth 10GB/s",
            .run = run_threads};
}

}  // namespace dodona::cli
