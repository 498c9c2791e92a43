// Predictions against measured runs, of tables and of logs of training. Errors: validate/comparison.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/logs/training_log.hpp"
#include "reports/document/document.hpp"
#include "validate/comparison.hpp"

namespace dodona::questions::validate {

struct Question {
    std::vector<files::MeasuredRun> runs;
    dodona::validate::Questions asked;  ///< of the runs
    std::size_t anchors = 0;            ///< runs of each group that frameworks are adjusted to
};

/// Stops where `progress` says so.
dodona::validate::Comparison ask(Question question, const dodona::validate::Progress& progress = {});

struct View {
    std::string table;      ///< as it was typed
    std::size_t worst = 5;  ///< runs with the largest errors that are printed
};

/// Errors by group, refusals with their reasons, memory, the worst runs and the parts of their time.
reports::Document document(const View& view, const dodona::validate::Comparison& comparison);

/// A log and the result of its question; the result has the prediction, or why it was refused.
struct LogResult {
    std::string name;
    files::TrainingLog log;
    dodona::validate::RunResult result;
};

/// A row for each log.
///
///   train.log: 1.39 s measured, 1.32 s predicted, -5.0 %
///   log        software     steps  measured  80 % of steps  predicted  interval       error
///   train.log  Megatron-LM      3    1.39 s   1.38, 1.40 s     1.32 s  1.17, 1.49 s  -5.0 %
reports::Document document(const std::vector<LogResult>& logs);

}  // namespace dodona::questions::validate
