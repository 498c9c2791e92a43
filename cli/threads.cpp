#include "cli/threads.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/measured_settings.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/workload.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMaxTried = 512;

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

int run_threads(Arguments& arguments) {
    const Output output = read_output(arguments);
    const questions::threads::Answer answer = questions::threads::ask(read_threads_question(arguments));
    write(output, questions::threads::document(answer));
    return answer.prediction ? kAnswered : kNo;
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

questions::threads::Question read_threads_question(Arguments& arguments) {
    questions::threads::Options options{.batch = arguments.count("--batch").value_or(1),
                                        .precision = {},
                                        .cores = arguments.count("--cores"),
                                        .most = arguments.count("--most", kMaxTried),
                                        .known = known_costs(arguments),
                                        .measured = {},
                                        .measured_with = arguments.text("--measured").value_or("")};
    Workload workload = read_workload(arguments);
    options.precision = precision_of(arguments, workload.cluster);
    if (!options.measured_with.empty()) {
        options.measured = load_measured_settings(options.measured_with, workload.graph.name);
    }
    return complete(arguments,
                    questions::threads::question(workload.subject, workload.graph, workload.cluster.device, options));
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
            .run = run_threads,
            .answer = files::description<questions::threads::Answer>};
}

}  // namespace dodona::cli
