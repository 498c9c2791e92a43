// The report of `dodona predict`: one plan, with all parts of its time and memory.
#pragma once

#include <string>

#include "reports/document/document.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// What a prediction was asked for.
struct Subject {
    std::string model;
    std::string machine;
};

Document prediction_document(const Subject& subject, const step::Prediction& prediction);

}  // namespace dodona::reports
