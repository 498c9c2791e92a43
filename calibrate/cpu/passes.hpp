// Loops over memory as frameworks with plain tensors have them, each on a part begin ... end - 1.
//
// Compiled for several instruction sets; the fitting one is chosen when the module is loaded.
#pragma once

#include <cstdint>

namespace dodona::calibrate::cpu {

struct Range {
    std::int64_t begin = 0, end = 0;
};

/// The sum, so that nothing is left out.
float read_pass(Range range, const float* a);
void write_pass(Range range, float value, float* to);
void copy_pass(Range range, const float* from, float* to);
void triad_pass(Range range, const float* a, const float* b, float scale, float* to);  ///< to = a + scale b

void relu_pass(Range range, const float* x, float* y);
void relu_backward_pass(Range range, const float* dy, const float* y, float* dx);
void add_pass(Range range, const float* a, const float* b, float* to);
void multiply_pass(Range range, const float* a, const float* b, float* to);
/// dx = dy y (1 - y), as of a sigmoid; and dy (1 - y^2), as of a tanh.
void sigmoid_backward_pass(Range range, const float* dy, const float* y, float* dx);
void tanh_backward_pass(Range range, const float* dy, const float* y, float* dx);

/// Rows of a matrix: y = x / sqrt(mean(x^2)) scale.
void rms_norm_rows(Range rows, std::int64_t columns, const float* x, const float* scale, float* y);
void rms_norm_backward_rows(Range rows, std::int64_t columns, const float* x, const float* scale, const float* dy,
                            float* dx, float* dscale);

/// rows[i] of the table to place i, and the other way round (added to the table).
void gather_rows(Range places, std::int64_t width, const std::int64_t* rows, const float* table, float* to);
void scatter_rows(Range places, std::int64_t width, const std::int64_t* rows, const float* from, float* table);

}  // namespace dodona::calibrate::cpu
