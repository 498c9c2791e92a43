// Pooled look-ups in a table of fp32 rows, on the host: what back ends measure for embedding tables.
//
//   sums[s] = sum of rows[indices[s L + l]], l = 0 ... L - 1          row[indices[s L + l]] -= rate * gradients[s]
#pragma once

#include <cstdint>
#include <span>

namespace dodona::calibrate {

struct PooledRows {
    float* table = nullptr;
    std::int64_t width = 1;    ///< numbers of a row
    std::int64_t lookups = 1;  ///< L, of a sample
    std::span<const std::int64_t> indices;
};

/// Of samples begin ... end - 1; `sums` has a row for each of all samples.
void sum_rows(const PooledRows& of, std::int64_t begin, std::int64_t end, float* sums);

/// One thread at a time: two may add to the same row.
void add_to_rows(const PooledRows& of, std::int64_t begin, std::int64_t end, const float* gradients, float rate);

}  // namespace dodona::calibrate
