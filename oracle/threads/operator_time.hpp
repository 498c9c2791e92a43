// Times of operators on some of the threads of a CPU, beside other operators.
//
//   t(n, a) = kernels * (serial + waits * w) + p * max( compute * cores / (n * s),  moved / bandwidth(n, a) )
//   waits   = fork + barrier * log2 n                    for n > 1, otherwise nothing
//   bandwidth(n, a) = min( n * s * of_core, of_all / a )
//   w = max(1, a n / cores),   s = 1 / w,   p = 1 + oversubscription * (w - 1)
//
// n threads of each of a operators that run side by side; compute is the time of the arithmetic on all cores, s the
// share of a core that a thread has. Libraries do not divide small kernels (runs_alone): for them n = 1. Where more
// threads than cores work, forks and barriers wait for the last of them to get a core, and p is what changing between
// threads and caches costs. On all cores, alone, t is what the device takes (cost/device_time.hpp): a kernel's misfit to
// the data sheet is in compute and moved alike.
// Times in s, bytes in B; 1 <= n <= cores, a >= 1.
// Not modelled: the time to hand an operator to a worker, caches that hold what the operator before wrote or the weights
// that the next step reads again, sockets, clocks that depend on the number of busy cores.
// Source: Williams et al., "Roofline", CACM 52(4), 2009; Bull, "Measuring synchronisation and scheduling overheads in
// OpenMP", EWOMP 1999, for forks and barriers as costs of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/estimate.hpp"
#include "base/precision.hpp"
#include "cluster/device.hpp"
#include "graph/kernel.hpp"

namespace dodona::threads {

/// What a CPU's threads cost. Little of it is in a data sheet.
struct ThreadCosts {
    std::int64_t cores = 1;
    BytesPerSecond of_core;       ///< memory bandwidth that one thread reaches
    BytesPerSecond of_all;        ///< ... and all together
    Seconds serial;               ///< of a kernel, whatever its threads
    Seconds fork;                 ///< of a kernel on more than one thread
    Seconds barrier;              ///< each time the number of threads doubles
    double oversubscription = 0;  ///< share by which work takes longer for each further thread on a core
    Seconds change;               ///< of the numbers of workers and threads, at run time
};

/// What a user knows of them.
struct KnownCosts {
    std::optional<BytesPerSecond> of_core;
    std::optional<Seconds> serial;
    std::optional<Seconds> fork;
    std::optional<Seconds> barrier;
    std::optional<double> oversubscription;
    std::optional<Seconds> change;
};

/// What the user does not know is as the device's file has it measured, else assumed: of the shortest time between two kernels, which a device's file has for all cores, a
/// quarter is serial, a quarter the fork and half the barriers; half of the cores saturate memory; work on cores that
/// two threads share takes a tenth longer; and changing the numbers takes as long as starting ten kernels. Of a device of
/// one core all of that time is serial.
/// `cores`: at most those that the device has.
ThreadCosts thread_costs(const cluster::Device& device, std::int64_t cores, const KnownCosts& known);

/// Whether it is a CPU: its vector units do its matrix products, and it has no context.
bool is_cpu(const cluster::Device& device);

/// Whether libraries run a kernel on one thread whatever they were given: products of up to 2^18 multiplications, passes
/// over up to 2^15 numbers.
/// Source: OpenBLAS, interface/gemm.c, SMP_THRESHOLD_MIN (65,536) times GEMM_MULTITHREAD_THRESHOLD (4); PyTorch,
/// aten/src/ATen/TensorIterator.h, GRAIN_SIZE.
bool runs_alone(const graph::Kernel& kernel);

/// Kernels on the cores at hand.
struct KernelSum {
    double kernels = 0;
    Seconds compute;  ///< of all cores, if they shared it
    Bytes moved;
    KernelSum& operator+=(const KernelSum& other) {
        kernels += other.kernels, compute += other.compute, moved += other.moved;
        return *this;
    }
    friend KernelSum operator*(double times, const KernelSum& one) {
        return {times * one.kernels, times * one.compute, times * one.moved};
    }
};

/// The work of one operator.
struct OperatorWork {
    KernelSum divided;
    KernelSum alone;                         ///< kernels that run on one thread (runs_alone)
    Evidence evidence = Evidence::measured;  ///< the weakest of its kernels
};

/// `cores`: of those that the device has.
OperatorWork work_of(const cluster::Device& device, const std::vector<graph::Kernel>& kernels, Precision precision,
                     std::int64_t cores);

/// Of all of them; `works` is not empty.
Evidence weakest(const std::vector<OperatorWork>& works);

/// t(n, a)
Seconds operator_time(const OperatorWork& work, const ThreadCosts& costs, std::int64_t threads, std::int64_t active);

}  // namespace dodona::threads
