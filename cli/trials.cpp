#include "cli/trials.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/whole_file.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/trial_options.hpp"
#include "questions/trials/timeline.hpp"
#include "questions/trials/trials.hpp"
#include "reports/render/chrome_trace.hpp"
#include "reports/render/gzip.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> trials_command_options() {
    std::vector<Option> all = trial_options();
    append(all, trial_prediction_options());
    all.push_back({"--trace", "FILE",
                   "the schedule as Chrome JSON, for ui.perfetto.dev and its like;\n"
                   "compressed if FILE ends in .gz",
                   "Output"});
    append(all, output_options());
    return all;
}

int run_trials(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::string trace = arguments.has("--trace") ? writable_file(arguments, "--trace") : "";
    const trials::Study study = read_asked_study(arguments);
    const TrialResources resources = read_trial_resources(arguments, study);
    const questions::trials::Times times = trial_times(arguments, study, resources);
    if (!questions::trials::has_times(times)) {
        arguments.missing("how long a trial takes", "`time:` or `model:` in the study, or --observed TRIALS.csv");
    }
    trials::Question question{.trials = {}, .pool = resources.pool, .policy = read_policy(arguments)};
    arguments.throw_if_faults();
    question.trials = questions::trials::timed_trials(times);
    read_prediction_settings(arguments, resources, question);
    const questions::trials::Answer answer = questions::trials::ask({study.name, std::move(question)});
    if (!trace.empty()) {
        const std::string text = reports::chrome_trace(questions::trials::trace(
            {.study = study.name, .runs = answer.prediction.schedule.runs, .settings = times.trials}));
        write_whole(trace, trace.ends_with(".gz") ? reports::gzipped(text) : text);
    }
    write(output, questions::trials::document(answer));
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
