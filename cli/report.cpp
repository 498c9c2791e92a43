// `dodona report`: a sweep over numbers of GPUs as one page.
#include "cli/commands.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cli/chart_scripts.hpp"
#include "cli/exit_code.hpp"
#include "cli/explain.hpp"
#include "cli/files.hpp"
#include "cli/interactive_form.hpp"
#include "cli/interrupt.hpp"
#include "cli/made_report.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/report_file.hpp"
#include "cli/workload.hpp"
#include "questions/report/analysis.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> report_command_options() {
    std::vector<Option> all = report_question_options();
    all.push_back({"--from", "FILE", "show this report again, of an earlier -o FILE.json or FILE.html", "Output"});
    all.push_back({"--resume", "", "compute only what the file of -o does not have yet", "Output"});
    all.push_back({"--interactive", "",
                   "an HTML page in which its reader asks again, with other GPUs, another batch,\n"
                   "a pinned axis or another bandwidth: the search is in it (about 2 MB)",
                   "Output"});
    all.push_back(explain_option("at which value of each parameter another plan is better\n(several searches)"));
    append(all, output_options());
    return all;
}

/// The report of --from, which no other option changes.
questions::report::Report shown_again(Arguments& arguments, const std::string& file) {
    for (const Option& option : report_question_options()) {
        if (arguments.has(option.long_name())) {
            arguments.fault(option.long_name(), "--from shows a report as it was made", "leave one of them out");
        }
    }
    for (const char* option : {"MODEL", "--resume", "--explain"}) {
        if (arguments.has(option)) {
            arguments.fault(option, "--from shows a report as it was made", "leave one of them out");
        }
    }
    arguments.throw_if_faults();
    return load_report(file);
}

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Of all that a question may name, only a model and a machine are taken into a page. Throws InputError.
void refuse_files(Arguments& arguments, const Settings& given) {
    for (const auto& [option, value] : given) {
        for (const std::string& part : between_commas(value)) {
            std::error_code ignored;
            if (std::filesystem::is_regular_file(part, ignored)) {
                arguments.fault("--interactive",
                                fmt::format("the page cannot read {}, which {} names", as_typed(part), option),
                                "leave one of the two out");
            }
        }
    }
    arguments.throw_if_faults();
}

/// What --interactive opens with: the recommended plan's question, in the words of the report.
FormOpening opening_of(Arguments& arguments, const questions::report::Report& report) {
    const questions::report::ReportInputs& inputs = report.inputs;
    FormOpening opening;
    set_model(opening, taken_as(arguments, files::NameOf::model, inputs.model));
    set_machine(opening, taken_as(arguments, files::NameOf::cluster, inputs.machine));
    if (const auto best = questions::report::recommended(report.scalings.front())) {
        opening.question["gpus"] = best->point->devices;
        opening.question["batch"] = best->point->batch;
    } else {
        opening.question["gpus"] = inputs.counts.back();
    }
    Settings given;
    for (const questions::report::ReportSetting& setting : inputs.settings) {
        given.emplace_back(setting.option, setting.value);
    }
    refuse_files(arguments, given);
    opening.question["options"] = asked_options(given);
    return opening;
}

/// Before anything is computed: whether there can be such a page.
void check_interactive(Arguments& arguments, const Output& output) {
    if (!arguments.has("--interactive")) {
        return;
    }
    if (output.renderer->name != "html") {
        arguments.fault("--interactive", fmt::format("{} has no reader who asks", output.renderer->name),
                        "write a page: -o report.html");
    }
    refuse_files(arguments, settings_given(arguments));
    require_module();
}

int run_report(Arguments& arguments) {
    Output output = read_output(arguments);
    require_chart_scripts(output);
    check_interactive(arguments, output);
    const auto from = arguments.text("--from");
    const questions::report::Report report =
        from ? shown_again(arguments, *from) : made_report(arguments, output, computed_here);
    if (arguments.has("--interactive")) {
        output.page.form = interactive_form(opening_of(arguments, report), true);
    }
    write_report(output, report);
    return interrupted() ? kInterrupted : questions::report::recommended(report.scalings.front()) ? kAnswered : kNo;
}

}  // namespace

Command report_command() {
    Command command = question_command({.heading = questions::report::heading(),
                                        .usage = "--machine M",
                                        .options = report_command_options(),
                                        .run = run_report,
                                        .answer = files::description<questions::report::Report>});
    command.positionals.front().required = false;
    return command;
}

}  // namespace dodona::cli
