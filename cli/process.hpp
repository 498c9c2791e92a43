// The process around a program: every ending of it is an exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dodona::cli {

/// How a run ended.
struct Ending {
    int code = 0;
    std::string message;  ///< for the user, of one that ended by a fault; ends with a line end
};

/// Runs it: what it throws is a code and a message. `name` and `words`: of the command, for messages.
Ending ending_of(const std::string& name, const std::vector<std::string>& words, const std::function<int()>& run);

/// Runs `program` with the words after its own name. `name` is how messages call it.
int run_process(int argc, char** argv, const std::string& name, int (*program)(const std::vector<std::string>& words));

}  // namespace dodona::cli
