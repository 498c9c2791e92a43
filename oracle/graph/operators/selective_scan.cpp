// The selective scan of Mamba's first version: every feature has a state of its own, N numbers, that goes through all
// positions.
//
//   h[t, n] = exp(dt[t] A[n]) h[t-1, n] + dt[t] B[t, n] x[t],   y[t] = sum_n C[t, n] h[t, n] + D x[t]    per feature
//
// One fused pass whose states stay on the chip. An exponential a feature, position and state counts as 16 operations: an SM
// makes 16 a clock, and 256 of fp32 (CUDA C++ Programming Guide, throughput of native arithmetic instructions); the other
// six are the products and sums of both equations. Backward makes the states again, and some three times the
// arithmetic. Inputs are kept. Source: Gu and Dao, arXiv:2312.00752, section 3.3; state-spaces/mamba:
// csrc/selective_scan. Features may be split; positions not.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_selective_scan(Attributes& attributes, std::span<const Tensor> inputs) {
    constexpr std::size_t kInput = 0, kStep = 1, kToState = 2, kFromState = 3;
    constexpr double kForwardOperations = 16 + 6, kBackwardOperations = 16 + 18;
    for (const Tensor& x : inputs) {
        if (!is_sequence(attributes, x)) {
            return {};
        }
    }
    const Tensor& x = inputs[kInput];
    const Extent state = inputs[kToState].dimensions[2].extent;
    if (inputs[kStep].dimensions != x.dimensions || inputs[kFromState].dimensions != inputs[kToState].dimensions) {
        attributes.error(fmt::format("reads {} with time steps {}, and {} to and {} from the state", x.shape(),
                                     inputs[kStep].shape(), inputs[kToState].shape(), inputs[kFromState].shape()),
                         "inputs: x, its time steps of the same shape, B and C of one shape");
        return {};
    }
    constexpr int kSequence = 1, kFeature = 2;
    Nest nest = element_wise(x, inputs.size());
    nest.loops[kSequence].can_split = false;
    nest.inputs[kToState].loops = nest.inputs[kFromState].loops = {kBatch, kSequence, kNoLoop};
    nest.weights = {
        {.name = "decay",
         .dimensions = {{"feature", x.dimensions[kFeature].extent}, {"state", state}},
         .operand = {.loops = {kFeature, kNoLoop}}},
        {.name = "skip", .dimensions = {{"feature", x.dimensions[kFeature].extent}}, .operand = {.loops = {kFeature}}}};
    nest.saved.clear();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        nest.saved.push_back({.what = Saved::What::input, .operand = static_cast<int>(i)});
    }
    nest.work = [states = static_cast<double>(state)](const LocalExtents& local) {
        const double elements = volume(local);
        const double shared = 2 * volume_of_first(local, kFeature) * states;  // B and C
        const auto pass = [&](double tensors, double copies, double operations) {
            Kernel kernel = stream(tensors * elements + copies * shared);
            kernel.flops = elements * states * operations * unit::flop;
            return kernel;
        };
        return Work{.forward = {pass(3, 1, kForwardOperations)}, .backward_input = {pass(5, 2, kBackwardOperations)}};
    };
    return nest;
}

}  // namespace dodona::graph
