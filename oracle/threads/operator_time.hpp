// Times of operators on some of the threads of a CPU, beside other operators.
//
// n threads of each of a operators that run side by side on c cores; r threads of an operator share a core, m of them
// work at once, and b operators have the cores of one:
//
//   r = ceil(n / c),   m = n / r,   b = max(1, a min(n, c) / c),   s = 1 / b
//   p = (1 + threads * (r - 1)) (1 + operators * min(1, b - 1))    for n > 1, otherwise 1
//   p = 1 + oversubscription * (r b - 1)                           ... where nobody measured how kernels crowd
//
// A kernel that was measured on one thread (t1) and on all C cores of the device (tC) takes a power of the threads, at
// least what memory takes for all a operators; where threads do not pay (tC > t1), those that wait cost like others:
//
//   t(n, a) = p * max( b * t1 * (m or n)^-e,  a * moved / of_all ),   e = log(t1 / tC) / log C
//
// Of a kernel that moves its bytes quicker than memory does these are in a cache. Without t1:
//
//   t(n, a) = serial + r b waits + p * max( compute * c / (m s),  moved / bandwidth(n, a) )
//   waits   = fork + barrier * log2 n                    for n > 1, otherwise nothing
//   bandwidth(n, a) = min( m * s * of_core, of_all / a )
//
// compute is the time of the arithmetic on all cores. Libraries do not divide small kernels (runs_alone): for them
// n = 1. For kernels without a measurement they are taken to be right: one takes the shorter of that and its n threads, so
// that a larger kernel never takes less. Where more threads than cores work, forks and barriers wait for the last of them to get a core. p is what
// that costs beside (cluster::Crowding): threads of one operator wait at barriers; operators may wait for a lock, as
// OpenBLAS has it, and only one has it however many wait. Operators of one thread each wait for nobody. On all cores,
// alone, t is what the device takes (cost/device_time.hpp): what a measured kernel takes beyond the data sheet is in
// compute and moved alike; by the data sheet the tiles of n cores are in compute alone, and what kernels of its kind take
// beyond a roofline in both, but not in the start of a kernel.
// Times in s, bytes in B; n, a, c >= 1.
// Not modelled: the time to hand an operator to a worker, caches that hold what the operator before wrote or the weights
// that the next step reads again, sockets, clocks that depend on the number of busy cores.
// Source: Williams et al., "Roofline", CACM 52(4), 2009; Bull, "Measuring synchronisation and scheduling overheads in
// OpenMP", EWOMP 1999, for forks and barriers as costs of their own; OpenBLAS 0.3, driver/others/blas_server_omp.c,
// exec_blas, for the lock.
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
    double oversubscription = 0;  ///< share for each further thread on a core, of kernels that `crowding` does not have
    Seconds change;               ///< of the numbers of workers and threads, at run time
    std::vector<cluster::Crowding> crowding;

    /// Of kernels of this kind; null: not measured.
    [[nodiscard]] const cluster::Crowding* crowding_of(graph::KernelKind kind) const;
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

/// What the user does not know is as the device's file has it measured, else assumed: of the shortest time between two
/// kernels, which a device's file has for all cores, a quarter is serial, a quarter the fork and half the barriers; half
/// of the cores saturate memory; work on cores that two threads share takes a tenth longer; and changing the numbers
/// takes as long as starting ten kernels. Of a device of one core all of that time is serial.
/// `cores`: at most those that the device has.
ThreadCosts thread_costs(const cluster::Device& device, std::int64_t cores, const KnownCosts& known);

/// Whether it is a CPU: its vector units do its matrix products, and it has no context.
bool is_cpu(const cluster::Device& device);

/// Whether libraries run a kernel on one thread whatever they were given: products of up to 2^18 multiplications, passes
/// over up to 2^15 numbers.
/// Source: OpenBLAS, interface/gemm.c, SMP_THRESHOLD_MIN (65,536) times GEMM_MULTITHREAD_THRESHOLD (4); PyTorch,
/// aten/src/ATen/TensorIterator.h, GRAIN_SIZE.
bool runs_alone(const graph::Kernel& kernel);

/// What one thread took for a kernel, and all cores of the device.
struct MeasuredTimes {
    Seconds one;
    Seconds all;
    double cores = 1;  ///< of the device
};

/// One kernel on the cores at hand.
struct KernelWork {
    graph::KernelKind kind = graph::KernelKind::matmul;
    double times = 1;
    bool alone = false;  ///< on one thread (runs_alone)
    Seconds compute;     ///< of all cores, if they shared it; where alone, of one over the cores
    Bytes moved;
    std::optional<Seconds> divided;  ///< compute, were it not alone
    std::optional<MeasuredTimes> measured;
};

/// The work of one operator.
struct OperatorWork {
    std::vector<KernelWork> kernels;
    Evidence evidence = Evidence::measured;  ///< the weakest of its kernels
};

/// `cores`: of those that the device has.
OperatorWork work_of(const cluster::Device& device, const std::vector<graph::Kernel>& kernels, Precision precision,
                     std::int64_t cores);

/// The same operators divided into equal parts, small ones too: what was measured on one thread, by the threads. For
/// executors that divide operators themselves, where libraries divide only some and not always well.
std::vector<OperatorWork> divided_evenly(std::vector<OperatorWork> works);

/// Of all of them; `works` is not empty.
Evidence weakest(const std::vector<OperatorWork>& works);

/// t(n, a)
Seconds operator_time(const OperatorWork& work, const ThreadCosts& costs, std::int64_t threads, std::int64_t active);

}  // namespace dodona::threads
