#include "cli/threads.hpp"

#include <vector>

#include "cli/exit_code.hpp"
#include "cli/measured_settings.hpp"
#include "cli/next.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/workload.hpp"

namespace dodona::cli {

namespace {

int run_threads(Arguments& arguments) {
    const Output output = read_output(arguments);
    const questions::threads::Answer answer = questions::threads::ask(read_threads_question(arguments));
    reports::Document document = questions::threads::document(answer);
    if (answer.prediction) {
        const auto& [model, machine] = answer.question.subject;
        add_next(document, arguments, "threads",
                 {{"threads", {{"--batch", std::to_string(2 * answer.question.batch)}}},
                  {"models", {{"WORDS", model}}},
                  {"machines", {{"WORDS", machine}}}});
    }
    write(output, document);
    return answer.prediction ? kAnswered : kNo;
}

std::vector<Option> options_of_command() {
    std::vector<Option> all = threads_options();
    append(all, output_options());
    return all;
}

}  // namespace

std::vector<Option> threads_options() {
    std::vector<Option> all =
        options_named(workload_options(), {"--machine", "--batch", "--seq", "--image", "--set", "--precision"});
    for (Option& option : all) {
        if (option.long_name() == "--batch") {
            option.description = "samples at once; 1 without it";
        }
    }
    append(all, question_options(files::description<questions::threads::Options>(), "Job"));
    return all;
}

questions::threads::Question read_threads_question(Arguments& arguments) {
    questions::threads::Options options;
    read_options(arguments, files::description<questions::threads::Options>(), &options);
    options.batch = arguments.count("--batch").value_or(1);
    const Workload workload = read_workload(arguments);
    options.precision = precision_of(arguments, workload.cluster);
    if (!options.measured_with.empty()) {
        options.measured = load_measured_settings(options.measured_with, workload.graph.name);
    }
    return complete(arguments,
                    questions::threads::question(workload.subject, workload.graph, workload.cluster.device, options));
}

Command threads_command() {
    return question_command({.heading = questions::threads::heading(),
                             .usage = "--machine M",
                             .options = options_of_command(),
                             .run = run_threads,
                             .answer = files::description<questions::threads::Answer>});
}

}  // namespace dodona::cli
