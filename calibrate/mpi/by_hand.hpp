// dodona-calibrate-mpi without dodona: its own list of cases, records to a file.
#pragma once

#include <string>
#include <vector>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

struct ByHand {
    Settings settings;
    std::string output;  ///< records; standard output where empty
    std::string cases;   ///< a file with a case a line; the list of cases/network_cases where empty
};

/// Of the words after the program's name. Throws InputError.
ByHand by_hand_from(const std::vector<std::string>& words);

/// Measures in a random order; progress on standard error. Returns the exit status: 0, 3 where something is missing.
/// Throws InputError where a file can't be read or written.
int measure_by_hand(const ByHand& asked);

std::string usage();

}  // namespace dodona::calibrate
