#include "step/kernel_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/ranges.hpp"
#include "cost/error_source.hpp"
#include "cost/roofline.hpp"
#include "step/im2col.hpp"

namespace dodona::step {

using graph::Kernel;

bool is_product(const Kernel& kernel) {
    return kernel.kind == graph::KernelKind::matmul || kernel.kind == graph::KernelKind::convolution ||
           kernel.kind == graph::KernelKind::attention || kernel.kind == graph::KernelKind::recurrent;
}

bool kernels_are_alike(const plan::Framework& a, const plan::Framework& b) {
    using plan::FrameworkParameter;
    constexpr std::array kOfKernels{
        FrameworkParameter::matmul,
        FrameworkParameter::convolution,
        FrameworkParameter::attention,
        FrameworkParameter::recurrent,
        FrameworkParameter::stream,
        FrameworkParameter::gather,
        FrameworkParameter::cast,
        FrameworkParameter::recurrent_overhead,
        FrameworkParameter::channels_last,
        FrameworkParameter::window_reuse,
        FrameworkParameter::im2col_samples,
        FrameworkParameter::unpadded_rows,
        FrameworkParameter::element_instructions,
        FrameworkParameter::autocast,
        FrameworkParameter::unfused_norms,
        FrameworkParameter::unfused_passes,
        FrameworkParameter::unfused_softmax,
    };
    const bool same = all_of(kOfKernels, [&](FrameworkParameter of) { return a[of] == b[of]; });
    const bool pads = a[FrameworkParameter::unpadded_rows] == 0;
    return same && a.attention_library == b.attention_library &&
           (pads || a[FrameworkParameter::unaligned_gemm_fallback] == b[FrameworkParameter::unaligned_gemm_fallback]);
}

KernelCost::KernelCost(const cluster::Device& device, const plan::Plan& plan, bool adds_gradients)
    : device_(device),
      framework_(plan.framework),
      precision_(plan.precision),
      gradient_(plan.gradient_precision ? stored_bytes(*plan.gradient_precision)
                                        : training_bytes(plan.precision).gradient),
      adds_gradients_(adds_gradients) {}

PassCost KernelCost::with_casts(const std::vector<Kernel>& kernels, bool in_block, bool trains) {
    const Precision products = precision(in_block);
    PassCost cost = alone(kernels, in_block) + casts(kernels, products, trains);
    return cost += alone(relayouts(kernels, products), in_block);
}

PassCost KernelCost::into_gradients(const std::vector<Kernel>& kernels, bool in_block) {
    PassCost cost = alone(into_buffer(kernels), in_block);
    cost += alone(relayouts(kernels, precision(in_block)), in_block);
    cost.weight_gradients = cost.compute.value;
    return cost;
}

/// Attention, embeddings and heads keep 16 bits.
Precision KernelCost::precision(bool in_block) const {
    return is_narrow(precision_) && !in_block ? Precision::bf16 : precision_;
}

/// Fused attention does not round its operands to tf32: it makes an fp32 product of three (pytorch/pytorch: aten/src/ATen/
/// native/transformers/cuda/mem_eff_attention/gemm_kernel_utils.h, OpMultiplyAddFastF32), which is no faster than vector
/// units: lab/evidence/tables/steps, BERT in tf32, fmha_cutlassF_f32 and B, 24 and 30 TFLOP/s on an H200. These are
/// rates in training, so that what a framework does to attention in 16 bits is not added.
Precision KernelCost::attention_precision() const {
    return precision_ == Precision::tf32 ? Precision::fp32 : precision(false);
}

/// dW is accumulated in the gradient buffer: the buffer is read (with several micro-batches) and written in its own
/// precision, instead of the one 16-bit write that the kernel counts. Source:
/// NVIDIA/Megatron-LM, gradient_accumulation_fusion: products that add into main_grad.
std::vector<Kernel> KernelCost::into_buffer(std::vector<Kernel> kernels) const {
    for (Kernel& kernel : kernels) {
        if (kernel.kind == graph::KernelKind::matmul) {
            const double elements = kernel.batch * kernel.m * kernel.n;
            kernel.elements -= elements;
            kernel.fixed_bytes += elements * (adds_gradients_ ? 2.0 : 1.0) * gradient_;
        }
    }
    return kernels;
}

PassCost KernelCost::alone(const std::vector<Kernel>& kernels, bool in_block) {
    const double samples = framework_[plan::FrameworkParameter::im2col_samples];
    PassCost cost;
    for (const Kernel& kernel : kernels) {
        if (samples > 0 && kernel.kind == graph::KernelKind::convolution) {
            for (const Kernel& part : im2col(kernel, samples)) {
                add(part, in_block, cost);
            }
        } else {
            add(as_run(kernel), in_block, cost);
        }
    }
    return cost;
}

plan::FrameworkParameter KernelCost::parameter_of(graph::Unfused::Part part) {
    switch (part) {
        case graph::Unfused::Part::norms: return plan::FrameworkParameter::unfused_norms;
        case graph::Unfused::Part::softmax: return plan::FrameworkParameter::unfused_softmax;
        case graph::Unfused::Part::passes: break;
    }
    return plan::FrameworkParameter::unfused_passes;
}

/// A pass as software runs it that does not fuse it, or in fp32.
Kernel KernelCost::as_run(Kernel kernel) const {
    const graph::Unfused& unfused = kernel.unfused;
    const double casts = framework_[plan::FrameworkParameter::autocast] > 0 ? 1 : 0;
    const double share = unfused.kernels > 1 ? framework_[parameter_of(unfused.part)] : casts;
    const double kernels = 1 + share * (unfused.kernels - 1);
    if (unfused.in_fp32) {
        const Bytes wider = training_bytes(Precision::fp32).activation - training_bytes(precision_).activation;
        kernel.fixed_bytes += share * unfused.traffic * kernel.elements * wider / kernels;
    }
    kernel.elements *= (1 + share * (unfused.traffic - 1)) / kernels;
    kernel.times *= kernels;
    return kernel;
}

void KernelCost::add(const Kernel& kernel, bool in_block, PassCost& cost) {
    const bool attends = kernel.kind == graph::KernelKind::attention;
    const cost::KernelTime time = timed(kernel, attends ? attention_precision() : precision(in_block));
    const bool in_fp32 = attends && attention_precision() == Precision::fp32;
    const double slow_down = in_fp32 ? 1 : framework_.slow_down(kernel.kind);
    cost.compute += slow_down * time.time;
    cost.by_source[cost::source_of(kernel.kind)] += slow_down * cost::systematic(time);
    cost.launches += kernel.times;
    if (kernel.kind == graph::KernelKind::recurrent) {
        const Seconds cells = kernel.times * framework_.seconds(plan::FrameworkParameter::recurrent_overhead);
        cost.compute += Estimate::exactly(cells);
        cost.by_source[cost::ErrorSource::recurrent_overhead] += Estimate::exactly(cells);
    }
    evidence_.take(time.evidence);
    if (is_product(kernel)) {
        cost.executed += kernel.times * kernel.flops;
    }
}

/// Algorithms that exploit overlapping windows (Winograd, FFT) need workspace. Without it libraries use the direct
/// product. What passes issue hides their memory in part: the same steps on an H200 and an H100 in two precisions are
/// told apart by the root of the sum of squares, not by the larger of both (software/common/eager-passes.mechanism.yaml).
/// Weights whose rows are not padded are read a few elements at a time.
cost::KernelTime KernelCost::timed(const Kernel& kernel, Precision precision) const {
    cost::KernelTime time = cost::kernel_time(device_, kernel, precision, framework_.attention_library);
    const double share = framework_[plan::FrameworkParameter::window_reuse];
    if (share < 1 && kernel.kind == graph::KernelKind::convolution) {
        Kernel direct = kernel;
        direct.window = 1;
        const cost::KernelTime without = cost::kernel_time(device_, direct, precision);
        time.time = share * time.time + (1 - share) * without.time;
    }
    const double instructions = framework_[plan::FrameworkParameter::element_instructions];
    if (const std::optional<double> rate = cost::instruction_rate(device_);
        instructions > 0 && rate && kernel.kind == graph::KernelKind::stream) {
        const Seconds issued = Seconds::of_base(kernel.times * kernel.elements * instructions / *rate);
        const double both = std::hypot(time.time.value.in(unit::second), issued.in(unit::second));
        time.time = time.time.rescaled_to(Seconds::of_base(both));
    }
    const double unpadded = framework_[plan::FrameworkParameter::unpadded_rows];
    const std::optional<FlopPerSecond> rate = cost::unaligned_rate(device_, kernel, precision);
    if (unpadded > 0 && rate) {
        const double outside = framework_[plan::FrameworkParameter::unaligned_gemm_fallback];
        const auto at = [&](FlopPerSecond most) {
            return time.time.rescaled_to(max(time.time.value, kernel.times * kernel.flops / most));
        };
        const Estimate on_vector_units = device_.vector > FlopPerSecond{} ? at(device_.vector) : time.time;
        time.time = (1 - unpadded) * time.time + unpadded * ((1 - outside) * at(*rate) + outside * on_vector_units);
    }
    return time;
}

/// Casts of the operand that changes with every micro-batch: inputs forward, gradients backward. dW reuses the cast
/// gradient; weights are cast once a step and not counted here. Weights that are not trained are kept in 16 bits, and so
/// are their inputs.
PassCost KernelCost::casts(const std::vector<Kernel>& kernels, Precision precision, bool trains) const {
    PassCost cost;
    const bool to_16_bits = trains && (precision == Precision::bf16 || precision == Precision::fp16);
    const double bytes = is_narrow(precision) ? framework_[plan::FrameworkParameter::cast]
                         : to_16_bits         ? framework_[plan::FrameworkParameter::autocast]
                                              : 0;
    if (bytes == 0) {
        return cost;
    }
    for (const Kernel& kernel : kernels) {
        if (kernel.kind == graph::KernelKind::matmul) {
            const Bytes moved = Bytes::of_base(bytes * kernel.batch * kernel.m * kernel.k);
            const cost::KernelTime time = cost::stream_time(device_, moved);
            cost.compute += kernel.times * time.time;
            cost.by_source[cost::source_of(graph::KernelKind::stream)] += kernel.times * cost::systematic(time);
            // Autocast converts operand, weight and bias each by a kernel, and their gradients.
            cost.launches += (to_16_bits ? 3 : 1) * kernel.times;
        }
    }
    return cost;
}

/// Passes that convert operands of convolutions to channels-last for matrix units, and results back. Measured kernels
/// that take channels-first operands (DeepBench) include them.
std::vector<Kernel> KernelCost::relayouts(const std::vector<Kernel>& kernels, Precision precision) const {
    const double times = framework_[plan::FrameworkParameter::channels_last];
    const auto& fits = device_.profile.fits;
    const bool measured = std::any_of(fits.begin(), fits.end(), [&](const cluster::KernelFit& fit) {
        return fit.kind == graph::KernelKind::convolution && fit.precision == precision;
    });
    std::vector<Kernel> passes;
    if (times == 0 || measured || device_.peak(precision) <= device_.vector) {
        return passes;
    }
    for (const Kernel& kernel : kernels) {
        if (kernel.kind == graph::KernelKind::convolution) {
            Kernel pass = graph::stream(times * kernel.elements);
            pass.times = kernel.times;
            passes.push_back(pass);
        }
    }
    return passes;
}

}  // namespace dodona::step
