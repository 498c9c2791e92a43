// `dodona diff`: two reports compared.
#include "cli/commands.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/report_file.hpp"
#include "cli/trace_diff.hpp"
#include "questions/diff/diff.hpp"
#include "questions/report/analysis.hpp"
#include "questions/trace/trace.hpp"

namespace dodona::cli {

namespace {

constexpr const char* kHelp =
    "a report that `dodona report -o FILE.json` or FILE.html wrote, or a trace and a prediction";

int diff_reports(Arguments& arguments, const Output& output, const std::string& first, const std::string& second) {
    questions::diff::Options options;
    read_options(arguments, files::description<questions::diff::Options>(), &options);
    for (const Option& option : trace_options()) {
        if (arguments.has(option.long_name())) {
            arguments.fault(option.long_name(), "goes with a trace, and " + as_typed(first) + " is none",
                            "two reports are compared as they are");
        }
    }
    arguments.throw_if_faults();
    const questions::diff::Question question{
        .first = {first, load_report(first)},
        .second = {second, load_report(second)},
        .tolerance = options.tolerance.value_or(questions::diff::kDefaultTolerance)};
    const questions::diff::Answer answer = questions::diff::ask(question);
    reports::Document document = questions::diff::document(answer);
    reports::Code next;
    for (const auto* report : {&question.first.report, &question.second.report}) {
        const auto best = questions::report::recommended(report->scalings.front());
        const std::string line = best ? questions::report::plan_command(report->inputs, *best) : "";
        if (!line.empty() && std::find(next.lines.begin(), next.lines.end(), line) == next.lines.end()) {
            next.lines.push_back(line);
        }
    }
    add_section(document, {"Next"}, {std::move(next)});
    write(output, document);
    return answer.differs() ? kNo : kAnswered;
}

int run_diff(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::string first = arguments.required_text("FIRST", kHelp);
    if (is_trace_file(first)) {
        return diff_trace(arguments, output, first, arguments.text("SECOND").value_or(""));
    }
    const std::string second = arguments.required_text("SECOND", kHelp);
    if (is_trace_file(second)) {
        arguments.fault("FIRST", "the trace comes first", "dodona diff TRACE PREDICTION");
    }
    return diff_reports(arguments, output, first, second);
}

}  // namespace

Command diff_command() {
    std::vector<Option> options = question_options(files::description<questions::diff::Options>(), "Comparison");
    append(options, trace_options());
    append(options, output_options());
    return {.name = "diff",
            .summary = "what differs between two reports, or between a traced step and its prediction",
            .usage = "",
            .positionals = {{.name = "FIRST",
                             .description = "a report, JSON or HTML; or a trace of one rank: of the\n"
                                            "PyTorch profiler (also .gz) or of Chakra (.et)"},
                            {.name = "SECOND",
                             .description = "another report; or what `predict --json -o FILE` wrote, or a model",
                             .required = false}},
            .options = std::move(options),
            .examples =
                "Exit code 1: a point differs by more than the tolerance, or the traced step is not within the\n"
                "interval or the tolerance.\n\n"
                "Examples:\n"
                "  dodona diff before.json after.html --tolerance 0.02\n"
                "  dodona diff rank0.json.gz prediction.json\n"
                "  dodona diff rank0.json.gz llama-3.1-8b --machine dgx-h100 --gpus 16 --batch 64 \\\n"
                "      --strategy zero2\n"
                "  dodona diff rank0.json.gz --from train.sh --machine dgx-h100",
            .run = run_diff,
            .answer = files::description<questions::diff::Answer>,
            .other_answer = files::description<questions::trace::Answer>};
}

}  // namespace dodona::cli
