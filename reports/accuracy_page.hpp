// The page of errors: every group beside what was held out and what others publish, ParaDL's Table VIII in its parts,
// and the record that `--gate` reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/peer_file.hpp"
#include "validate/comparison.hpp"

namespace dodona::reports {

struct AccuracyView {
    std::vector<std::string> tables;  ///< as the user called them
    std::vector<files::PeerError> peers;
    std::map<std::string, double> held_out;  ///< by group; may be empty
};

std::string accuracy_page(const AccuracyView& view, const validate::Comparison& comparison);

}  // namespace dodona::reports
