// Memory for tensors, filled with normally distributed numbers: zeros and constants compress, and run at other clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/precision.hpp"
#include "base/quantity.hpp"

namespace dodona::calibrate::cpu {

/// Elements at a multiple of 64 bytes; of large tensors, of a page.
using Floats = std::shared_ptr<float>;
using Indices = std::shared_ptr<std::int64_t>;

/// Memory that this process may still allocate: MemAvailable of the system, or less where its control group allows
/// less. Zero where the system reports neither.
Bytes available_memory();

class TensorFactory {
public:
    explicit TensorFactory(std::uint64_t seed);

    /// Throws CannotMeasure where the available memory does not hold so many floats. Benchmarks of several large
    /// tensors call it first, because they would otherwise fail late.
    static void expect(std::int64_t floats);

    /// Throws CannotMeasure where nine tenths of the memory at hand don't hold it. All pages are touched.
    [[nodiscard]] Floats random(std::int64_t count) const;
    /// Normal numbers in the given precision, fp32 or bf16, in memory of `bytes`.
    [[nodiscard]] std::shared_ptr<void> random(Precision precision, std::size_t bytes) const;
    [[nodiscard]] Floats zeros(std::int64_t count) const;
    /// Whole numbers from 0 to below - 1, each as likely.
    [[nodiscard]] Indices indices(std::int64_t count, std::int64_t below) const;

private:
    std::uint64_t seed_;
    std::vector<float> pool_;
    std::vector<std::uint16_t> narrow_;  ///< the pool in bf16
};

}  // namespace dodona::calibrate::cpu
