// The caches of this machine, and how samples start with cold ones.
#pragma once

#include <vector>

#include "base/quantity.hpp"
#include "calibrate/cpu/tensor_factory.hpp"

namespace dodona::calibrate::cpu {

struct Cache {
    int level = 0;
    Bytes size;
};

/// Data and unified caches that the first usable CPU reaches, inner ones first. Source: sysfs of Linux,
/// Documentation/ABI/testing/sysfs-devices-system-cpu.
std::vector<Cache> caches_of(int cpu);

/// Reads enough memory to evict what a kernel left in the caches, as the layers between two uses of a tensor do.
///
/// Twice the last level, at most kMaxFlushed: the rest of a training step that lies between two uses of a tensor is of
/// that order on a CPU, and a virtual machine that reports its host's 260 MiB has no such cache to itself.
class CacheFlush {
public:
    static constexpr Bytes kMaxFlushed = 64_MiB;

    CacheFlush(const TensorFactory& tensors, const std::vector<Cache>& caches);
    /// On all threads of OpenMP, which then wait busily for what comes next; or, for a job with threads of its own, on
    /// threads that are gone afterwards: busy ones would take its cores (a product of 50 us took 2 ms so).
    void operator()(bool own_threads) const;
    [[nodiscard]] Bytes size() const { return size_; }

private:
    Bytes size_;
    Floats memory_;
};

}  // namespace dodona::calibrate::cpu
