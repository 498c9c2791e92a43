// What `dodona plan` tries when nothing fits.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/workload.hpp"
#include "search/remedies.hpp"

namespace dodona::cli {

/// The usual relaxation_sequences, then all strategies where some were named, shorter sequences, adapters of the same model, and
/// machines whose devices have at least so much memory. All arguments but `least` must outlive the relaxation_sequences.
std::vector<search::RelaxationSequence> relaxation_sequences(Arguments& arguments, const Workload& workload,
                                                             const search::Space& space, Bytes least);

/// What `dodona predict` tries where a network has passes that no pipeline is modelled for: the plan's job under its own
/// strategy without a pipeline, then under any strategy. All arguments must outlive the relaxation_sequences.
std::vector<search::RelaxationSequence> relaxation_sequences_without_pipeline(const Workload& workload,
                                                                              const plan::Plan& plan);

}  // namespace dodona::cli
