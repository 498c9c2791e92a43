// Lists of cases as text, a line for all combinations of some values.
//
//   matmul m:n:k=512:512:64,512:64:512 batch=16,64* bytes=4Ki..1Gi^8|1Mi threads=$threads
//
// - Values of a parameter are separated by commas; parameters with colons take their values together.
// - 4Ki..1Gi^8 is every value from 4 KiB to 1 GiB by factors of 8. Ki, Mi and Gi are powers of 1024.
// - $name is the value of that name. What is no number is a word.
// - Quick lists have the values behind | where there is one, and of values of which some are marked with * only those. A
//   line that begins with `full` is in full lists only.
// - A line that begins with a blank goes on with the one before it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate {

/// How many cases a list has: all, or a quick selection.
struct CaseOptions {
    bool quick = false;
};

/// In the order of the text; of two parameters the later one varies faster. A text that is none is a fault of ours.
std::vector<Case> listed_cases(std::string_view text, const CaseOptions& options,
                               const std::map<std::string, Parameter>& named = {});

}  // namespace dodona::calibrate
