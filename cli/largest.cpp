// `dodona largest`: the largest batch, or value of a parameter of the network, that trains on given devices.
#include "cli/commands.hpp"

#include "base/ranges.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/goals.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/next.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/question.hpp"
#include "cli/workload.hpp"
#include "questions/largest/largest.hpp"

namespace dodona::cli {

namespace {

namespace largest = questions::largest;

std::vector<Option> largest_command_options() {
    std::vector<Option> all = workload_options();
    append(all, question_options(files::description<largest::Options>(), "Goals", false));
    append(all, job_space_options(true));
    append(all, question_options(files::description<largest::Options>(), "Search", false));
    append(all, output_options());
    return all;
}

largest::Job job_of(Arguments& arguments, const Workload& workload) {
    largest::Job job{.model = workload.subject.model,
                     .graph = workload.graph,
                     .parameters = {},
                     .with =
                         [workload](const std::string& parameter, std::int64_t value) {
                             auto parameters = workload.parameters;
                             std::erase_if(parameters, [&](const auto& entry) { return entry.first == parameter; });
                             parameters.emplace_back(parameter, std::to_string(value));
                             return network_with(workload, parameters);
                         },
                     .machine = {workload.subject.machine, workload.cluster},
                     .space = job_space(arguments, workload),
                     .settings = settings_given(arguments)};
    for (const auto& [name, value] :
         library().model(workload.subject.model, questions::settings_of(workload.parameters), {}).parameters) {
        const auto* const whole = std::get_if<std::int64_t>(&value.value);
        job.parameters.emplace_back(name, whole != nullptr ? std::optional(*whole) : std::nullopt);
    }
    return job;
}

largest::Answer with_progress(const largest::Question& question) {
    listen_for_interrupt();
    ProgressLine line("values");
    largest::Answer answer = largest::ask(question, [&](std::int64_t seen, std::int64_t all) {
        line.show(seen, all);
        return !interrupted();
    });
    line.clear();
    if (!answer.largest.complete) {
        note("stopped; this is the result of {} values", answer.largest.attempts.size());
    }
    return answer;
}

int run_largest(Arguments& arguments) {
    const Output output = read_output(arguments);
    largest::Options options;
    read_options(arguments, files::description<largest::Options>(), &options);
    resolve_machines(options.goals);
    add_faults(arguments, questions::contradictions(options.goals));
    options.parameter = arguments.required_text("WHAT", "batch, or a parameter of the model file such as layers");
    if (const auto models = library().models(); contains(models, options.parameter)) {
        arguments.fault("WHAT", as_typed(options.parameter) + " is a model",
                        "the model comes first: dodona largest MODEL batch");
        arguments.throw_if_faults();
    }
    options.devices = required_gpus(arguments, "how many GPUs to train on: --gpus 64");
    options.batch = arguments.count("--batch");
    const Workload workload = read_workload(arguments);
    const largest::Answer answer =
        with_progress(complete(arguments, largest::question(job_of(arguments, workload), options)));
    reports::Document document = largest::document(answer);
    if (answer.largest.found && !answer.convolutions) {
        add_next(document, arguments, "largest", {{"limits"}, {"size", {{"--gpus", ""}}}});
    }
    write(output, document);
    return interrupted() ? kInterrupted : answer.largest.found ? kAnswered : kNo;
}

}  // namespace

Command largest_command() {
    Command command = question_command({.heading = largest::heading(),
                                        .usage = "--machine M --gpus N",
                                        .options = largest_command_options(),
                                        .run = run_largest,
                                        .answer = files::description<largest::Answer>});
    command.positionals.push_back({.name = "WHAT",
                                   .description = "batch, without accumulating gradients; or a parameter of the\n"
                                                  "model file that is a whole number: layers, hidden, sequence,\n"
                                                  "image, ..."});
    return command;
}

}  // namespace dodona::cli
