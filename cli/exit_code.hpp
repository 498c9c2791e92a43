// Exit codes: a contract with scripts.
#pragma once

namespace dodona::cli {

enum ExitCode : int {
    kAnswered = 0,
    kNo = 1,        ///< nothing fits, the plan cannot run, or `check` found a fault
    kBadInput = 2,  ///< the command line or a file
    kMissing = 3,   ///< hardware or a library
    kOurFault = 70,
    kInterrupted = 130,
};

}  // namespace dodona::cli
