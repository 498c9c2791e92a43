// `compare`: the best plans of several strategies, machines or models, or several given plans, side by side, with what makes
// the difference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/description.hpp"
#include "reports/document/document.hpp"
#include "search/answer.hpp"
#include "step/prediction.hpp"

namespace dodona::questions::compare {

/// One of those that are compared.
struct Compared {
    std::string name;  ///< as it was typed
    std::string model;
    std::string machine;
    std::optional<step::Prediction> plan;  ///< its best one; none: nothing fits
    search::Answer answer;                 ///< of the search, for what stops it; of a given plan empty
    bool from_data_sheet = false;          ///< its device's kernels were not measured
};

struct Answer {
    std::string of;  ///< "strategies": what differs
    std::string on;  ///< "llama-3.1-8b on 64 GPUs of dgx-h100": what does not
    std::vector<Compared> all;
};

/// The one that fits and trains fastest; null where nothing fits.
const Compared* fastest(const Answer& answer);

/// Reasons that stop a search, most frequent first; three at most.
std::string stops(const search::Answer& answer);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::compare

namespace dodona::files {

template <>
const Description& description<questions::compare::Answer>();

}  // namespace dodona::files
