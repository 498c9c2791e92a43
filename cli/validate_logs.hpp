// `dodona validate LOG...`: the steps that logs of training print beside what is predicted of their plans.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/next.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "files/logs/training_log.hpp"
#include "validate/comparison.hpp"

namespace dodona::cli {

/// Those of the plan that was logged, in a group of their own.
std::vector<Option> log_options();

/// The prediction of a log's plan, with its measured steps. `arguments`: with what was typed, without the log.
validate::RunResult compared_log(Arguments arguments, const std::string& name, const files::TrainingLog& log);

/// Next commands of a log: `command` about it, its plan in detail, and the fastest plan.
std::vector<NextCommand> next_of_log(const Arguments& arguments, const std::string& command, const std::string& name,
                                     const files::TrainingLog& log);

/// Writes the comparison and returns the exit code: no where no log could be predicted. Settings that a log prints are
/// its plan, what is typed wins. Of one log every fault is thrown; of several each has its reason in the answer.
int validate_logs(Arguments& arguments, const Output& output, const std::vector<std::string>& logs);

}  // namespace dodona::cli
