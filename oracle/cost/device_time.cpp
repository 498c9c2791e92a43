#include "cost/device_time.hpp"

#include <algorithm>
#include <array>

#include "cost/kernel_curve.hpp"
#include "cost/kernel_fit.hpp"
#include "cost/roofline.hpp"

namespace dodona::cost {

namespace {

/// Measured times over the roofline of the data sheet: 5th percentile, median and 95th of the rows of a kind, each the
/// middle one of the devices in hardware/profiles; of matrix products, whose rows are small ones for the most part,
/// what large ones take (1 / `compute` of the fits: 1.10 to 1.16 on an A100 and a GH200). Kinds that are not here reach
/// it in training (convolutions of cuDNN 8 on an A100: 1.16 times, software/deep-learning-examples/dle-pytorch.yaml), or are
/// passes over memory. Attention in fp32 is as far off its own roofline, that of vector units: PyTorch's kernels
/// (fmha_cutlassF_f32 and B of BERT and GPT-2 in lab/evidence/tables/steps) take 2.2 to 2.8 times as long, 24 and
/// 30 of 67 TFLOP/s on an H200 and an H100. Source: dodona-evidence fit kernels, columns "measured over the roofline".
struct OverRoofline {
    graph::KernelKind kind;
    double low, middle, high;
};
constexpr std::array kOverRoofline{
    OverRoofline{graph::KernelKind::matmul, 1.0, 1.15, 1.92},
    OverRoofline{graph::KernelKind::attention, 1.9, 2.6, 4.2},
    OverRoofline{graph::KernelKind::recurrent, 1.4, 2.6, 5.7},
};

const OverRoofline* over_roofline(const cluster::Device& device, graph::KernelKind kind) {
    const auto* const found = std::find_if(kOverRoofline.begin(), kOverRoofline.end(),
                                           [&](const OverRoofline& each) { return each.kind == kind; });
    return device.typical && found != kOverRoofline.end() ? found : nullptr;
}

/// Kinds that are not in kOverRoofline. Assumed: 1.8, as far as nearly all small products go beyond their roofline
/// (1.92 at the 95th percentile); 0.95 allows for operands that stay in L2.
Estimate roofline_interval(Seconds time) { return {time, 0.95 * time, 1.8 * time}; }

}  // namespace

KernelTime kernel_time(const cluster::Device& device, const graph::Kernel& kernel, Precision precision,
                       cluster::AttentionLibrary library) {
    if (auto found = from_curves(device, kernel, precision)) {
        found->time = kernel.times * found->time;
        return *found;
    }
    const double slower = misalignment(kernel, precision);
    if (auto found = from_fits(device, kernel, precision, library)) {
        found->time = slower * found->time;
        return *found;
    }
    const Seconds ideal = slower * kernel.times * roofline(device, kernel, precision);
    if (const OverRoofline* over = over_roofline(device, kernel.kind)) {
        return {{over->middle * ideal, over->low * ideal, over->high * ideal}, Evidence::data_sheet};
    }
    return {roofline_interval(ideal), Evidence::data_sheet};
}

Bytes moved_bytes(const graph::Kernel& kernel, Precision precision) {
    return kernel.elements * stored_bytes(precision) + kernel.fixed_bytes;
}

KernelTime stream_time(const cluster::Device& device, Bytes bytes) {
    const graph::Kernel pass{.kind = graph::KernelKind::stream, .fixed_bytes = bytes};
    return kernel_time(device, pass, Precision::fp32);
}

}  // namespace dodona::cost
