// A traced step and its prediction, part by part.
//
//   rank0.json.gz: 4.56 s traced, 4.21 s predicted, -7.6 %
//   ...
//   off most: fused attention, 1.71 s traced, 1.51 s predicted
//
//   part                              traced  predicted  traced - predicted
//   matrix products                   2.20 s     2.11 s             +90.1 ms
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/collect/predicted_step.hpp"
#include "reports/document/document.hpp"
#include "traces/step_profile.hpp"

namespace dodona::questions::trace {

struct Question {
    std::string trace_name;       ///< its file
    std::string prediction_name;  ///< its file, or the model
    traces::StepProfile trace;
    reports::PredictedStep prediction;
};

/// A part of one step; parts add up to it.
struct TracedPart {
    std::string name;     ///< key in records: "matmul"
    std::string meaning;  ///< for people: "matrix products"
    Seconds traced;
    Seconds predicted;
    std::string longest = {};  ///< the kernel that takes most of it; may be empty
    [[nodiscard]] Seconds longer() const { return traced - predicted; }
};

struct TracedCollective {
    traces::DeviceWork work{};
    traces::WorkUse traced;
    double predicted_calls = 0;
    Seconds predicted_busy;
};

struct Answer {
    Question question;
    std::vector<TracedPart> parts;
    std::size_t most_off = 0;  ///< of `parts`
    std::vector<TracedCollective> collectives;

    /// Predicted over traced, minus one.
    [[nodiscard]] double error() const { return question.prediction.step.value / question.trace.step - 1; }
    [[nodiscard]] bool within_interval() const {
        const Estimate& predicted = question.prediction.step;
        return question.trace.step >= predicted.lo && question.trace.step <= predicted.hi;
    }
    /// Whether a part is off by more than kNoticed of the step.
    [[nodiscard]] bool any_off() const;

    static constexpr double kNoticed = 0.02;
};

Answer ask(Question question);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::trace
