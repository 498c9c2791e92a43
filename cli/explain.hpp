// --explain: what an answer is sensitive to.
#pragma once

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "search/answer.hpp"
#include "search/crossover_search.hpp"

namespace dodona::cli {

/// `what`: the part of the description that commands differ in.
Option explain_option(const std::string& what);

/// Whether it is asked for; a fault in a format that has no place for it.
bool read_explain(Arguments& arguments, const Output& output);

/// Explains the first of the plans of the answer to a search for kCompetitors of them or more. Where nothing fits nothing is
/// explained; on Ctrl-C what is finished stays.
void explain(const search::Inquiry& inquiry, search::Answer& answer);

}  // namespace dodona::cli
