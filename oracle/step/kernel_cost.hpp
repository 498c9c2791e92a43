// Kernels of a layer on one device, as the framework of a plan runs them: slower than alone, with passes of its own
// between them.
#pragma once

#include <vector>

#include "base/estimate.hpp"
#include "cost/device_time.hpp"
#include "graph/kernel.hpp"
#include "plan/plan.hpp"
#include "step/segment_cost.hpp"

namespace dodona::step {

/// Whose arithmetic counts: matrix products of any kind.
bool is_product(const graph::Kernel& kernel);

/// `in_block`: of a layer in a repeated block. Only there products run in formats of 8 bits or fewer.
class KernelCost {
public:
    /// `adds_gradients`: a step has several micro-batches.
    KernelCost(const cluster::Device& device, const plan::Plan& plan, bool adds_gradients);

    PassCost alone(const std::vector<graph::Kernel>& kernels, bool in_block);
    /// With the passes that bring their operands into shape: products forward and of dX.
    PassCost with_casts(const std::vector<graph::Kernel>& kernels, bool in_block);
    /// Products of dW, whose results go into the gradient buffer.
    PassCost into_gradients(const std::vector<graph::Kernel>& kernels, bool in_block);

    /// Of all kernels so far.
    [[nodiscard]] SourceLine source() const;

private:
    [[nodiscard]] Precision precision(bool in_block) const;
    [[nodiscard]] cost::KernelTime timed(const graph::Kernel& kernel, Precision precision) const;
    [[nodiscard]] std::vector<graph::Kernel> into_buffer(std::vector<graph::Kernel> kernels) const;
    [[nodiscard]] PassCost casts(const std::vector<graph::Kernel>& kernels, Precision precision) const;
    [[nodiscard]] std::vector<graph::Kernel> relayouts(const std::vector<graph::Kernel>& kernels,
                                                       Precision precision) const;

    const cluster::Device& device_;
    const plan::Framework& framework_;
    Precision precision_;
    Bytes gradient_;  ///< of one element of the gradient buffer
    bool adds_gradients_;
    Evidence worst_ = Evidence::measured;
    Evidence best_ = Evidence::data_sheet;
};

}  // namespace dodona::step
