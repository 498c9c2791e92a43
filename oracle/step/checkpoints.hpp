// Tensors that a virtual stage keeps of a micro-batch, and checkpoints of blocks that are recomputed in backward.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "plan/plan.hpp"
#include "step/segment_cost.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

/// Counts the checkpoints of a virtual stage: its blocks in groups of `every`, one checkpoint per group. A layer
/// outside blocks starts a new group.
///
/// Backward repeats a group as a whole; when it has reached a block, the blocks of the group up to it are there.
class Checkpoints {
public:
    explicit Checkpoints(std::int64_t every) : every_(every) {}

    void stop() {
        filled_ = 0;
        open_ = {};
    }

    /// Adds `count` blocks, each with `saved` bytes while recomputed; returns the new checkpoints.
    std::int64_t add(std::int64_t count, Bytes saved) {
        std::int64_t checkpoints = 0;
        repeated_ = {};
        if (filled_ > 0) {
            const std::int64_t taken = std::min(count, every_ - filled_);
            extend(taken, saved);
            count -= taken;
        }
        checkpoints += count / every_;
        if (count >= every_) {
            repeated_ = static_cast<double>(every_) * saved;
        }
        if (count % every_ > 0) {
            ++checkpoints;
            extend(count % every_, saved);
        }
        return checkpoints;
    }

    /// Bytes of the group up to the block that was added last; the most of these where several were.
    [[nodiscard]] Bytes repeated() const { return repeated_; }

private:
    void extend(std::int64_t blocks, Bytes saved) {
        open_ += static_cast<double>(blocks) * saved;
        filled_ += blocks;
        repeated_ = max(repeated_, open_);
        if (filled_ == every_) {
            stop();
        }
    }

    std::int64_t every_;
    std::int64_t filled_ = 0;
    Bytes open_;
    Bytes repeated_;
};

/// Whether a plan keeps only the input of a segment.
inline bool drops_blocks(const SegmentCost& segment, const plan::Plan& plan) {
    return plan.repeats_blocks() && segment.recomputes();
}

/// Tensors of one instance of a segment that are not dropped.
inline Bytes kept_of_one(const SegmentCost& segment, const plan::Plan& plan) {
    const SegmentMemory& memory = segment.memory_under(plan.recompute);
    return memory.saved + (plan.repeats_parts() ? memory.recompute_inputs - memory.dropped : Bytes{});
}

/// Tensors that a virtual stage keeps of the instances of a segment: inputs of those that are recomputed, others whole.
struct SegmentKept {
    std::size_t segment = 0;
    std::int64_t count = 0;   ///< of instances
    std::int64_t again = 0;   ///< of these recomputed
    std::int64_t inputs = 0;  ///< kept
    Bytes input;
    std::int64_t wholes = 0;
    Bytes whole;
    Bytes recompute_peak;  ///< dropped tensors that are there while an instance goes backward
    [[nodiscard]] Bytes all() const {
        return static_cast<double>(inputs) * input + static_cast<double>(wholes) * whole;
    }
    [[nodiscard]] Bytes largest() const { return max(inputs > 0 ? input : Bytes{}, wholes > 0 ? whole : Bytes{}); }
};

/// Calls `visit` with the SegmentKept of each segment on a virtual stage, in the order of the passes. Returns what all
/// instances of blocks read, kept once.
template <class Visit>
std::map<graph::Vertex, Bytes> visit_kept(const CostedGraph& costed, const plan::Plan& plan, const VirtualStage& part,
                                          Visit visit) {
    Checkpoints checkpoints(plan.recompute == plan::RecomputeKind::every ? plan.recompute_every : 1);
    std::map<graph::Vertex, Bytes> shared;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const SegmentCost& segment = costed.segments[u];
        SegmentKept kept{.segment = u, .count = part.counts[u]};
        if (kept.count == 0) {
            continue;
        }
        kept.again = repeated(costed, plan, part, u);
        if (drops_blocks(segment, plan)) {
            kept.inputs = checkpoints.add(kept.again, segment.memory.saved);
            kept.input = segment.checkpoint();
            kept.wholes = kept.count - kept.again;
            kept.recompute_peak = checkpoints.repeated();
        } else {
            checkpoints.stop();
            kept.wholes = kept.count;
            kept.recompute_peak = plan.repeats_parts() ? segment.memory_under(plan.recompute).dropped : Bytes{};
        }
        kept.whole = kept_of_one(segment, plan);
        for (const auto& [tensor, bytes] : segment.memory_under(plan.recompute).shared_by_instances) {
            shared[tensor] = max(shared[tensor], bytes);
        }
        visit(kept);
    }
    return shared;
}

}  // namespace dodona::step
