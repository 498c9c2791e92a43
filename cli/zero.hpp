// Stages of ZeRO as options take them: 0 to 3, or what is sharded.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace dodona::cli {

/// "0", "1", "2", "3"; "none", "states", "gradients", "parameters".
std::vector<std::string> zero_choices();

/// Of one of the choices.
plan::ShardLevel zero_level(const std::string& choice);

}  // namespace dodona::cli
