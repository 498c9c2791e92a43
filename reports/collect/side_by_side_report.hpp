// `dodona compare A B ...`: the best plans of several strategies, machines or models, or several given plans, side by side,
// with what makes the difference (`dodona/compare/1`).
#pragma once

#include <string>
#include <vector>

#include "reports/document/document.hpp"
#include "search/answer.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// One of the things that are compared.
struct Compared {
    std::string name;  ///< as it was typed
    std::string model;
    std::string machine;
    std::vector<step::Prediction> plans;  ///< its best plan; none: nothing fits
    search::Answer answer;                ///< of the search, for what stops it; of a given plan empty
    bool from_data_sheet = false;         ///< its device's kernels were not measured
};

struct SideBySide {
    std::string of;  ///< "strategies": what differs
    std::string on;  ///< "llama-3.1-8b on 64 GPUs of dgx-h100": what does not
    std::vector<Compared> things;
};

Document side_by_side_document(const SideBySide& all);

}  // namespace dodona::reports
