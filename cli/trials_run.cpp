// `dodona trials run`: runs the trials of a study, under the scheduler that predicts them.
#include "cli/commands.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/whole_file.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/next.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/question.hpp"
#include "cli/trial_options.hpp"
#include "questions/trials/run.hpp"
#include "questions/trials/timeline.hpp"
#include "reports/render/chrome_trace.hpp"
#include "reports/render/gzip.hpp"
#include "runner/run_study.hpp"

namespace dodona::cli {

namespace {

using questions::trials::RunOptions;

std::vector<Option> trials_run_options() {
    std::vector<Option> all = question_options(files::description<RunOptions>(), "Run");
    all.push_back({"--trace", "FILE",
                   "what ran when as Chrome JSON, for ui.perfetto.dev and its like;\n"
                   "compressed if FILE ends in .gz",
                   "Output"});
    append(all, trial_options());
    append(all, output_options());
    return all;
}

/// What the study does not say of a run of it.
void check_study(Arguments& arguments, const trials::Study& study, const RunOptions& run) {
    if (study.command.empty()) {
        arguments.missing("what a trial runs", "`command: python3 train.py --lr {lr}` in the study");
    }
    if (run.early_stop && !study.result) {
        arguments.missing("what trials are compared by", "`result: {pattern: \"accuracy: ([0-9.]+)\"}` in the study");
    }
    arguments.throw_if_faults();
}

/// "node-1" where they have no names.
std::vector<std::string> node_names(const RunOptions& options, std::int64_t nodes) {
    std::vector<std::string> names = options.hosts;
    for (std::int64_t node = static_cast<std::int64_t>(names.size()); node < nodes; ++node) {
        names.push_back(options.launch.empty() ? "localhost" : fmt::format("node-{}", node + 1));
    }
    return names;
}

/// The times that are predicted, or none where nothing says them; then each trial takes the only size there is.
std::optional<trials::Question> predicted(Arguments& arguments, const questions::trials::Times& times,
                                          const AskedTrials& asked) {
    if (!questions::trials::has_times(times)) {
        if (times.sizes.size() > 1) {
            arguments.missing("how long a trial takes on each size", "`time:` or `model:` in the study, or --observed");
            arguments.throw_if_faults();
        }
        return std::nullopt;
    }
    return trials::Question{
        .trials = questions::trials::timed_trials(times), .pool = asked.resources.pool, .policy = asked.options.policy};
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
    RunOptions options;
    read_options(arguments, files::description<RunOptions>(), &options);
    questions::trials::Options of_trials = read_trial_options(arguments);
    add_faults(arguments, questions::trials::contradictions(options, of_trials));
    if (!options.hosts.empty()) {
        of_trials.nodes = static_cast<std::int64_t>(options.hosts.size());
    }
    const AskedTrials asked = read_trials(arguments, std::move(of_trials));
    const auto& study = asked.study;
    const auto& resources = asked.resources;
    check_study(arguments, study, options);
    const questions::trials::Times times = trial_times(arguments, asked);
    const std::optional<trials::Question> question = predicted(arguments, times, asked);
    runner::StudyRun run{.trials = times.trials,
                         .jobs = std::vector<trials::Job>(times.trials.size(), {{}, resources.sizes.front()}),
                         .pool = resources.pool,
                         .policy = asked.options.policy.value_or(trials::Policy::fifo),
                         .command = study.command,
                         .launcher = options.launch,
                         .nodes = node_names(options, resources.pool.nodes),
                         .folder = options.into,
                         .tries = static_cast<int>(options.tries),
                         .result = study.result,
                         .stopping = options.early_stop,
                         .eta = static_cast<int>(options.eta.value_or(3)),
                         .assigns_gpus = options.launch.empty() && resources.pool.node.gpus > 0};
    std::optional<trials::Prediction> prediction;
    if (question) {
        prediction = trials::predict(*question);
        run.jobs = prediction->jobs;
        run.policy = prediction->policy;
    }
    const questions::trials::RunAnswer answer{study.name, run, played(run), std::move(prediction)};
    const runner::StudyDone& done = answer.done;
    write_whole(options.into + "/trials.csv", questions::trials::trials_csv(run, done));
    if (!trace.empty()) {
        write_trace(trace, study, run, done);
    }
    reports::Document document = questions::trials::document(answer);
    const std::string ran = options.into + "/trials.csv";
    add_next(document, arguments, "trials run",
             {{"trials", {{"--observed", ran}}},
              {"trials", {{"--observed", ran}, {"--early-stop", "successive-halving"}}},
              {"trials", {{"--observed", ran}, {"--trace", "trials.json"}}}});
    write(output, document);
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
