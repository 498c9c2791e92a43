// Has a group of runs got worse than it was?
#pragma once

#include <string>
#include <vector>

#include "files/accuracy_file.hpp"
#include "validate/comparison.hpp"

namespace dodona::validate {

/// How much more than recorded a mean error may be: what rounding hides, a tenth of a point.
inline constexpr double kGateTolerance = 0.001;

struct GateResult {
    std::int64_t compared = 0;            ///< recorded groups that the table has
    std::vector<std::string> missing;     ///< recorded groups that it does not have
    std::vector<std::string> unrecorded;  ///< groups of the table that the record does not have
    struct Worse {
        Location where;  ///< of the record
        std::string text;
    };
    std::vector<Worse> worse;
};

/// A group is worse whose mean error of time or memory is larger than recorded, that no longer has one, or of which
/// fewer runs are predicted: refusing the worst ones is no progress.
GateResult gate(const Comparison& comparison, const std::vector<files::RecordedError>& recorded);

}  // namespace dodona::validate
