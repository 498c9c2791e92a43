#include "calibrate/cpu/image_passes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/cpu/instruction_sets.hpp"

namespace dodona::calibrate::cpu {

namespace {

constexpr int kLanes = 32;
constexpr double kEpsilon = 1e-5;

/// Rows and columns of the input under one result.
struct Window {
    std::int64_t first_row, last_row, first_column, last_column;  ///< last: one beyond
};

Window window_of(const Pooling& pooling, std::int64_t row, std::int64_t column) {
    const std::int64_t top = row * pooling.stride_rows - pooling.pad_rows;
    const std::int64_t left = column * pooling.stride_columns - pooling.pad_columns;
    return {.first_row = std::max<std::int64_t>(top, 0),
            .last_row = std::min(top + pooling.window_rows, pooling.rows),
            .first_column = std::max<std::int64_t>(left, 0),
            .last_column = std::min(left + pooling.window_columns, pooling.columns)};
}

}  // namespace

void batch_norm_statistics(Range channels, std::int64_t all, std::int64_t images, std::int64_t plane, const float* x,
                           ChannelStatistics to) {
    const double count = static_cast<double>(images * plane);
    for (std::int64_t channel = channels.begin; channel < channels.end; ++channel) {
        double sum = 0;
        for (std::int64_t image = 0; image < images; ++image) {
            const float* const at = x + (image * all + channel) * plane;
            for (std::int64_t i = 0; i < plane; ++i) {
                sum += static_cast<double>(at[i]);
            }
        }
        const auto mean = static_cast<float>(sum / count);
        double squares = 0;
        for (std::int64_t image = 0; image < images; ++image) {
            const float* const at = x + (image * all + channel) * plane;
            for (std::int64_t i = 0; i < plane; ++i) {
                squares += static_cast<double>((at[i] - mean) * (at[i] - mean));
            }
        }
        to.mean[channel] = mean;
        to.deviation[channel] = static_cast<float>(1 / std::sqrt(squares / count + kEpsilon));
    }
}

DODONA_ALL_INSTRUCTION_SETS void batch_norm_planes(Range planes, std::int64_t channels, std::int64_t plane,
                                                   const float* __restrict x, const ChannelStatistics& statistics,
                                                   float* __restrict y) {
    for (std::int64_t at = planes.begin; at < planes.end; ++at) {
        const float scale = statistics.deviation[at % channels];
        const float shift = -statistics.mean[at % channels] * scale;
        for (std::int64_t i = at * plane; i < (at + 1) * plane; ++i) {
            y[i] = x[i] * scale + shift;
        }
    }
}

DODONA_ALL_INSTRUCTION_SETS void batch_norm_backward(Range channels, std::int64_t all, std::int64_t images,
                                                     std::int64_t plane, const float* x, const float* dy,
                                                     const ChannelStatistics& statistics, float* __restrict dx) {
    const auto count = static_cast<float>(images * plane);
    for (std::int64_t channel = channels.begin; channel < channels.end; ++channel) {
        const float mean = statistics.mean[channel];
        const float deviation = statistics.deviation[channel];
        float sum = 0;
        float dot = 0;
        for (std::int64_t image = 0; image < images; ++image) {
            const std::int64_t first = (image * all + channel) * plane;
            float sums[kLanes] = {};
            float dots[kLanes] = {};
            std::int64_t i = 0;
            for (; i + kLanes <= plane; i += kLanes) {
                for (int lane = 0; lane < kLanes; ++lane) {
                    sums[lane] += dy[first + i + lane];
                    dots[lane] += dy[first + i + lane] * (x[first + i + lane] - mean);
                }
            }
            for (; i < plane; ++i) {
                sum += dy[first + i];
                dot += dy[first + i] * (x[first + i] - mean);
            }
            for (int lane = 0; lane < kLanes; ++lane) {
                sum += sums[lane];
                dot += dots[lane];
            }
        }
        const float along = dot * deviation * deviation / count;
        const float mean_gradient = sum / count;
        for (std::int64_t image = 0; image < images; ++image) {
            const std::int64_t first = (image * all + channel) * plane;
            for (std::int64_t i = first; i < first + plane; ++i) {
                dx[i] = (dy[i] - mean_gradient - (x[i] - mean) * along) * deviation;
            }
        }
    }
}

void max_pool_planes(Range planes, const Pooling& pooling, const float* x, float* y, std::int64_t* index) {
    for (std::int64_t plane = planes.begin; plane < planes.end; ++plane) {
        const float* const in = x + plane * pooling.rows * pooling.columns;
        std::int64_t at = plane * pooling.result_rows * pooling.result_columns;
        for (std::int64_t row = 0; row < pooling.result_rows; ++row) {
            for (std::int64_t column = 0; column < pooling.result_columns; ++column, ++at) {
                const Window window = window_of(pooling, row, column);
                std::int64_t best = window.first_row * pooling.columns + window.first_column;
                float most = -std::numeric_limits<float>::infinity();
                for (std::int64_t i = window.first_row; i < window.last_row; ++i) {
                    for (std::int64_t j = window.first_column; j < window.last_column; ++j) {
                        const std::int64_t place = i * pooling.columns + j;
                        if (in[place] > most || std::isnan(in[place])) {
                            most = in[place];
                            best = place;
                        }
                    }
                }
                y[at] = most;
                index[at] = best;
            }
        }
    }
}

void max_pool_backward_planes(Range planes, const Pooling& pooling, const float* dy, const std::int64_t* index,
                              float* dx) {
    const std::int64_t inputs = pooling.rows * pooling.columns;
    const std::int64_t results = pooling.result_rows * pooling.result_columns;
    write_pass({planes.begin * inputs, planes.end * inputs}, 0, dx);
    for (std::int64_t plane = planes.begin; plane < planes.end; ++plane) {
        for (std::int64_t i = plane * results; i < (plane + 1) * results; ++i) {
            dx[plane * inputs + index[i]] += dy[i];
        }
    }
}

void average_pool_planes(Range planes, const Pooling& pooling, const float* x, float* y) {
    for (std::int64_t plane = planes.begin; plane < planes.end; ++plane) {
        const float* const in = x + plane * pooling.rows * pooling.columns;
        std::int64_t at = plane * pooling.result_rows * pooling.result_columns;
        for (std::int64_t row = 0; row < pooling.result_rows; ++row) {
            for (std::int64_t column = 0; column < pooling.result_columns; ++column, ++at) {
                const Window window = window_of(pooling, row, column);
                float sum = 0;
                for (std::int64_t i = window.first_row; i < window.last_row; ++i) {
                    for (std::int64_t j = window.first_column; j < window.last_column; ++j) {
                        sum += in[i * pooling.columns + j];
                    }
                }
                y[at] = sum / static_cast<float>(pooling.window_rows * pooling.window_columns);
            }
        }
    }
}

void average_pool_backward_planes(Range planes, const Pooling& pooling, const float* dy, float* dx) {
    const std::int64_t inputs = pooling.rows * pooling.columns;
    write_pass({planes.begin * inputs, planes.end * inputs}, 0, dx);
    for (std::int64_t plane = planes.begin; plane < planes.end; ++plane) {
        float* const out = dx + plane * inputs;
        std::int64_t at = plane * pooling.result_rows * pooling.result_columns;
        for (std::int64_t row = 0; row < pooling.result_rows; ++row) {
            for (std::int64_t column = 0; column < pooling.result_columns; ++column, ++at) {
                const Window window = window_of(pooling, row, column);
                const float share = dy[at] / static_cast<float>(pooling.window_rows * pooling.window_columns);
                for (std::int64_t i = window.first_row; i < window.last_row; ++i) {
                    for (std::int64_t j = window.first_column; j < window.last_column; ++j) {
                        out[i * pooling.columns + j] += share;
                    }
                }
            }
        }
    }
}

}  // namespace dodona::calibrate::cpu
