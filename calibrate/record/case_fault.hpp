// What is wrong with a case that somebody else wrote: the words and numbers of benchmark_case.hpp, each of its kind.
#pragma once

#include <string>

#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate {

/// The first fault of a parameter, as a user reads it: "\"window\" is \"3xx\", not extents such as 56x56". Empty where
/// there is none: then number(), word() and extents() of its parameters do not throw.
std::string case_fault(const Case& of);

/// What else a case has to say to be measured: its sizes, and a window that is no wider than its input.
std::string measured_case_fault(const Case& of);

}  // namespace dodona::calibrate
