// Commands that are programs of their own: dodona-calibrate.
#pragma once

#include <string>
#include <vector>

namespace dodona::cli {

/// Replaces this process by `program`, which lies beside it or in its libexec folder. Throws Missing where it does not.
[[noreturn]] void exec_companion(const std::string& program, const std::vector<std::string>& words);

}  // namespace dodona::cli
