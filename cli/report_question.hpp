// What `dodona report` is asked, read from its options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "cli/workload.hpp"
#include "questions/report/report.hpp"
#include "search/sweep.hpp"

namespace dodona::cli {

/// As the oracle takes it.
struct ReportQuestion {
    Workload workload;
    search::SweepQuestion sweep;
    std::optional<Power> power;
    std::vector<std::string> assumptions;
    bool explains = false;
};

std::vector<Option> report_question_options();

/// Faults are noted in `arguments`, or thrown as InputError.
ReportQuestion read_report_question(Arguments& arguments, const Output& output);

/// What the report says of its question.
questions::report::ReportInputs report_inputs(const Arguments& arguments, const ReportQuestion& question);

/// A report of the question without points.
questions::report::Report empty_report(const Arguments& arguments, const ReportQuestion& question);

}  // namespace dodona::cli
