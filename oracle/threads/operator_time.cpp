#include "threads/operator_time.hpp"

#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"
#include "cost/device_time.hpp"
#include "cost/kernel_curve.hpp"
#include "cost/roofline.hpp"

namespace dodona::threads {

namespace {

FlopPerSecond arithmetic_rate(const cluster::Device& device, const graph::Kernel& kernel, Precision precision) {
    const bool pass = kernel.kind == graph::KernelKind::stream || kernel.kind == graph::KernelKind::gather;
    return pass ? device.vector : device.peak(precision);
}

/// Assumptions for a device without measurements: see thread_costs.
cluster::ThreadTimes assumed_times(const cluster::Device& device) {
    const double all = device.multiprocessors;
    return {.core_bandwidth = 2 / std::max(2.0, all) * device.memory_bandwidth,
            .serial = (all > 1 ? 0.25 : 1.0) * device.launch,
            .fork = 0.25 * device.launch,
            .barrier = all > 1 ? 0.5 / std::log2(all) * device.launch : Seconds{},
            .oversubscription = 0.1};
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
            .change = known.change.value_or(10 * device.launch),
            .crowding = known.oversubscription ? std::vector<cluster::Crowding>{} : times.crowding};
}

const cluster::Crowding* ThreadCosts::crowding_of(graph::KernelKind kind) const {
    graph::KernelKind like = kind;
    if (kind == graph::KernelKind::recurrent || kind == graph::KernelKind::attention) {
        like = graph::KernelKind::matmul;
    } else if (kind == graph::KernelKind::gather) {
        like = graph::KernelKind::stream;
    }
    return found_in(crowding, [like](const auto& one) { return one.kernel == like; });
}

bool is_cpu(const cluster::Device& device) {
    const auto single = device.matrix.find(Precision::fp32);
    return device.context <= Bytes{} && single != device.matrix.end() && single->second == device.vector;
}

bool runs_alone(const graph::Kernel& kernel) {
    const bool pass = kernel.kind == graph::KernelKind::stream || kernel.kind == graph::KernelKind::gather;
    return pass ? kernel.elements <= 0x1p15 : kernel.m * kernel.n * kernel.k <= cluster::kLargestUndivided;
}

namespace {

/// The device as one of its threads was measured; none where nobody did.
std::optional<cluster::Device> one_thread_of(const cluster::Device& device) {
    if (!device.threads || device.threads->curves.empty()) {
        return std::nullopt;
    }
    cluster::Device one = device;
    one.curves = device.threads->curves;
    return one;
}

/// Arithmetic of a kernel on so many of the device's cores by its data sheet, memory left out.
Seconds arithmetic(cluster::Device device, graph::Kernel kernel, Precision precision, int cores) {
    const double share = static_cast<double>(cores) / device.multiprocessors;
    for (auto& [of, rate] : device.matrix) {
        rate = share * rate;
    }
    device.vector = share * device.vector;
    device.multiprocessors = cores;
    device.launch = {};
    kernel.elements = 0;
    kernel.fixed_bytes = {};
    return cost::roofline(device, kernel, precision);
}

KernelWork by_data_sheet(const cluster::Device& device, const graph::Kernel& kernel, Precision precision,
                         Seconds predicted, std::int64_t cores) {
    const double beyond = predicted / (kernel.times * cost::roofline(device, kernel, precision));
    const auto on = [&](int divided_among) { return beyond * arithmetic(device, kernel, precision, divided_among); };
    const auto used = static_cast<double>(cores);
    const Seconds divided = device.multiprocessors / used * on(device.multiprocessors);
    KernelWork work{.kind = kernel.kind,
                    .times = kernel.times,
                    .alone = runs_alone(kernel),
                    .compute = divided,
                    .moved = beyond * cost::moved_bytes(kernel, precision)};
    if (work.alone) {
        work.divided = divided;
        work.compute = on(1) / used;
    }
    return work;
}

}  // namespace

OperatorWork work_of(const cluster::Device& device, const std::vector<graph::Kernel>& kernels, Precision precision,
                     std::int64_t cores) {
    const double share = static_cast<double>(cores) / device.multiprocessors;
    const std::optional<cluster::Device> one_thread = one_thread_of(device);
    OperatorWork work;
    for (const graph::Kernel& kernel : kernels) {
        const cost::KernelTime predicted = cost::kernel_time(device, kernel, precision);
        work.evidence = std::max(work.evidence, predicted.evidence);
        if (predicted.evidence == Evidence::data_sheet) {
            work.kernels.push_back(by_data_sheet(device, kernel, precision, predicted.time.value, cores));
            continue;
        }
        const Seconds compute = kernel.flops / arithmetic_rate(device, kernel, precision);
        const Bytes moved = cost::moved_bytes(kernel, precision);
        const Seconds sheet = max(compute, moved / device.memory_bandwidth);
        const Seconds time = max(predicted.time.value / kernel.times - device.launch, Seconds{});
        const double misfit = sheet > Seconds{} ? time / sheet : 0;
        KernelWork one{.kind = kernel.kind, .times = kernel.times, .alone = runs_alone(kernel)};
        if (one.alone) {  // one thread was measured
            one.compute = time / static_cast<double>(cores);
        } else {
            one.compute = misfit / share * compute;
            one.moved = misfit * moved;
        }
        const bool known = predicted.evidence <= Evidence::interpolated;
        if (const auto alone = one_thread && known ? cost::from_curves(*one_thread, kernel, precision) : std::nullopt) {
            one.measured = {.one = alone->time.value,
                            .all = predicted.time.value / kernel.times,
                            .cores = static_cast<double>(device.multiprocessors)};
            one.moved = moved;
        }
        work.kernels.push_back(one);
    }
    return work;
}

std::vector<OperatorWork> divided_evenly(std::vector<OperatorWork> works) {
    for (OperatorWork& work : works) {
        for (KernelWork& one : work.kernels) {
            one.alone = false;
            one.compute = one.divided.value_or(one.compute);
            if (one.measured) {
                one.measured->all = one.measured->one / one.measured->cores;
            }
        }
    }
    return works;
}

Evidence weakest(const std::vector<OperatorWork>& works) {
    Evidence found = Evidence::measured;
    for (const OperatorWork& work : works) {
        found = std::max(found, work.evidence);
    }
    return found;
}

namespace {

/// n threads of each of a operators on c cores.
struct Sharing {
    double threads = 1;  ///< n
    double active = 1;   ///< a
    double turns = 1;    ///< r
    double working = 1;  ///< m
    double beside = 1;   ///< b
};

Sharing sharing(const ThreadCosts& costs, double threads, double active) {
    const auto cores = static_cast<double>(costs.cores);
    const double turns = std::ceil(threads / cores);
    return {.threads = threads,
            .active = active,
            .turns = turns,
            .working = threads / turns,
            .beside = std::max(1.0, active * std::min(threads, cores) / cores)};
}

/// p
double crowded(const ThreadCosts& costs, graph::KernelKind kind, const Sharing& sharing) {
    if (sharing.threads <= 1) {
        return 1;
    }
    const cluster::Crowding* const measured = costs.crowding_of(kind);
    return measured == nullptr ? 1 + costs.oversubscription * (sharing.turns * sharing.beside - 1)
                               : (1 + measured->threads * (sharing.turns - 1)) *
                                     (1 + measured->operators * std::min(1.0, sharing.beside - 1));
}

Seconds modelled_time(const KernelWork& work, const ThreadCosts& costs, const Sharing& sharing) {
    const double busy = sharing.working / sharing.beside;
    const Seconds waits = sharing.threads > 1 ? costs.fork + std::log2(sharing.threads) * costs.barrier : Seconds{};
    const BytesPerSecond bandwidth = min(busy * costs.of_core, costs.of_all / sharing.active);
    const Seconds parallel = max(static_cast<double>(costs.cores) / busy * work.compute, work.moved / bandwidth);
    return costs.serial + sharing.turns * sharing.beside * waits + crowded(costs, work.kind, sharing) * parallel;
}

Seconds measured_time(const KernelWork& work, const ThreadCosts& costs, const Sharing& sharing) {
    const MeasuredTimes& measured = *work.measured;
    const double gain = measured.cores > 1 ? std::log(measured.one / measured.all) / std::log(measured.cores) : 0;
    const double threads = gain > 0 ? sharing.working : sharing.threads;
    const Seconds time = sharing.beside * std::pow(threads, -gain) * measured.one;
    const Seconds memory = work.moved / costs.of_all;
    const bool cached = memory > min(measured.one, measured.all);
    return crowded(costs, work.kind, sharing) * (cached ? time : max(time, sharing.active * memory));
}

}  // namespace

Seconds operator_time(const OperatorWork& work, const ThreadCosts& costs, std::int64_t threads, std::int64_t active) {
    const auto a = static_cast<double>(active);
    const Sharing shared = sharing(costs, static_cast<double>(threads), a);
    const Sharing alone = sharing(costs, 1, a);
    Seconds time;
    for (const KernelWork& one : work.kernels) {
        const Sharing& how = one.alone ? alone : shared;
        Seconds each = one.measured ? measured_time(one, costs, how) : modelled_time(one, costs, how);
        if (one.alone && one.divided) {
            KernelWork divided = one;
            divided.compute = *one.divided;
            each = min(each, modelled_time(divided, costs, shared));
        }
        time += one.times * each;
    }
    return time;
}

}  // namespace dodona::threads
