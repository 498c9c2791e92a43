// `dodona threads`: a network's forward pass on a CPU, so many operators at once on so many threads each.
#pragma once

#include <optional>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "reports/collect/threads_report.hpp"
#include "threads/forecast.hpp"

namespace dodona::cli {

/// A network and a CPU, and what follows from them.
struct AskedThreads {
    Workload workload;
    reports::ThreadsQuestion question;
    threads::OperatorGraph operators;
    std::vector<threads::OperatorWork> works;  ///< of each kind of operator
    std::optional<threads::Forecast> answer;   ///< none: the weights do not fit
};

/// Of the network, the machine and what its threads cost; without those of output.
std::vector<Option> threads_options();
AskedThreads read_asked_threads(Arguments& arguments);

Command threads_command();

}  // namespace dodona::cli
