// `dodona diff TRACE PREDICTION`: a traced step beside a predicted one.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"

namespace dodona::cli {

/// --steps, and those of `predict` for a prediction that is made here.
std::vector<Option> trace_options();

/// Whether the file is a trace of the PyTorch profiler or of Chakra; false where there is no such file.
bool is_trace_file(const std::string& path);

/// `second`: a file of `dodona predict --json`, or a model that the options of `predict` follow. Returns the exit code.
int diff_trace(Arguments& arguments, const Output& output, const std::string& trace, const std::string& second);

}  // namespace dodona::cli
