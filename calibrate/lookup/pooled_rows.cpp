#include "calibrate/lookup/pooled_rows.hpp"

namespace dodona::calibrate {

namespace {

/// Rows that are asked for ahead of their use: a core has some ten misses under way at once.
constexpr std::int64_t kAhead = 8;
constexpr std::int64_t kLine = 16;  ///< numbers of a cache line

/// Asks memory for a row.
void fetch(const PooledRows& of, std::int64_t place) {
    if (place < static_cast<std::int64_t>(of.indices.size())) {
        const float* const row = of.table + of.indices[static_cast<std::size_t>(place)] * of.width;
        for (std::int64_t i = 0; i < of.width; i += kLine) {
            __builtin_prefetch(row + i);
        }
    }
}

}  // namespace

void sum_rows(const PooledRows& of, std::int64_t begin, std::int64_t end, float* sums) {
    for (std::int64_t sample = begin; sample < end; ++sample) {
        float* const sum = sums + sample * of.width;
        for (std::int64_t i = 0; i < of.width; ++i) {
            sum[i] = 0;
        }
        for (std::int64_t place = sample * of.lookups; place < (sample + 1) * of.lookups; ++place) {
            fetch(of, place + kAhead);
            const float* const row = of.table + of.indices[static_cast<std::size_t>(place)] * of.width;
            for (std::int64_t i = 0; i < of.width; ++i) {
                sum[i] += row[i];
            }
        }
    }
}

void add_to_rows(const PooledRows& of, std::int64_t begin, std::int64_t end, const float* gradients, float rate) {
    for (std::int64_t sample = begin; sample < end; ++sample) {
        const float* const gradient = gradients + sample * of.width;
        for (std::int64_t place = sample * of.lookups; place < (sample + 1) * of.lookups; ++place) {
            fetch(of, place + kAhead);
            float* const row = of.table + of.indices[static_cast<std::size_t>(place)] * of.width;
            for (std::int64_t i = 0; i < of.width; ++i) {
                row[i] -= rate * gradient[i];
            }
        }
    }
}

}  // namespace dodona::calibrate
