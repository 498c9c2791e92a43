// The page of errors over published runs: pages/accuracy.md. Beside what `dodona validate --record` writes it has, of
// each group, the error with parameters that were not fitted to it and the errors that other programs publish, and the
// runs whose source has computation and communication apart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "lab/evidence/peers.hpp"
#include "validate/comparison.hpp"

namespace dodona::calibrate {

/// A line of totals over runs in parts.
struct PartTotal {
    std::string title;
    std::string groups = "*";  ///< those that match; `*` stands for any run of characters
    std::string without;       ///< of them, those that match this are left out; empty: none
    bool fitting = false;      ///< only runs that are predicted to fit device memory
};

std::vector<PartTotal> load_part_totals(const std::string& path, const Location& where);

struct EvidencePage {
    std::vector<std::string> tables;
    std::vector<PeerError> peers;
    std::map<std::string, double> left_out;  ///< errors by group, of parameters that were fitted to other groups
    std::vector<PartTotal> totals;
};

std::string accuracy_page(const EvidencePage& page, const validate::Comparison& comparison);

}  // namespace dodona::calibrate
