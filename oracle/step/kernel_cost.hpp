// Times of a layer's kernels on one device under the plan's framework: slower than alone, with passes for casts and
// layouts between them.
#pragma once

#include <algorithm>
#include <vector>

#include "base/estimate.hpp"
#include "cost/device_time.hpp"
#include "graph/kernel.hpp"
#include "plan/plan.hpp"
#include "step/segment_cost.hpp"

namespace dodona::step {

/// Whether a kernel is a matrix product of any kind, whose arithmetic counts in MFU and HFU.
bool is_product(const graph::Kernel& kernel);

/// Whether kernels take as long under both frameworks.
bool kernels_are_alike(const plan::Framework& a, const plan::Framework& b);

/// The best and the worst evidence of some times.
struct EvidenceRange {
    Evidence best = Evidence::data_sheet;
    Evidence worst = Evidence::measured;

    void take(Evidence evidence) { take(EvidenceRange{evidence, evidence}); }
    void take(const EvidenceRange& other) {
        best = std::min(best, other.best);
        worst = std::max(worst, other.worst);
    }
};

/// `in_block`: the layer is in a repeated block; only there products run in formats of 8 bits or fewer.
class KernelCost {
public:
    /// `adds_gradients`: a step has several micro-batches.
    KernelCost(const cluster::Device& device, const plan::Plan& plan, bool adds_gradients);

    /// Kernels without further passes.
    PassCost alone(const std::vector<graph::Kernel>& kernels, bool in_block);
    /// Products of the forward pass and of dX, with the passes that cast and relayout their operands.
    /// `trains`: their weights are trained.
    PassCost with_casts(const std::vector<graph::Kernel>& kernels, bool in_block, bool trains);
    /// Products of dW, which write to the gradient buffer.
    PassCost into_gradients(const std::vector<graph::Kernel>& kernels, bool in_block);

    /// Of all kernels timed so far.
    [[nodiscard]] const EvidenceRange& evidence() const { return evidence_; }

private:
    void add(const graph::Kernel& kernel, bool in_block, PassCost& cost);
    [[nodiscard]] Precision precision(bool in_block) const;
    [[nodiscard]] Precision attention_precision() const;
    static plan::FrameworkParameter parameter_of(graph::Unfused::Part part);
    [[nodiscard]] graph::Kernel as_run(graph::Kernel kernel) const;
    [[nodiscard]] cost::KernelTime timed(const graph::Kernel& kernel, Precision precision) const;
    [[nodiscard]] std::vector<graph::Kernel> into_buffer(std::vector<graph::Kernel> kernels) const;
    [[nodiscard]] PassCost casts(const std::vector<graph::Kernel>& kernels, Precision precision, bool trains) const;
    [[nodiscard]] std::vector<graph::Kernel> relayouts(const std::vector<graph::Kernel>& kernels,
                                                       Precision precision) const;

    const cluster::Device& device_;
    const plan::Framework& framework_;
    Precision precision_;
    Bytes gradient_;  ///< of one element of the gradient buffer
    bool adds_gradients_;
    EvidenceRange evidence_;
};

}  // namespace dodona::step
