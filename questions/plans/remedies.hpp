// What is tried where nothing fits.
#pragma once

#include <vector>

#include "questions/plans/plans.hpp"
#include "search/remedies.hpp"

namespace dodona::questions::plans {

/// The usual relaxation_sequences, then all strategies where some were named, shorter sequences, adapters of the same
/// model, and machines whose devices have at least so much memory. The question outlives them.
std::vector<search::RelaxationSequence> relaxation_sequences(const Question& question, Bytes least);

/// Where a network has passes that no pipeline is modelled for: the plan's job under its own strategy without a pipeline,
/// then under any strategy. Both arguments outlive the relaxation_sequences.
std::vector<search::RelaxationSequence> relaxation_sequences_without_pipeline(const Workload& workload,
                                                                              const plan::Plan& plan);

}  // namespace dodona::questions::plans
