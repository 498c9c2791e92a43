// Many trials of a study on some nodes: their schedule, early stopping, failures, cost. Equations:
// trials/schedule.hpp, early_stopping.hpp, failures.hpp.
#pragma once

#include <string>

#include "reports/document/document.hpp"
#include "trials/prediction.hpp"

namespace dodona::questions::trials {

struct Question {
    std::string study;
    dodona::trials::Question of;
};

struct Answer {
    Question question;
    dodona::trials::Prediction prediction;
};

Answer ask(Question question);

reports::Document document(const Answer& answer);

/// "1 core", "2 GPUs", "4 cores and 1 GPU".
std::string units_text(const dodona::trials::Units& units);

}  // namespace dodona::questions::trials
