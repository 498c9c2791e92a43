// Logs of training beside what is predicted of their plans.
//
//   train.log: 1.39 s measured, 1.32 s predicted, -5.0 %
//   log        software     steps  measured  80 % of steps  predicted  interval       error
//   train.log  Megatron-LM      3    1.39 s   1.38, 1.40 s     1.32 s  1.17, 1.49 s  -5.0 %
#pragma once

#include <string>
#include <vector>

#include "files/logs/training_log.hpp"
#include "reports/document/document.hpp"
#include "validate/comparison.hpp"

namespace dodona::reports {

/// A log and the result of its question; the result has what is predicted, or why it was refused.
struct LogResult {
    std::string name;
    files::TrainingLog log;
    validate::RunResult result;
};

/// The record is `dodona/validate/1`, a row a log.
Document log_document(const std::vector<LogResult>& logs);

}  // namespace dodona::reports
