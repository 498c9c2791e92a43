// Operators of a trace as cases: which product, which convolution.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calibrate/imports/kineto_trace.hpp"
#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate {

/// A case, or why there is none: the end of a sentence, "operators without shapes".
struct OperatorCase {
    std::optional<Case> of;
    std::string why = {};
    std::string assumed = {};  ///< what the trace does not say; may be empty
};

/// Of a product m n k are those of the operator; its strides say the direction, as row-major products of
/// training are (benchmark_case.hpp): the second operand transposed is forward, the first backward-weight, neither
/// backward-input. Of the backward of a convolution `kernel` says which of its directions it is.
/// `kernel` is the name of its longest kernel: tf32 shows only there.
OperatorCase case_of(const KinetoOperator& called, std::string_view kernel);

/// "backward-input" or "backward-weight" of the name of a kernel of a convolution; empty where it says neither.
std::string_view convolution_direction(std::string_view kernel);

}  // namespace dodona::calibrate
