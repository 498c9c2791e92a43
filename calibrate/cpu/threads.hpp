// The threads that kernels run on: those of OpenMP, which oneDNN and OpenBLAS use too.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace dodona::calibrate::cpu {

/// Logical CPUs that this process may run on.
std::vector<int> usable_cpus();

/// Logical CPUs that share a core, and the package (socket) of it.
struct Core {
    int package = 0;
    std::vector<int> cpus;
};

/// The cores of these logical CPUs, ordered by package. Where the system does not say, each logical CPU is a core.
/// Source: sysfs of Linux, Documentation/admin-guide/cputopology.rst.
std::vector<Core> cores_of(const std::vector<int>& cpus);

/// Sets the number of threads for what runs next: own loops, oneDNN and the BLAS.
void use_threads(int threads);

/// Calls `part(begin, end)` for as many contiguous parts of 0 ... count - 1 as there are threads, side by side.
void in_parts(std::int64_t count, const std::function<void(std::int64_t begin, std::int64_t end)>& part);

/// Calls `part` on as many threads as there are of OpenMP, side by side, each a thread of its own on its own logical
/// CPU that ends with it.
void on_each_cpu(const std::function<void()>& part);

/// Every thread that runs kernels keeps to these logical CPUs.
void keep_to(const std::vector<int>& cpus);

}  // namespace dodona::calibrate::cpu
