#include "step/stage_memory.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "plan/optimizer.hpp"
#include "step/checkpoints.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

using plan::MemoryAction;
using plan::MemoryTensors;
using plan::RecomputeKind;

namespace {

/// What backward of a micro-batch frees when it has passed a part of a stage that keeps `kept`, in blocks or outside.
Bytes freed(Bytes kept, Bytes for_weights, const plan::Plan& plan, bool in_blocks) {
    if (plan.offload.activations && in_blocks) {
        return {};
    }
    return plan::splits_backward(plan.schedule) ? max(kept - for_weights, Bytes{}) : kept;
}

/// Workspace that stays allocated, placeholders, and the cast of a weight's gradient.
Bytes workspace(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage) {
    Bytes cast;
    std::map<Bytes, std::int64_t> placeholders;  // size -> the largest number in one segment
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        if (stage.count(u) == 0) {
            continue;
        }
        const SegmentMemory& segment = costed.segments[u].memory;
        cast = max(cast, segment.widest_weight);
        std::map<Bytes, std::int64_t> here;
        for (const Bytes size : segment.placeholders) {
            placeholders[size] = std::max(placeholders[size], ++here[size]);
        }
    }
    Bytes kept = plan.memory.workspace;
    for (const auto& [size, number] : placeholders) {
        kept += static_cast<double>(number) * size;
    }
    return kept + (plan.memory.has(MemoryAction::keep, MemoryTensors::gradients) ? cast : Bytes{});
}

/// Number of communicators of a stage: one for each group of its collectives, for its pipeline neighbours, and for all
/// ranks of the job.
std::size_t communicators(const CostedGraph& costed, const Stage& stage, const std::vector<StateTransfer>& transfers,
                          std::size_t stage_count) {
    std::set<plan::Atoms> groups;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        for (const TimedTransfer& transfer : costed.segments[u].transfers) {
            if (stage.count(u) > 0) {
                groups.insert(transfer.what.transfer.atoms);
            }
        }
    }
    for (const StateTransfer& transfer : transfers) {
        groups.insert(transfer.atoms);
    }
    if (costed.mesh.devices() > 1) {
        groups.insert(costed.mesh.all());
    }
    return groups.size() + (stage_count > 1 ? 1 : 0);
}

/// Launches that the host can be ahead of the device. Source: forums.developer.nvidia.com, topic 68937: it waits after
/// about 1,000.
constexpr double kLaunchesAhead = 1000;

/// By how much sums in another order may differ.
constexpr double kRounding = 1e-9;

/// Messages of the last launches of a forward pass that the host can be ahead. Where memory ends the allocator waits for
/// the device before it gives up. Source: pytorch/pytorch: c10/cuda/CUDACachingAllocator.cpp, release_cached_blocks.
Bytes waiting_messages(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage) {
    if (!plan.memory.has(MemoryAction::keep, MemoryTensors::messages)) {
        return {};
    }
    Bytes messages;
    double launches = 0;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const auto count = static_cast<double>(stage.count(u));
        launches += count * costed.segments[u].forward.launches;
        for (const TimedTransfer& transfer : costed.segments[u].transfers) {
            const bool sent = transfer.what.phase == plan::Phase::forward;
            messages += sent ? count * transfer.count * transfer.size : Bytes{};
        }
    }
    return launches > 0 ? std::min(1.0, kLaunchesAhead / launches) * messages : messages;
}

/// What one micro-batch keeps at a virtual stage: of blocks, and of token layers outside them.
struct KeptOfOne {
    std::array<Bytes, 2> all;
    std::array<Bytes, 2> for_weights;
};

/// `each`: by virtual stage.
void take_heaviest(const std::vector<schedule::Holding>& held, const std::vector<KeptOfOne>& each,
                   KeptActivations& kept) {
    Bytes heaviest;
    for (const schedule::Holding& holding : held) {
        std::array<Bytes, 2> sum{};
        for (std::size_t c = 0; c < each.size(); ++c) {
            for (std::size_t part = 0; part < sum.size(); ++part) {
                sum[part] += static_cast<double>(holding.whole[c]) * each[c].all[part];
                if (!holding.for_weights.empty()) {
                    sum[part] += static_cast<double>(holding.for_weights[c]) * each[c].for_weights[part];
                }
            }
        }
        if (sum[0] + sum[1] >= heaviest) {
            heaviest = sum[0] + sum[1];
            kept.heaviest = static_cast<std::size_t>(&holding - held.data());
            kept.blocks = sum[0];
            kept.token = sum[1];
        }
    }
}

/// Share of the gradients that is there at the peak: where they come as activations go, one of the two is.
double gradients_at_peak(const plan::Plan& plan, const StateSums& states, const KeptActivations& kept) {
    const Bytes all = states.blocks.gradients + states.token.gradients;
    if (!plan.frees_gradients() || !kept.one_pass || plan.offload.activations || !(all > Bytes{})) {
        return 1;
    }
    return max(all - kept.total(), Bytes{}) / all;
}

/// Bytes on the device of offloaded tensors of `whole` bytes.
Bytes two_buffers(Bytes whole, Bytes largest) { return min(whole, 2.0 * largest); }

/// Share of the gradients that is in host memory.
double offloaded_gradients(const plan::Plan& plan) {
    return plan.offload.weights ? 1 : plan.offloads_gradients() ? plan.offload.optimizer_share : 0;
}

/// `share` of the gradients.
Bytes gradients_on_device(const plan::Plan& plan, const StateSums& states, double share) {
    const Bytes held = share * (states.blocks.gradients + states.token.gradients);
    const double away = offloaded_gradients(plan);
    return two_buffers(away * held, states.largest.gradients) + (1 - away) * held;
}

/// Share of the states that the device updates.
double updated_share(const plan::Plan& plan) { return plan.updates_on_host() ? 1 - plan.offload.optimizer_share : 1; }

/// 16-bit copies of weights in fp32 that autocast makes for the passes of a micro-batch. Source: PyTorch documentation,
/// torch.autocast: its cache is cleared where the context ends.
Bytes autocast_copies(const plan::Plan& plan, const StateSums& states) {
    const bool casts = plan.memory.has(MemoryAction::cast, MemoryTensors::results) &&
                       stored_bytes(plan.precision) < stored_bytes(Precision::fp32) &&
                       plan::optimizer(plan.optimizer).dense.master;
    return casts ? states.updated : Bytes{};
}

/// Tensors that are there only while weights are updated, less copies that are there only before, and that the memory of
/// activations serves.
Bytes update_needs(const plan::Plan& plan, const StateSums& states) {
    return states.matrix_workspace + updated_share(plan) * states.update_temporaries - autocast_copies(plan, states);
}

}  // namespace

KeptActivations kept_activations(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                                 const std::vector<schedule::Holding>& held, std::int64_t microbatches) {
    KeptActivations kept;
    std::vector<KeptOfOne> each(stage.virtual_stages.size());
    std::int64_t segments = 0;
    std::int64_t blocks = 0;
    std::int64_t blocks_again = 0;
    Bytes with_recompute;
    for (std::size_t c = 0; c < stage.virtual_stages.size(); ++c) {
        Bytes transient;
        Bytes recomputing;
        const auto shared_by_instances =
            visit_kept(costed, plan, stage.virtual_stages[c], [&](const SegmentKept& here) {
                const SegmentCost& segment = costed.segments[here.segment];
                const SegmentMemory& memory = segment.memory_under(plan.recompute);
                blocks += segment.recomputes() ? here.count : 0;
                blocks_again += segment.recomputes() ? here.again : 0;
                const std::size_t token = costed.token_network && !segment.block ? 1 : 0;
                const Bytes all = here.all();
                const Bytes for_weights = static_cast<double>(here.count) * memory.for_weights;
                kept.for_weights += for_weights;
                each[c].all[token] += all;
                each[c].for_weights[token] += for_weights;
                const Bytes free = freed(all, for_weights, plan, token == 0);
                transient = peak_after_freeing(transient, free, memory.transient);
                recomputing = peak_after_freeing(recomputing, free, memory.transient + here.recompute_peak);
                kept.microbatch += token == 0 ? all : Bytes{};
                if (plan.pipeline_stages() > 1) {
                    kept.results += static_cast<double>(here.count * microbatches) * memory.results;
                }
                kept.largest = max(kept.largest, token == 0 ? here.largest() : Bytes{});
                kept.loss = max(kept.loss, memory.loss);
                segments += here.count;
            });
        for (const auto& [tensor, bytes] : shared_by_instances) {
            each[c].all[0] += bytes;
            kept.microbatch += bytes;
        }
        kept.transient = max(kept.transient, transient);
        with_recompute = max(with_recompute, recomputing);
    }
    kept.recompute_peak = with_recompute - kept.transient;
    kept.repeated = blocks > 0 ? static_cast<double>(blocks_again) / static_cast<double>(blocks) : 1;
    kept.segments = std::max<std::int64_t>(1, segments);
    kept.one_pass = costed.one_pass && plan.pipeline_stages() == 1;
    take_heaviest(held, each, kept);
    return kept;
}

Bytes least_kept(const SegmentCost& segment, const plan::Plan& plan) {
    if (!drops_blocks(segment, plan)) {
        return kept_of_one(segment, plan);
    }
    const std::int64_t blocks = plan.recompute == RecomputeKind::every ? plan.recompute_every : 1;
    return segment.checkpoint() / static_cast<double>(blocks);
}

StageBuffers stage_buffers(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                           const std::vector<StateTransfer>& transfers, std::size_t stage_count) {
    StageBuffers buffers;
    buffers.workspace = workspace(costed, plan, stage);
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        buffers.message = max(buffers.message, stage.count(u) > 0 ? costed.segments[u].largest_message : Bytes{});
    }
    buffers.waiting = waiting_messages(costed, plan, stage);
    buffers.neighbours = stage_count > 1 ? 4.0 * incoming(costed, stage, 0).whole : Bytes{};
    buffers.reduction = transfers.empty() ? Bytes{} : plan.memory.reduction_bucket;
    buffers.communicators = communicators(costed, stage, transfers, stage_count);
    buffers.context = costed.context();
    buffers.limit = costed.memory_limit();
    return buffers;
}

MemoryParts stage_memory(const plan::Plan& plan, const StateSums& states, const KeptActivations& kept,
                         const StageBuffers& buffers) {
    const plan::Offload& away = plan.offload;
    MemoryParts memory;
    /// `share`: of it that is offloaded.
    const auto place = [&](MemoryPart part, Bytes blocks, Bytes token, Bytes largest, double share) {
        memory[part] = two_buffers(share * (blocks + token), largest) + (1 - share) * blocks;
        memory[MemoryPart::embedding_and_head] += (1 - share) * token;
    };
    const auto share_of = [](bool is_offloaded) { return is_offloaded ? 1.0 : 0.0; };
    const double of_states = away.optimizer ? away.optimizer_share : 0;
    const auto versions = static_cast<double>(kept.weight_versions);
    place(MemoryPart::weights, versions * states.blocks.weights, versions * states.token.weights,
          states.largest.weights, share_of(away.weights));
    const double there = gradients_at_peak(plan, states, kept);
    place(MemoryPart::gradients, there * states.blocks.gradients, there * states.token.gradients,
          states.largest.gradients, offloaded_gradients(plan));
    const Bytes updated_at_once = plan.updates_on_host() ? Bytes{} : states.largest.optimizer;
    place(MemoryPart::optimizer, states.blocks.optimizer, states.token.optimizer, updated_at_once, of_states);
    place(MemoryPart::activations, kept.blocks, Bytes{}, kept.largest, share_of(away.activations));
    memory[MemoryPart::embedding_and_head] += kept.token + kept.results;
    memory[MemoryPart::recompute] = kept.recompute_peak;
    memory[MemoryPart::workspace] = kept.transient + buffers.workspace;
    memory[MemoryPart::buffers] = buffers.message + states.gathered + buffers.neighbours;
    const Bytes copies = updated_share(plan) * states.update_copies;
    const Bytes passing = memory[MemoryPart::activations] + kept.token + kept.recompute_peak +
                          memory[MemoryPart::workspace] + memory[MemoryPart::buffers];
    memory[MemoryPart::cache] = plan.fragmentation(kept.repeated) * passing + copies + buffers.reduction;
    if (const Bytes needed = update_needs(plan, states); needed > Bytes{}) {
        // When weights are updated activations are gone, and all gradients are there.
        const Bytes update = gradients_on_device(plan, states, 1) - gradients_on_device(plan, states, there) + needed;
        memory[MemoryPart::workspace] += max(Bytes{}, update - passing);
    }
    memory[MemoryPart::communicators] = static_cast<double>(buffers.communicators) * plan.memory.communicator;
    memory[MemoryPart::context] = buffers.context;
    const double varied = plan.lengths_vary ? plan.memory.varied_fragmentation : 0;
    memory[MemoryPart::cache] +=
        min(buffers.waiting + varied * passing, (1 - kRounding) * max(Bytes{}, buffers.limit - memory.total()));
    return memory;
}

MemoryMoments memory_moments(const plan::Plan& plan, const StateSums& states, const KeptActivations& kept,
                             const StageBuffers& buffers) {
    const MemoryParts parts = stage_memory(plan, states, kept, buffers);
    const Bytes activations = parts[MemoryPart::activations] + kept.token;
    const Bytes messages = parts[MemoryPart::buffers];
    const Bytes gradients = gradients_on_device(plan, states, 1);
    // There all the time: weights, optimizer states, workspaces of libraries, results of a pipeline.
    const Bytes always = parts[MemoryPart::weights] + parts[MemoryPart::gradients] + parts[MemoryPart::optimizer] +
                         parts[MemoryPart::activations] + parts[MemoryPart::embedding_and_head] - activations -
                         gradients_on_device(plan, states, gradients_at_peak(plan, states, kept)) + buffers.workspace;
    const bool comes = plan.frees_gradients() && kept.one_pass;
    MemoryMoments moments;
    moments.forward = always + activations + messages + (comes ? Bytes{} : gradients);
    moments.loss = kept.loss > Bytes{} ? moments.forward - messages + kept.loss : Bytes{};
    moments.backward = always + activations + messages + kept.transient + kept.recompute_peak +
                       gradients_on_device(plan, states, gradients_at_peak(plan, states, kept));
    moments.reduction = always + gradients + buffers.reduction;
    moments.update = always + gradients + updated_share(plan) * states.update_copies + update_needs(plan, states);
    return moments;
}

MemoryParts stage_memory(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                         const StageStates& states, const KeptActivations& kept, std::size_t stage_count) {
    return stage_memory(plan, states, kept, stage_buffers(costed, plan, stage, states.transfers, stage_count));
}

}  // namespace dodona::step
