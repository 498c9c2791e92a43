#include "cli/trial_options.hpp"

#include <utility>

#include "cli/files.hpp"
#include "cli/question.hpp"
#include "cli/trial_times.hpp"
#include "cli/workload.hpp"
#include "files/study_file.hpp"

namespace dodona::cli {

std::vector<Option> trial_options() {
    std::vector<Option> all = options_named(workload_options(), {"--machine"});
    all.front().description = "a built-in machine or a file: trials run on GPUs of its nodes";
    all.front().group = "Nodes";
    append(all, question_options(files::description<questions::trials::Options>(), "Trials"));
    append(all, options_named(workload_options(), {"--precision", "--optimizer", "--software", "--overlap"}));
    return all;
}

questions::trials::Options read_trial_options(Arguments& arguments) {
    questions::trials::Options options;
    read_options(arguments, files::description<questions::trials::Options>(), &options);
    options.machine = arguments.text("--machine").value_or("");
    return options;
}

AskedTrials read_trials(Arguments& arguments, questions::trials::Options options) {
    add_faults(arguments, questions::trials::contradictions(options));
    const std::string file = arguments.required_text("GRID", "the file of a study: docs/files.md#study-file");
    arguments.throw_if_faults();
    AskedTrials asked{.options = std::move(options), .study = {}, .machine = {}, .resources = {}};
    asked.study = complete(
        arguments, questions::trials::changed_study(
                       files::read_study(files::load_document(file, file, files::command_line())), asked.options));
    if (std::string& machine = asked.options.machine; !machine.empty()) {
        machine = taken_as(arguments, files::NameOf::cluster, machine);
        asked.machine = read_machine(machine);
    }
    asked.resources = complete(arguments, questions::trials::resources(asked.options, asked.cluster()));
    return asked;
}

questions::trials::Times trial_times(Arguments& arguments, const AskedTrials& asked) {
    const auto& [options, study, machine, resources] = asked;
    questions::trials::Times times{.study = study,
                                   .trials = trials::draw_trials(study.space, study.draw),
                                   .sizes = resources.sizes,
                                   .observed = {},
                                   .step = step_time(arguments, study, resources.machine)};
    if (!options.observed.empty()) {
        times.observed = files::load_observed_trials(options.observed, study.space);
    }
    return times;
}

}  // namespace dodona::cli
