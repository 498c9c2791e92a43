// dodona-exchange as a command: its options, and its answer.
#pragma once

#include "cli/option.hpp"
#include "lab/replicas/outcome.hpp"
#include "reports/document/document.hpp"

namespace dodona::calibrate {

/// Runs on all ranks of MPI at once.
cli::Command exchange_command();

reports::Document outcome_document(const TrainingSettings& settings, const Outcome& outcome);

}  // namespace dodona::calibrate
