// A collective beside a product of matrices on the same ranks, and what each does to the other.
//
// Samples: kind 0 the collective alone, kind 1 the collective while a thread of every rank multiplies, kind 2 a product's
// rate with no collective. A process that holds one core has thread and collective share it: that is measured too.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace dodona::calibrate {

/// A thread that multiplies 64 x 64 matrices until it goes out of scope.
class ComputeLoad {
public:
    ComputeLoad();
    [[nodiscard]] std::int64_t products() const { return products_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::int64_t> products_{0};
    std::jthread thread_;
};

}  // namespace dodona::calibrate
