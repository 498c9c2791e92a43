#include "threads/operator_time.hpp"

#include <algorithm>
#include <cmath>

#include "cost/device_time.hpp"

namespace dodona::threads {

namespace {

FlopPerSecond arithmetic_rate(const cluster::Device& device, const graph::Kernel& kernel, Precision precision) {
    const bool pass = kernel.kind == graph::KernelKind::stream || kernel.kind == graph::KernelKind::gather;
    return pass ? device.vector : device.peak(precision);
}

/// Of a device on which nobody measured them: see thread_costs.
cluster::ThreadTimes assumed_times(const cluster::Device& device) {
    const double all = device.multiprocessors;
    return {.core_bandwidth = 2 / std::max(2.0, all) * device.memory_bandwidth,
            .serial = (all > 1 ? 0.25 : 1.0) * device.launch,
            .fork = 0.25 * device.launch,
            .barrier = all > 1 ? 0.5 / std::log2(all) * device.launch : Seconds{},
            .oversubscription = 0.1,
            .provenance = {}};
}

}  // namespace

ThreadCosts thread_costs(const cluster::Device& device, std::int64_t cores, const KnownCosts& known) {
    const cluster::ThreadTimes times = device.threads.value_or(assumed_times(device));
    return {.cores = cores,
            .of_core = known.of_core.value_or(times.core_bandwidth),
            .of_all = device.memory_bandwidth,
            .serial = known.serial.value_or(times.serial),
            .fork = known.fork.value_or(times.fork),
            .barrier = known.barrier.value_or(times.barrier),
            .oversubscription = known.oversubscription.value_or(times.oversubscription),
            .change = known.change.value_or(10 * device.launch)};
}

bool is_cpu(const cluster::Device& device) {
    const auto single = device.matrix.find(Precision::fp32);
    return device.context <= Bytes{} && single != device.matrix.end() && single->second == device.vector;
}

bool runs_alone(const graph::Kernel& kernel) {
    const bool pass = kernel.kind == graph::KernelKind::stream || kernel.kind == graph::KernelKind::gather;
    return pass ? kernel.elements <= 0x1p15 : kernel.m * kernel.n * kernel.k <= 0x1p18;
}

OperatorWork work_of(const cluster::Device& device, const std::vector<graph::Kernel>& kernels, Precision precision,
                     std::int64_t cores) {
    const double share = static_cast<double>(cores) / device.multiprocessors;
    OperatorWork work;
    for (const graph::Kernel& kernel : kernels) {
        const cost::KernelTime predicted = cost::kernel_time(device, kernel, precision);
        work.evidence = std::max(work.evidence, predicted.evidence);
        const Seconds compute = kernel.flops / arithmetic_rate(device, kernel, precision);
        const Bytes moved = cost::moved_bytes(kernel, precision);
        const Seconds sheet = max(compute, moved / device.memory_bandwidth);
        const Seconds time = max(predicted.time.value - device.launch, Seconds{});
        const double misfit = sheet > Seconds{} ? time / sheet : 0;
        if (runs_alone(kernel) && predicted.evidence != Evidence::data_sheet) {  // one thread was measured
            work.alone += kernel.times * KernelSum{1, time / static_cast<double>(cores), {}};
        } else {
            (runs_alone(kernel) ? work.alone : work.divided) +=
                kernel.times * KernelSum{1, misfit / share * compute, misfit * moved};
        }
    }
    return work;
}

Evidence weakest(const std::vector<OperatorWork>& works) {
    Evidence found = Evidence::measured;
    for (const OperatorWork& work : works) {
        found = std::max(found, work.evidence);
    }
    return found;
}

namespace {

/// Kernels on n threads each, beside a - 1 other operators.
Seconds time_of(const KernelSum& sum, const ThreadCosts& costs, double threads, double active) {
    const auto cores = static_cast<double>(costs.cores);
    const double crowding = std::max(1.0, active * threads / cores);
    const double busy = threads / crowding;
    const Seconds waits = threads > 1 ? costs.fork + std::log2(threads) * costs.barrier : Seconds{};
    const BytesPerSecond bandwidth = min(busy * costs.of_core, costs.of_all / active);
    const Seconds parallel = max(cores / busy * sum.compute, sum.moved / bandwidth);
    return sum.kernels * (costs.serial + crowding * waits) + (1 + costs.oversubscription * (crowding - 1)) * parallel;
}

}  // namespace

Seconds operator_time(const OperatorWork& work, const ThreadCosts& costs, std::int64_t threads, std::int64_t active) {
    const auto a = static_cast<double>(active);
    return time_of(work.divided, costs, static_cast<double>(threads), a) + time_of(work.alone, costs, 1, a);
}

}  // namespace dodona::threads
