// `dodona trials`: how long a study of many trials takes.
#include "cli/commands.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "base/whole_file.hpp"
#include "cli/exit_code.hpp"
#include "cli/next.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/trial_options.hpp"
#include "questions/trials/launch.hpp"
#include "questions/trials/timeline.hpp"
#include "questions/trials/trials.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/chrome_trace.hpp"
#include "reports/render/gzip.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> trials_command_options() {
    std::vector<Option> all = trial_options();
    append(all, question_options(files::description<questions::trials::PredictionOptions>(), "Expected values"));
    all.push_back({"--trace", "FILE",
                   "the schedule as Chrome JSON, for ui.perfetto.dev and its like;\n"
                   "compressed if FILE ends in .gz",
                   "Output"});
    all.push_back({"--export", join(value_names<questions::trials::Launcher>(), "|"),
                   "instead of the answer, the trials as an array of sbatch or a program of\n"
                   "PyCOMPSs, in the order predicted",
                   "Output"});
    append(all, output_options());
    return all;
}

/// In the order predicted; in that of the study without times.
int export_trials(Arguments& arguments, const Output& output, questions::trials::Launcher launcher) {
    for (const char* option : {"--early-stop", "--mtbf", "--draws", "--price", "--trace"}) {
        if (arguments.has(option)) {
            arguments.fault(option, "--export writes no prediction", "leave one of the two out");
        }
    }
    const AskedTrials asked = read_trials(arguments, read_trial_options(arguments));
    const trials::Study& study = asked.study;
    const questions::trials::Resources& resources = asked.resources;
    if (study.command.empty()) {
        arguments.missing("what a trial runs", "`command: python3 train.py --lr {lr}` in the study");
    }
    const questions::trials::Times times = trial_times(arguments, asked);
    if (!questions::trials::has_times(times) && resources.sizes.size() > 1) {
        arguments.missing("how long a trial takes on each size", "`time:` or `model:` in the study, or --observed");
    }
    arguments.throw_if_faults();
    questions::trials::Launch launch{.study = study,
                                     .trials = times.trials,
                                     .order = {},
                                     .units = resources.sizes.front(),
                                     .pool = resources.pool,
                                     .predicted = {}};
    if (questions::trials::has_times(times)) {
        const trials::Prediction prediction = trials::predict(
            {.trials = questions::trials::timed_trials(times), .pool = resources.pool, .policy = asked.options.policy});
        launch.units = prediction.jobs.front().units;
        append(launch.order, prediction.schedule.runs, &trials::TrialRun::job);
        launch.predicted =
            fmt::format("Predicted: {} in {}, {} at once.", reports::counted(times.trials.size(), "trial"),
                        reports::duration(prediction.makespan.value), resources.pool.slots(launch.units));
        if (any_of(prediction.jobs, [&](const trials::Job& job) { return job.units != launch.units; })) {
            arguments.fault("--export", "its trials all take the same, and here they differ in size",
                            "one number: --cores-per-trial or --gpus-per-trial");
        }
    } else {
        launch.order.resize(times.trials.size());
        std::iota(launch.order.begin(), launch.order.end(), std::size_t{0});
    }
    if (launcher == questions::trials::Launcher::pycompss && launch.pool.nodes_of(launch.units) > 1) {
        arguments.fault("--export", "a task of PyCOMPSs stays on one node",
                        "fewer --gpus-per-trial, or --export slurm");
    }
    arguments.throw_if_faults();
    write_text(output, questions::trials::launch_text(launcher, launch));
    return kAnswered;
}

/// To run them, to stop those that are behind, on twice as much, and as a timeline: the first three that are not asked yet.
void add_next_trials(reports::Document& document, const Arguments& arguments, const AskedTrials& asked) {
    std::vector<NextCommand> next;
    if (!asked.study.command.empty()) {
        next.push_back({"trials run", {{"--into", asked.study.name}}});
    }
    if (!arguments.has("--early-stop")) {
        next.push_back({"trials", {{"--early-stop", "successive-halving"}}});
    }
    const char* const amount = arguments.has("--slots") ? "--slots" : "--nodes";
    const std::int64_t now =
        arguments.has("--slots") ? asked.options.slots.value_or(1) : asked.options.nodes.value_or(1);
    next.push_back({"trials", {{amount, std::to_string(2 * now)}}});
    next.push_back({"trials", {{"--trace", "trials.json"}}});
    next.resize(std::min<std::size_t>(next.size(), 3));
    add_next(document, arguments, "trials", next);
}

int run_trials(Arguments& arguments) {
    const Output output = read_output(arguments);
    if (const auto word = arguments.word("--export", value_names<questions::trials::Launcher>())) {
        return export_trials(arguments, output, *value_of<questions::trials::Launcher>(*word));
    }
    const std::string trace = arguments.has("--trace") ? writable_file(arguments, "--trace") : "";
    questions::trials::PredictionOptions of_prediction;
    read_options(arguments, files::description<questions::trials::PredictionOptions>(), &of_prediction);
    add_faults(arguments, questions::trials::contradictions(of_prediction));
    const AskedTrials asked = read_trials(arguments, read_trial_options(arguments));
    const questions::trials::Times times = trial_times(arguments, asked);
    if (!questions::trials::has_times(times)) {
        arguments.missing("how long a trial takes", "`time:` or `model:` in the study, or --observed TRIALS.csv");
        arguments.throw_if_faults();
    }
    trials::Question question =
        complete(arguments, questions::trials::completed({.trials = questions::trials::timed_trials(times),
                                                          .pool = asked.resources.pool,
                                                          .policy = asked.options.policy},
                                                         asked.options, of_prediction, asked.cluster()));
    const questions::trials::Answer answer = questions::trials::ask({asked.study.name, std::move(question)});
    if (!trace.empty()) {
        const std::string text = reports::chrome_trace(questions::trials::trace(
            {.study = asked.study.name, .runs = answer.prediction.schedule.runs, .settings = times.trials}));
        write_whole(trace, trace.ends_with(".gz") ? reports::gzipped(text) : text);
    }
    reports::Document document = questions::trials::document(answer);
    add_next_trials(document, arguments, asked);
    write(output, document);
    return kAnswered;
}

}  // namespace

Command trials_command() {
    return {.name = "trials",
            .summary = "how long many trials of a study take on some nodes: order, slots, early stopping, cost",
            .usage = "(--machine M | --cores N | --slots N)",
            .positionals = {{.name = "GRID", .description = "the file of a study: docs/files.md#study-file"}},
            .options = trials_command_options(),
            .examples =
                "`dodona trials run GRID.yaml` runs the trials.\n\n"
                "Examples:\n"
                "  dodona trials study.yaml --slots 4\n"
                "  dodona trials study.yaml --cores 48 --cores-per-trial 1,2,4,8,16\n"
                "  dodona trials study.yaml --machine abci --nodes 2 --early-stop asha --trace schedule.json.gz",
            .run = run_trials,
            .answer = files::description<questions::trials::Answer>};
}

}  // namespace dodona::cli
