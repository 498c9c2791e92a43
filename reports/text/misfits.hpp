// What does not fit, why, and what would make the nearest of it fit.
//
//   What does not fit: 3,120 of 4,096 configurations
//     1,204  megatron  out of memory: activations
//            nearest: ...
#pragma once

#include <string>

#include "reports/style.hpp"
#include "search/answer.hpp"

namespace dodona::reports {

std::string misfits(const search::Answer& answer, Style style);

}  // namespace dodona::reports
