// Lists the communication of a stage in one step; equal collectives are one line. `received`: for each micro-batch, from
// other stages.
#pragma once

#include <vector>

#include "step/prediction.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

std::vector<CommunicationLine> communication_lines(const CostedGraph& costed, const plan::Plan& plan,
                                                   const Stage& stage, const std::vector<Boundary>& received,
                                                   const std::vector<StateTransfer>& states, std::int64_t microbatches);

}  // namespace dodona::step
