#include "cli/diff.hpp"

#include <string>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/report_file.hpp"
#include "reports/collect/report_difference.hpp"

namespace dodona::cli {

namespace {

/// As fine as predictions tell plans apart (search::kEqualTime).
constexpr double kUsualTolerance = 0.005;

int run_diff(Arguments& arguments) {
    const Output output = read_output(arguments);
    const double tolerance = arguments.ratio("--tolerance", 0).value_or(kUsualTolerance);
    const std::string help = "a report that `dodona report -o FILE.json` or FILE.html wrote";
    const std::string first = arguments.required_text("FIRST", help);
    const std::string second = arguments.required_text("SECOND", help);
    arguments.throw_if_faults();
    const reports::Report before = load_report(first);
    const reports::Report after = load_report(second);
    const reports::ReportDifference difference = reports::difference(before, after, tolerance);
    write(output, reports::difference_document(before, after, difference, {first, second}));
    return difference.any() ? kNo : kAnswered;
}

}  // namespace

Command diff_command() {
    std::vector<Option> options{{.names = "--tolerance",
                                 .value = "R",
                                 .description = "of the time of a sample; default: 0.005",
                                 .group = "Comparison"}};
    for (Option& option : output_options()) {
        options.push_back(std::move(option));
    }
    return {.name = "diff",
            .summary = "what differs between two reports: questions, recommendations, points",
            .usage = "",
            .positionals = {{.name = "FIRST", .description = "a report, JSON or HTML"},
                            {.name = "SECOND", .description = "another one"}},
            .options = std::move(options),
            .examples =
                "Exit code 1: a point differs by more than the tolerance.\n\n"
                "Example:\n"
                "  dodona diff before.json after.html --tolerance 0.02",
            .run = run_diff};
}

}  // namespace dodona::cli
