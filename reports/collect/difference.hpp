// What makes one predicted step longer than another: the parts of its time that differ.
#pragma once

#include <string>
#include <vector>

#include "step/prediction.hpp"

namespace dodona::reports {

struct PartDifference {
    step::TimePart part = step::TimePart::forward;
    Seconds longer;  ///< less than nothing: shorter
};

/// Largest first, without those below a thousandth of the shorter step.
std::vector<PartDifference> time_differences(const step::Prediction& than, const step::Prediction& one);

/// "pipeline bubble +564 ms, backward -277 ms": the first three.
std::string difference_text(const step::Prediction& than, const step::Prediction& one);

/// "4.1 % longer: pipeline bubble +564 ms", "2.5 times as long: ...", "as long".
std::string how_much_longer(const step::Prediction& than, const step::Prediction& one);

/// Whether the intervals of both steps overlap, so that measuring may turn the order.
bool intervals_overlap(const step::Prediction& a, const step::Prediction& b);

}  // namespace dodona::reports
