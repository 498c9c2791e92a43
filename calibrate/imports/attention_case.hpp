// Fused attention in a trace as a case.
#pragma once

#include <string_view>

#include "calibrate/imports/operator_cases.hpp"

namespace dodona::calibrate {

/// Whether an operator of PyTorch is fused attention: flash, memory-efficient or cuDNN's, forward or backward.
bool is_attention(std::string_view name);

/// The backward pass is one case, all of its kernels together. Left out are packed sequences (their lengths are not in
/// a trace), biases, and values whose heads are not as long as the keys'. `kernel` as of case_of.
OperatorCase attention_case(const KinetoOperator& called, std::string_view kernel);

}  // namespace dodona::calibrate
