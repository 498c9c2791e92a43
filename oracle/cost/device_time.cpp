#include "cost/device_time.hpp"

#include "cost/kernel_curve.hpp"
#include "cost/kernel_fit.hpp"
#include "cost/roofline.hpp"

namespace dodona::cost {

namespace {

/// A data-sheet roofline misses by 6-71 % of the measured time in the median and 22-76 % at p90, by kind of kernel, and
/// from below: kernels are slower than it (the project's notes on calibration, "How to fit"). 1.8 corresponds to an
/// error of 44 %, the middle of those p90; 0.95 allows for operands that stay in L2.
Estimate roofline_interval(Seconds time) { return {time, 0.95 * time, 1.8 * time}; }

}  // namespace

KernelTime kernel_time(const cluster::Device& device, const graph::Kernel& kernel, Precision precision) {
    if (auto found = from_curves(device, kernel, precision)) {
        found->time = kernel.times * found->time;
        return *found;
    }
    const double slower = misalignment(kernel, precision);
    if (auto found = from_fits(device, kernel, precision)) {
        found->time = slower * found->time;
        return *found;
    }
    return {roofline_interval(slower * kernel.times * roofline(device, kernel, precision)), Evidence::data_sheet};
}

Bytes moved_bytes(const graph::Kernel& kernel, Precision precision) {
    return kernel.elements * stored_bytes(precision) + kernel.fixed_bytes;
}

KernelTime stream_time(const cluster::Device& device, Bytes bytes) {
    const graph::Kernel pass{.kind = graph::KernelKind::stream, .fixed_bytes = bytes};
    return kernel_time(device, pass, Precision::fp32);
}

}  // namespace dodona::cost
