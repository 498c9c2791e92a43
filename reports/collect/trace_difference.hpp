// A traced step beside a predicted one, part by part.
//
//   rank0.json.gz: 4.56 s traced, 4.21 s predicted, -7.6 %
//   ...
//   attention is off most: 1.71 s traced, 1.51 s predicted
//
//   part                              traced  predicted  traced - predicted
//   matrix products                   2.20 s     2.11 s             +90.1 ms
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "reports/collect/predicted_step.hpp"
#include "reports/document/document.hpp"
#include "traces/step_profile.hpp"

namespace dodona::reports {

/// Of one step; parts add up to it.
struct TracedPart {
    std::string name;     ///< key in records: "matmul"
    std::string meaning;  ///< for people: "matrix products"
    Seconds traced;
    Seconds predicted;
    std::string longest = {};  ///< the kernel that takes most of it; may be empty
    [[nodiscard]] Seconds longer() const { return traced - predicted; }
};

struct TraceDifference {
    traces::StepProfile trace;
    PredictedStep prediction;
    std::vector<TracedPart> parts;
    std::size_t most_off = 0;  ///< of `parts`

    /// Predicted over traced, minus one.
    [[nodiscard]] double error() const { return prediction.step.value / trace.step - 1; }
    [[nodiscard]] bool within_interval() const {
        return trace.step >= prediction.step.lo && trace.step <= prediction.step.hi;
    }
    /// Whether a part is off by more than kNoticed of the step.
    [[nodiscard]] bool any_off() const;

    static constexpr double kNoticed = 0.02;
};

TraceDifference trace_difference(const traces::StepProfile& trace, const PredictedStep& prediction);

/// What the two were read from.
struct TraceNames {
    std::string trace;
    std::string prediction;
};

Document trace_document(const TraceNames& names, const TraceDifference& difference);

}  // namespace dodona::reports
