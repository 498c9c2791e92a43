#include "schedule/stage_memory.hpp"

#include <algorithm>

namespace dodona::schedule {

using plan::RecomputeKind;

namespace {

/// The blocks of a chunk in order, in segments of `every` with one checkpoint each. Units that are not blocks start
/// a new segment.
class Segments {
public:
    explicit Segments(std::int64_t every) : every_(every) {}

    void stop() {
        filled_ = 0;
        open_ = {};
    }

    /// Checkpoints among `count` further blocks that keep `saved` each while they are recomputed.
    std::int64_t add(std::int64_t count, Bytes saved) {
        std::int64_t checkpoints = 0;
        if (filled_ > 0) {
            const std::int64_t taken = std::min(count, every_ - filled_);
            extend(taken, saved);
            count -= taken;
        }
        checkpoints += count / every_;
        if (count >= every_) {
            largest_ = max(largest_, static_cast<double>(every_) * saved);
        }
        if (count % every_ > 0) {
            ++checkpoints;
            extend(count % every_, saved);
        }
        return checkpoints;
    }

    [[nodiscard]] Bytes largest() const { return largest_; }

private:
    void extend(std::int64_t blocks, Bytes saved) {
        open_ += static_cast<double>(blocks) * saved;
        filled_ += blocks;
        largest_ = max(largest_, open_);
        if (filled_ == every_) {
            stop();
        }
    }

    std::int64_t every_;
    std::int64_t filled_ = 0;
    Bytes open_;
    Bytes largest_;
};

/// What `count` instances of a unit keep, and the most that one of them keeps.
struct UnitKept {
    Bytes all;
    Bytes one;
};

UnitKept unit_kept(const UnitCost& unit, std::int64_t count, const plan::Plan& plan, Segments& segments) {
    const auto n = static_cast<double>(count);
    const bool repeats = plan.recompute == RecomputeKind::full || plan.recompute == RecomputeKind::every;
    if (!repeats || !unit.block) {
        segments.stop();
        const bool drops = plan.recompute == RecomputeKind::selective;
        const Bytes one = drops ? unit.saved - unit.saved_selective : unit.saved;
        return {n * one, one};
    }
    const std::int64_t checkpoints = segments.add(count, unit.saved);
    return {static_cast<double>(checkpoints) * unit.checkpoint(), checkpoints > 0 ? unit.checkpoint() : Bytes{}};
}

/// What stays on the device of `whole` that lives on the host.
Bytes two_buffers(Bytes whole, Bytes largest) { return min(whole, 2.0 * largest); }

}  // namespace

KeptActivations kept_activations(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                                 const std::vector<std::int64_t>& held) {
    KeptActivations kept;
    std::int64_t units = 0;
    for (std::size_t c = 0; c < stage.chunks.size(); ++c) {
        Segments segments(plan.recompute == RecomputeKind::every ? plan.recompute_every : 1);
        for (std::size_t u = 0; u < costed.units.size(); ++u) {
            const std::int64_t count = stage.chunks[c].counts[u];
            if (count == 0) {
                continue;
            }
            const UnitCost& unit = costed.units[u];
            const UnitKept here = unit_kept(unit, count, plan, segments);
            const bool token = costed.token_network && !unit.block;
            (token ? kept.token : kept.blocks) += static_cast<double>(held[c]) * here.all;
            kept.microbatch += here.all;
            kept.largest = max(kept.largest, here.one);
            kept.working =
                max(kept.working, plan.recompute == RecomputeKind::selective ? unit.saved_selective : Bytes{});
            units += count;
        }
        kept.working = max(kept.working, segments.largest());
    }
    kept.units = std::max<std::int64_t>(1, units);
    return kept;
}

MemoryParts stage_memory(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                         const StageStates& states, const KeptActivations& kept, std::size_t stage_count) {
    const plan::Offload& away = plan.offload;
    MemoryParts memory;
    const auto place = [&](MemoryPart part, Bytes blocks, Bytes token, Bytes largest, bool offloaded) {
        memory[part] = offloaded ? two_buffers(blocks + token, largest) : blocks;
        memory[MemoryPart::embedding_and_head] += offloaded ? Bytes{} : token;
    };
    place(MemoryPart::weights, states.blocks.weights, states.token.weights, states.largest.weights, away.weights);
    place(MemoryPart::gradients, states.blocks.gradients, states.token.gradients, states.largest.gradients,
          away.weights);
    place(MemoryPart::optimizer, states.blocks.optimizer, states.token.optimizer, states.largest.optimizer,
          away.optimizer);
    place(MemoryPart::activations, kept.blocks, kept.token, kept.largest, away.activations);
    memory[MemoryPart::recompute] = kept.working;
    memory[MemoryPart::context] = costed.context();

    Bytes largest_message;
    for (std::size_t u = 0; u < costed.units.size(); ++u) {
        if (stage.count(u) > 0) {
            memory[MemoryPart::workspace] = max(memory[MemoryPart::workspace], costed.units[u].transient);
            largest_message = max(largest_message, costed.units[u].largest_message);
        }
    }
    // One buffer for the largest collective, two each way for neighbours in the pipeline.
    const Bytes boundary = incoming(costed, stage, 0).whole;
    memory[MemoryPart::buffers] = largest_message + states.gathered + (stage_count > 1 ? 4.0 * boundary : Bytes{});
    return memory;
}

}  // namespace dodona::schedule
