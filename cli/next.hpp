// The commands below an answer that lead on from it, made of what was typed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "reports/document/document.hpp"

namespace dodona::cli {

/// One of them. `values`: of options that were not typed or mean something else there; empty: left out.
struct NextCommand {
    std::string name;
    std::map<std::string, std::string> values = {};
    std::string more = {};  ///< words at its end
};

/// Their lines. Each takes over its first positional, such as MODEL, and what was typed of options that both commands have
/// in the same form, but for those of the output; one without its positional is left out.
std::vector<std::string> next_lines(const Arguments& arguments, const std::string& asked,
                                    const std::vector<NextCommand>& commands);

/// Adds them to the section "Next".
void add_next(reports::Document& document, const Arguments& arguments, const std::string& asked,
              const std::vector<NextCommand>& commands);

}  // namespace dodona::cli
