#include "cli/trials_run.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/whole_file.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/trial_options.hpp"
#include "questions/trials/run.hpp"
#include "questions/trials/timeline.hpp"
#include "reports/render/chrome_trace.hpp"
#include "reports/render/gzip.hpp"
#include "runner/run_study.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> trials_run_options() {
    const std::string group = "Run";
    std::vector<Option> all{{"--into", "FOLDER",
                             "for the journal, trials.csv and a folder of each trial; a run that was\n"
                             "stopped goes on there",
                             group},
                            {"--hosts", "A,B,...", "names of nodes, for --launch", group},
                            {"--launch", "COMMAND",
                             "starts a trial's command elsewhere: 'ssh {node} {command}', or\n"
                             "'srun -N1 -n1 -c{cores} --exclusive sh -c {command}'",
                             group},
                            {"--tries", "N", "attempts of a trial that fails; 2 without it", group},
                            {"--early-stop", join(value_names<trials::StoppingRule>(), "|"),
                             "end trials that are worse than others, by what they report: `result:` of\n"
                             "the study",
                             group},
                            {"--eta", "N", "asha keeps one in so many; 3 without it", group},
                            {"--trace", "FILE",
                             "what ran when as Chrome JSON, for ui.perfetto.dev and its like;\n"
                             "compressed if FILE ends in .gz",
                             "Output"}};
    append(all, trial_options());
    append(all, output_options());
    return all;
}

/// Where commands run: the options that say it.
struct Launching {
    std::string folder;
    std::string launcher;
    std::vector<std::string> hosts;
    int tries = 2;
};

Launching read_launching(Arguments& arguments, const trials::Study& study) {
    Launching launching{.folder = arguments.required_text("--into", "a folder for the results"),
                        .launcher = arguments.text("--launch").value_or(""),
                        .hosts = arguments.list("--hosts"),
                        .tries = static_cast<int>(arguments.count("--tries", 1000).value_or(2))};
    if (study.command.empty()) {
        arguments.missing("what a trial runs", "`command: python3 train.py --lr {lr}` in the study");
    }
    const std::vector<std::string> names = trials::names_in(launching.launcher);
    const auto names_one = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
    std::vector<std::string> known(trials::kRunNames.begin(), trials::kRunNames.end());
    known.emplace_back(trials::kCommandName);
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            arguments.fault("--launch", fmt::format("it knows no {{{}}}{}", name, did_you_mean(name, known)),
                            "known: " + join(known));
        }
    }
    if (!launching.launcher.empty() && !names_one("command")) {
        arguments.fault("--launch", "it does not say where the trial's command stands",
                        "such as 'ssh {node} {command}'");
    }
    if (launching.launcher.empty() && !launching.hosts.empty()) {
        arguments.fault("--hosts", "without --launch all trials run here", "add --launch 'ssh {node} {command}'");
    }
    if (launching.launcher.empty() && arguments.count("--nodes").value_or(1) > 1) {
        arguments.fault("--nodes", "without --launch all trials run here", "add --launch 'srun ... sh -c {command}'");
    }
    if (!launching.hosts.empty()) {
        const auto nodes = static_cast<std::int64_t>(launching.hosts.size());
        if (arguments.count("--nodes").value_or(nodes) != nodes) {
            arguments.fault("--nodes", fmt::format("--hosts names {}", launching.hosts.size()), "leave it out");
        }
        arguments.give("--nodes", std::to_string(nodes));
    }
    arguments.throw_if_faults();
    return launching;
}

void read_stopping(Arguments& arguments, const trials::Study& study, runner::StudyRun& run) {
    if (const auto rule = arguments.word("--early-stop", value_names<trials::StoppingRule>())) {
        run.stopping = value_of<trials::StoppingRule>(*rule);
        if (!study.result) {
            arguments.missing("what trials are compared by",
                              "`result: {pattern: \"accuracy: ([0-9.]+)\"}` in the study");
        }
    }
    if (arguments.has("--eta") && run.stopping != trials::StoppingRule::asha) {
        arguments.fault("--eta", "it is of early stopping", "add --early-stop asha");
    }
    run.eta = static_cast<int>(arguments.count("--eta", 1000).value_or(run.eta));
    if (run.eta < 2) {
        arguments.fault("--eta", "1 would keep all trials", "2 or more: one in so many is kept");
    }
    arguments.throw_if_faults();
}

/// "node-1" where they have no names.
std::vector<std::string> node_names(const Launching& launching, std::int64_t nodes) {
    std::vector<std::string> names = launching.hosts;
    for (std::int64_t node = static_cast<std::int64_t>(names.size()); node < nodes; ++node) {
        names.push_back(launching.launcher.empty() ? "localhost" : fmt::format("node-{}", node + 1));
    }
    return names;
}

/// The times that are predicted, or none where nothing says them; then each trial takes the only size there is.
std::optional<trials::Question> predicted(Arguments& arguments, const questions::trials::Times& times,
                                          const trials::Pool& pool) {
    if (!questions::trials::has_times(times)) {
        if (times.sizes.size() > 1) {
            arguments.missing("how long a trial takes on each size", "`time:` or `model:` in the study, or --observed");
            arguments.throw_if_faults();
        }
        return std::nullopt;
    }
    return trials::Question{
        .trials = questions::trials::timed_trials(times), .pool = pool, .policy = read_policy(arguments)};
}

runner::StudyDone played(const runner::StudyRun& run) {
    listen_for_any_end();
    ProgressLine line("trials");
    return runner::run_study(
        run, [] { return !interrupted(); },
        [&](std::size_t ended, std::size_t all) {
            line.show(static_cast<std::int64_t>(ended), static_cast<std::int64_t>(all));
        });
}

void write_trace(const std::string& file, const trials::Study& study, const runner::StudyRun& run,
                 const runner::StudyDone& done) {
    const std::vector<trials::TrialRun> runs = questions::trials::runs_of(done);
    const std::string text = reports::chrome_trace(
        questions::trials::trace({.study = study.name, .simulated = false, .runs = runs, .settings = run.trials}));
    write_whole(file, file.ends_with(".gz") ? reports::gzipped(text) : text);
}

int run_trials_run(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::string trace = arguments.has("--trace") ? writable_file(arguments, "--trace") : "";
    const trials::Study study = read_asked_study(arguments);
    const Launching launching = read_launching(arguments, study);
    const TrialResources resources = read_trial_resources(arguments, study);
    const questions::trials::Times times = trial_times(arguments, study, resources);
    const std::optional<trials::Question> question = predicted(arguments, times, resources.pool);
    runner::StudyRun run{.trials = times.trials,
                         .jobs = std::vector<trials::Job>(times.trials.size(), {{}, resources.sizes.front()}),
                         .pool = resources.pool,
                         .policy = read_policy(arguments).value_or(trials::Policy::fifo),
                         .command = study.command,
                         .launcher = launching.launcher,
                         .nodes = node_names(launching, resources.pool.nodes),
                         .folder = launching.folder,
                         .tries = launching.tries,
                         .result = study.result,
                         .assigns_gpus = launching.launcher.empty() && resources.pool.node.gpus > 0};
    read_stopping(arguments, study, run);
    std::optional<trials::Prediction> prediction;
    if (question) {
        prediction = trials::predict(*question);
        run.jobs = prediction->jobs;
        run.policy = prediction->policy;
    }
    const questions::trials::RunAnswer answer{study.name, run, played(run), std::move(prediction)};
    const runner::StudyDone& done = answer.done;
    write_whole(launching.folder + "/trials.csv", questions::trials::trials_csv(run, done));
    if (!trace.empty()) {
        write_trace(trace, study, run, done);
    }
    write(output, questions::trials::document(answer));
    const bool all_finished = done.finished + done.early.size() == run.trials.size();
    return interrupted() ? kInterrupted : all_finished ? kAnswered : kNo;
}

}  // namespace

Command trials_run_command() {
    return {.name = "trials run",
            .summary = "run the trials of a study, and compare with what was predicted",
            .usage = "--into FOLDER (--machine M | --cores N | --slots N)",
            .positionals = {{.name = "GRID", .description = "the file of a study, with its command"}},
            .options = trials_run_options(),
            .examples =
                "Exit code 1 if a trial failed in all its tries; 130 after Ctrl-C, SIGTERM or SIGHUP. The same\n"
                "command goes on where a run stopped.\n\n"
                "Examples:\n"
                "  dodona trials run study.yaml --slots 2 --into results\n"
                "  dodona trials run study.yaml --cores 8 --cores-per-trial 2 --hosts n1,n2 \\\n"
                "      --launch 'ssh {node} {command}' --into results",
            .run = run_trials_run,
            .answer = files::description<questions::trials::RunAnswer>};
}

}  // namespace dodona::cli
