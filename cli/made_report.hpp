// A report, computed: its points by whoever computes them, then what follows from them.
#pragma once

#include <functional>
#include <vector>

#include "cli/report_question.hpp"

namespace dodona::cli {

/// Puts the points of the keys, which are ascending, into the report. False: it was stopped before it had all of them.
using PointSource = std::function<bool(const ReportQuestion& question, const std::vector<search::SweepKey>& asked,
                                       questions::report::Report& report)>;

/// On the cores of this process. Ctrl-C stops it.
bool computed_here(const ReportQuestion& question, const std::vector<search::SweepKey>& asked,
                   questions::report::Report& report);

/// A point in its place.
void put_point(questions::report::Report& report, const search::SweepKey& key,
               const questions::report::ReportPoint& found);

/// The report that the arguments ask for; with --resume those points that the output's file does not have are computed.
/// Throws InputError.
questions::report::Report made_report(Arguments& arguments, const Output& output, const PointSource& points);

}  // namespace dodona::cli
