// What is tried where nothing fits.
#pragma once

#include <vector>

#include "questions/plans/plans.hpp"
#include "search/remedies.hpp"

namespace dodona::questions::plans {

/// The usual relaxation_sequences, then all strategies where some were named, shorter sequences, adapters of the same
/// model, and machines whose devices have at least so much memory. The question outlives them.
std::vector<search::RelaxationSequence> relaxation_sequences(const Question& question, Bytes least);

}  // namespace dodona::questions::plans
