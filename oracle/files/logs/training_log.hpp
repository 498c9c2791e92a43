// Logs of training software: the time of a step, as it was printed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"
#include "files/logs/log_form.hpp"

namespace dodona::files {

/// A step as it was printed, with what the lines below it say of its parts.
struct LoggedStepTime {
    Seconds time;
    std::vector<LoggedPartTime> parts;
};

/// What a log says of its steps, those of the warm-up left out, and of the job. Nothing else of a log is kept.
struct TrainingLog {
    std::string software;
    std::size_t steps = 0;              ///< that count
    std::size_t warm_up = 0;            ///< that were left out
    std::vector<LoggedStepTime> every;  ///< in their order, those of the warm-up included
    Seconds median;
    Seconds low;                           ///< 10th percentile
    Seconds high;                          ///< 90th
    std::optional<Bytes> memory;           ///< most that a line says
    std::string memory_kind;               ///< of it: reserved or allocated
    std::optional<std::int64_t> batch;     ///< samples of a step
    std::optional<std::int64_t> sequence;  ///< tokens of a sample
    std::optional<std::int64_t> gpus;
};

/// Reads the lines of a step in one of the forms, and where there are none the progress bars of a run that goes on (tqdm,
/// which averages steps). The first tenth of the steps is warm-up: one at least, where there are three or more. Throws
/// InputError where no line is one of a step, and where the time of a step needs a batch that the log does not print.
TrainingLog read_training_log(const std::string& text, const std::string& name, std::span<const LogForm> forms);

}  // namespace dodona::files
