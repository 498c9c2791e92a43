// Reports in files: read back, gone on with, written so that they stay small.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "questions/report/report.hpp"

namespace dodona::cli {

/// Of a JSON file or an HTML page that `dodona report` wrote. Throws InputError.
questions::report::Report load_report(const std::string& file);

/// Puts the points of an earlier report into one of the same question. A fault where its question, or the version of dodona,
/// was another; nothing where there is no such file.
void take_finished_points(Arguments& arguments, const std::string& file, questions::report::Report& report);

/// An HTML page of more than kMaxPageBytes, without the part in which its reader asks, is written with fewer numbers of GPUs, and says so.
inline constexpr std::size_t kMaxPageBytes = 1'000'000;
void write_report(const Output& output, const questions::report::Report& report);

}  // namespace dodona::cli
