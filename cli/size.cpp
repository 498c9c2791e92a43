// `dodona size`: how many devices a job needs, and on which machine.
#include "cli/commands.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/adjusted_machine.hpp"
#include "cli/device_counts.hpp"
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
#include "questions/size/size.hpp"

namespace dodona::cli {

namespace {

namespace size = questions::size;

std::vector<Option> size_command_options() {
    std::vector<Option> all = workload_options();
    for (Option& option : all) {
        if (option.long_name() == "--machine") {
            option.description += "; repeat to compare several";
            option.repeats = true;
        } else if (option.long_name() == "--gpus") {
            option.value = "A..B|N,N,...";
            option.description =
                "numbers to consider: every multiple of a node from A to B; A..B:8\n"
                "every 8; or those listed; default: parts of a node, every node to 32,\n"
                "then 16 numbers to each doubling, to the whole machine";
        }
    }
    append(all, question_options(files::description<size::Options>(), "Goals", false));
    append(all, job_space_options(true));
    append(all, question_options(files::description<size::Options>(), "Search", false));
    append(all, output_options());
    return all;
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
        Workload& workload =
            workloads.emplace_back(Workload{.subject = {model, machine}, .files = library().remembering()});
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

/// With progress on a terminal and Ctrl-C.
size::Answer with_progress(const size::Question& question) {
    listen_for_interrupt();
    std::optional<ProgressLine> line;
    std::string shown;
    size::Answer answer = size::ask(question, [&](const std::string& machine, std::int64_t seen, std::int64_t all) {
        if (machine != shown) {
            line.emplace(fmt::format("numbers of GPUs of {}", machine));
            shown = machine;
        }
        line->show(seen, all);
        return !interrupted();
    });
    line.reset();
    for (const size::SizedMachine& machine : answer.machines) {
        if (!machine.sizing.complete) {
            note("stopped; this is the result of {} of {} numbers of GPUs of {}", machine.sizing.attempts.size(),
                 machine.sizing.counts, machine.machine);
        }
    }
    return answer;
}

int run_size(Arguments& arguments) {
    const Output output = read_output(arguments);
    size::Options options{.counts = read_device_counts(arguments), .batch = arguments.count("--batch")};
    read_options(arguments, files::description<size::Options>(), &options);
    resolve_machines(options.goals);
    add_faults(arguments, questions::contradictions(options.goals));
    const std::vector<Workload> workloads = read_workloads(arguments);
    size::Job job{.model = workloads.front().subject.model,
                  .graph = workloads.front().graph,
                  .machines = {},
                  .spaces = {},
                  .settings = settings_given(arguments)};
    for (const Workload& workload : workloads) {
        job.machines.push_back({workload.subject.machine, workload.cluster});
        job.spaces.push_back(job_space(arguments, workload));
    }
    const size::Answer answer = with_progress(complete(arguments, size::question(std::move(job), options)));
    reports::Document document = size::document(answer);
    if (answer.best) {
        const std::string& machine = answer.machines[*answer.best].machine;
        add_next(document, arguments, "size",
                 {{"report", {{"--machine", machine}, {"--gpus", ""}, {"--price", ""}}},
                  {"limits", {{"--machine", machine}, {"--gpus", ""}}}});
    }
    write(output, document);
    return interrupted() ? kInterrupted : answer.best ? kAnswered : kNo;
}

}  // namespace

Command size_command() {
    return question_command({.heading = size::heading(),
                             .usage = "--machine M",
                             .options = size_command_options(),
                             .run = run_size,
                             .answer = files::description<size::Answer>});
}

}  // namespace dodona::cli
