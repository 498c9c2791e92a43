// Places of embedding tables in memories and the time of a step. Equations: tables/placement.hpp,
// tables/step_time.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "questions/question.hpp"
#include "reports/document/document.hpp"
#include "tables/step_time.hpp"

namespace dodona::questions::tables {

struct Question {
    reports::Subject subject;
    dodona::tables::StepQuestion step;
};

/// Faults: a network without tables, shares that leave them no device memory.
Asked<Question> question(reports::Subject subject, dodona::tables::StepQuestion step);

struct Answer {
    reports::Subject subject;
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    bool rate_given = false;  ///< of rows in device memory
    dodona::tables::StepPrediction prediction;
    std::optional<std::vector<dodona::tables::OtherFabric>> fabrics;  ///< none: not asked for, or the tables do not fit

    [[nodiscard]] bool fits() const { return prediction.placement.unplaced.empty(); }
};

Answer ask(const Question& question);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::tables
