// What was measured of the threads of a CPU: what a kernel pays for running on several of them.
#pragma once

#include <vector>

#include "base/quantity.hpp"
#include "cluster/kernel_curve.hpp"
#include "graph/kernel.hpp"

namespace dodona::cluster {

/// Multiplications of the largest product that libraries run on one thread (threads/operator_time.hpp, runs_alone).
inline constexpr double kLargestUndivided = 0x1p18;

/// What a kind of kernel loses where more threads than cores work. Libraries differ: one lets a thread that waits sleep,
/// another lets it spin on the core that the thread it waits for needs.
struct Crowding {
    graph::KernelKind kernel = graph::KernelKind::matmul;  ///< matmul, convolution or stream
    double threads = 0;    ///< share by which an operator on twice as many threads as cores takes longer
    double operators = 0;  ///< ... by which operators on all cores, beside each other, take longer than in turn
    bool operator==(const Crowding&) const = default;
};

/// threads/operator_time.hpp says how a kernel's time follows from these.
struct ThreadTimes {
    BytesPerSecond core_bandwidth;  ///< memory bandwidth that one thread reaches
    Seconds serial;                 ///< of a kernel, whatever its threads
    Seconds fork;                   ///< of a kernel on more than one thread
    Seconds barrier;                ///< each time the number of threads doubles
    double oversubscription = 0;  ///< share for each further thread on a core, of kernels that `crowding` does not have
    std::vector<Crowding> crowding;   ///< by kind of kernel
    std::vector<KernelCurve> curves;  ///< of forward kernels on one thread
    Provenance provenance;
    bool operator==(const ThreadTimes&) const = default;
};

}  // namespace dodona::cluster
