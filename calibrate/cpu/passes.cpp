#include "calibrate/cpu/passes.hpp"

#include <cmath>
#include <cstring>

#include "calibrate/cpu/instruction_sets.hpp"

namespace dodona::calibrate::cpu {

namespace {

// Partial sums side by side: one after the other they would wait for each other.
constexpr int kPassLanes = 32;

}  // namespace

DODONA_ALL_INSTRUCTION_SETS float read_pass(Range range, const float* a) {
    float lanes[kPassLanes] = {};
    std::int64_t at = range.begin;
    for (; at + kPassLanes <= range.end; at += kPassLanes) {
        for (int lane = 0; lane < kPassLanes; ++lane) {
            lanes[lane] += a[at + lane];
        }
    }
    float sum = 0;
    for (; at < range.end; ++at) {
        sum += a[at];
    }
    for (const float lane : lanes) {
        sum += lane;
    }
    return sum;
}

DODONA_ALL_INSTRUCTION_SETS void write_pass(Range range, float value, float* to) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
        to[i] = value;
    }
}

DODONA_ALL_INSTRUCTION_SETS void copy_pass(Range range, const float* __restrict from, float* __restrict to) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
        to[i] = from[i];
    }
}

DODONA_ALL_INSTRUCTION_SETS void triad_pass(Range range, const float* __restrict a, const float* __restrict b,
                                            float scale, float* __restrict to) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
        to[i] = a[i] + scale * b[i];
    }
}

DODONA_ALL_INSTRUCTION_SETS void relu_pass(Range range, const float* __restrict x, float* __restrict y) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
        y[i] = x[i] > 0 ? x[i] : 0;
    }
}

DODONA_ALL_INSTRUCTION_SETS void relu_backward_pass(Range range, const float* __restrict dy, const float* __restrict y,
                                                    float* __restrict dx) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
        const float passed = dy[i];
        dx[i] = y[i] > 0 ? passed : 0;
    }
}

DODONA_ALL_INSTRUCTION_SETS void add_pass(Range range, const float* a, const float* b, float* to) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
        to[i] = a[i] + b[i];
    }
}

DODONA_ALL_INSTRUCTION_SETS void multiply_pass(Range range, const float* a, const float* b, float* to) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
        to[i] = a[i] * b[i];
    }
}

DODONA_ALL_INSTRUCTION_SETS void sigmoid_backward_pass(Range range, const float* dy, const float* y, float* dx) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
        dx[i] = dy[i] * y[i] * (1 - y[i]);
    }
}

DODONA_ALL_INSTRUCTION_SETS void tanh_backward_pass(Range range, const float* dy, const float* y, float* dx) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
        dx[i] = dy[i] * (1 - y[i] * y[i]);
    }
}

DODONA_ALL_INSTRUCTION_SETS void rms_norm_rows(Range rows, std::int64_t columns, const float* x, const float* scale,
                                               float* __restrict y) {
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const float* const in = x + row * columns;
        float lanes[kPassLanes] = {};
        for (std::int64_t i = 0; i + kPassLanes <= columns; i += kPassLanes) {
            for (int lane = 0; lane < kPassLanes; ++lane) {
                lanes[lane] += in[i + lane] * in[i + lane];
            }
        }
        float squares = 1e-6F;
        for (const float lane : lanes) {
            squares += lane;
        }
        const float shrink = 1 / std::sqrt(squares / static_cast<float>(columns));
        for (std::int64_t i = 0; i < columns; ++i) {
            y[row * columns + i] = in[i] * shrink * scale[i];
        }
    }
}

DODONA_ALL_INSTRUCTION_SETS void rms_norm_backward_rows(Range rows, std::int64_t columns, const float* x,
                                                        const float* scale, const float* dy, float* __restrict dx,
                                                        float* __restrict dscale) {
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const float* const in = x + row * columns;
        const float* const out = dy + row * columns;
        float squares[kPassLanes] = {};
        float products[kPassLanes] = {};
        for (std::int64_t i = 0; i + kPassLanes <= columns; i += kPassLanes) {
            for (int lane = 0; lane < kPassLanes; ++lane) {
                squares[lane] += in[i + lane] * in[i + lane];
                products[lane] += in[i + lane] * out[i + lane] * scale[i + lane];
            }
        }
        float square = 1e-6F;
        float product = 0;
        for (int lane = 0; lane < kPassLanes; ++lane) {
            square += squares[lane];
            product += products[lane];
        }
        const float shrink = 1 / std::sqrt(square / static_cast<float>(columns));
        const float along = product / square;
        for (std::int64_t i = 0; i < columns; ++i) {
            dx[row * columns + i] = shrink * (out[i] * scale[i] - in[i] * along);
            dscale[i] += out[i] * in[i] * shrink;
        }
    }
}

void gather_rows(Range places, std::int64_t width, const std::int64_t* rows, const float* table, float* to) {
    for (std::int64_t place = places.begin; place < places.end; ++place) {
        std::memcpy(to + place * width, table + rows[place] * width, static_cast<std::size_t>(width) * sizeof(float));
    }
}

DODONA_ALL_INSTRUCTION_SETS void scatter_rows(Range places, std::int64_t width, const std::int64_t* rows,
                                              const float* __restrict from, float* __restrict table) {
    for (std::int64_t place = places.begin; place < places.end; ++place) {
        float* const row = table + rows[place] * width;
        for (std::int64_t i = 0; i < width; ++i) {
            row[i] += from[place * width + i];
        }
    }
}

}  // namespace dodona::calibrate::cpu
