// The process around a program: every ending of it is an exit code.
#pragma once

#include <string>
#include <vector>

namespace dodona::cli {

/// Runs `program` with the words after its own name. `name` is how messages call it.
int run_process(int argc, char** argv, const std::string& name, int (*program)(const std::vector<std::string>& words));

}  // namespace dodona::cli
