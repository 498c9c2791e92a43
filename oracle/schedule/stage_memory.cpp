#include "schedule/stage_memory.hpp"

#include "schedule/pipeline.hpp"

namespace dodona::schedule {

using plan::RecomputeKind;

Bytes kept_bytes(const UnitCost& unit, const plan::Plan& plan) {
    switch (plan.recompute) {
        case RecomputeKind::none: return unit.saved;
        case RecomputeKind::selective: return unit.saved - unit.saved_selective;
        case RecomputeKind::full: return unit.block ? unit.checkpoint() : unit.saved;
        case RecomputeKind::every:
            return unit.block ? unit.checkpoint() / static_cast<double>(plan.recompute_every) : unit.saved;
    }
    return unit.saved;
}

namespace {

/// What is alive only while one block is recomputed: its dropped tensors, for as many blocks as one checkpoint spans.
Bytes recompute_working_set(const UnitCost& unit, const plan::Plan& plan) {
    switch (plan.recompute) {
        case RecomputeKind::none: return {};
        case RecomputeKind::selective: return unit.saved_selective;
        case RecomputeKind::full: return unit.block ? unit.saved : Bytes{};
        case RecomputeKind::every: return unit.block ? static_cast<double>(plan.recompute_every) * unit.saved : Bytes{};
    }
    return {};
}

}  // namespace

MemoryParts stage_memory(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                         const StageStates& states, std::size_t stage_index, std::size_t stage_count,
                         std::int64_t microbatches) {
    MemoryParts memory;
    memory[MemoryPart::weights] = states.weights;
    memory[MemoryPart::gradients] = states.gradients;
    memory[MemoryPart::optimizer] = states.optimizer;
    memory[MemoryPart::embedding_and_head] = states.token_states;
    memory[MemoryPart::context] = costed.cluster->device.context;

    const std::vector<std::int64_t> held =
        in_flight(plan.schedule, static_cast<std::int64_t>(stage_index), static_cast<std::int64_t>(stage_count),
                  microbatches, static_cast<std::int64_t>(stage.chunks.size()));
    Bytes largest_message;
    const Bytes boundary = incoming(costed, stage, 0).whole;
    for (std::size_t c = 0; c < stage.chunks.size(); ++c) {
        for (std::size_t u = 0; u < costed.units.size(); ++u) {
            const std::int64_t count = stage.chunks[c].counts[u];
            if (count == 0) {
                continue;
            }
            const UnitCost& unit = costed.units[u];
            const bool token = costed.token_network && !unit.block;
            const auto copies = static_cast<double>(count) * static_cast<double>(held[c]);
            memory[token ? MemoryPart::embedding_and_head : MemoryPart::activations] += copies * kept_bytes(unit, plan);
            memory[MemoryPart::recompute] = max(memory[MemoryPart::recompute], recompute_working_set(unit, plan));
            memory[MemoryPart::workspace] = max(memory[MemoryPart::workspace], unit.transient);
            largest_message = max(largest_message, unit.largest_message);
        }
    }
    // One buffer for the largest collective, two each way for neighbours in the pipeline.
    memory[MemoryPart::buffers] = largest_message + states.gathered + (stage_count > 1 ? 4.0 * boundary : Bytes{});
    return memory;
}

}  // namespace dodona::schedule
