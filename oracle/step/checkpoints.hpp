// Checkpoints of blocks that are recomputed in backward.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan/plan.hpp"
#include "step/segment_cost.hpp"

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

}  // namespace dodona::step
