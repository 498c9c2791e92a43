#include "search/mesh_tables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ranges.hpp"
#include "step/replica.hpp"

namespace dodona::search {

using step::Stage;
using step::StateTransfer;

namespace {

step::CostedGraph on_mesh(const step::CostedGraph& other, const Meshes& meshes) {
    step::CostedGraph costed = other;
    costed.mesh = meshes.cut;
    if (meshes.cut.all() == meshes.whole.all()) {
        return costed;
    }
    const auto refine = [&](plan::Atoms& atoms) { atoms = meshes.cut.refined(meshes.whole, atoms); };
    for (step::SegmentCost& segment : costed.segments) {
        for (step::WeightClass& weight : segment.weights) {
            weight.kind = meshes.refined(weight.kind);
            for (plan::Matrices& matrices : weight.matrices) {
                refine(matrices.split);
            }
        }
        for (step::Entering& tensor : segment.entering) {
            refine(tensor.sharded);
        }
        for (step::TimedTransfer& transfer : segment.transfers) {
            refine(transfer.what.transfer.atoms);
        }
    }
    return costed;
}

bool has_sparse(const step::CostedGraph& costed) {
    return std::any_of(costed.segments.begin(), costed.segments.end(), [](const step::SegmentCost& segment) {
        return any_of(segment.weights, [](const step::WeightClass& weight) { return weight.kind.sparse; });
    });
}

step::StateLanes<Seconds> lanes_of(const std::vector<StateTransfer>& transfers) {
    step::StateLanes<Seconds> lanes;
    for (const StateTransfer& transfer : transfers) {
        lanes[step::lane_of(transfer)] += transfer.time.time.value;
    }
    return lanes;
}

}  // namespace

MeshTables::MeshTables(PassTables& tables, const PassTable& passes, const plan::Plan& plan, const Meshes& meshes)
    : tables_(tables), costed_(on_mesh(passes.costed, meshes)), sparse_(has_sparse(costed_)) {
    if (plan.strategy.pipeline) {
        pipeline_ = costed_.mesh.axis(*plan.strategy.pipeline);
    }
    const cluster::Group whole = costed_.mesh.group(pipeline_);
    for (std::int64_t s = 0; s < costed_.mesh.ways(pipeline_); ++s) {
        near_.push_back(step::neighbours(costed_, pipeline_, static_cast<std::size_t>(s)) != whole);
    }
}

std::size_t MeshTables::content_of(const Stage& stage) {
    std::vector<std::int64_t> counts(costed_.segments.size());
    for (std::size_t u = 0; u < counts.size(); ++u) {
        counts[u] = stage.count(u);
    }
    return content_of(std::move(counts));
}

std::size_t MeshTables::content_of(std::vector<std::int64_t> counts) {
    const auto found = std::find(contents_.begin(), contents_.end(), counts);
    if (found != contents_.end()) {
        return static_cast<std::size_t>(found - contents_.begin());
    }
    contents_.push_back(std::move(counts));
    return contents_.size() - 1;
}

std::size_t MeshTables::whole() {
    auto counts = mapped<std::int64_t>(costed_.graph->segments, &graph::Segment::count);
    return content_of(std::move(counts));
}

std::size_t MeshTables::blocks(std::int64_t count) {
    std::vector<std::int64_t> counts(costed_.segments.size());
    for (std::size_t u = 0; count > 0 && u < counts.size(); ++u) {
        counts[u] = costed_.segments[u].block ? std::min(count, costed_.graph->segments[u].count) : 0;
        count -= counts[u];
    }
    return content_of(std::move(counts));
}

const PipelineCut& MeshTables::cut(const PassTable& passes, const plan::Plan& plan) {
    // Cuts into equally many blocks are shared; others are balanced by the times of one micro-batch.
    const schedule::Places places = plan.places();
    const bool is_known = !plan.stages.empty() || passes.even(places.positions());
    const CutKey key{places.virtual_stages, places.placement, plan.stages, is_known ? nullptr : &passes};
    const auto found = cuts_.find(key);
    return found != cuts_.end() ? found->second : cuts_.emplace(key, make_cut(passes, plan)).first->second;
}

PipelineCut MeshTables::make_cut(const PassTable& passes, const plan::Plan& plan) {
    PipelineCut cut;
    cut.runs = tables_.runs(passes, plan);
    cut.stages = static_cast<std::size_t>(plan.pipeline_stages());
    for (StageRun& run : cut.runs) {
        run.content = content_of(run.stage);
    }
    const auto holder = [&](std::size_t segment) {
        const auto* found = found_in(cut.runs, [segment](const StageRun& run) { return run.stage.count(segment) > 0; });
        return found == nullptr ? cut.stages : found->first;
    };
    for (const StageRun& run : cut.runs) {
        cut.tied.push_back(lanes_of(step::tied_transfers(costed_, plan, step::Holder(holder), run.first)));
    }
    return cut;
}

const StateEntry& MeshTables::states(const StageRun& run, const plan::Plan& plan, std::size_t stages,
                                     std::int64_t microbatches) {
    const StateKey key{run.content, plan.shard, stages > 1, plan.places().copies() > 1};
    const auto found = states_.find(key);
    if (found != states_.end()) {
        return found->second;
    }
    const step::StageStates states = step::stage_states(costed_, plan, run.stage, microbatches);
    const step::StageBuffers buffers = step::stage_buffers(costed_, plan, run.stage, states.transfers, stages);
    const step::StateSums& sums = states;
    StateEntry entry{.sums = sums, .lanes = lanes_of(states.transfers)};
    const double share = costed_.counts.trained > 0 ? states.trained / costed_.counts.trained : 0.0;
    entry.update = (states.matrices + costed_.update_time(states.update_traffic, share)).value;
    entry.communicators = buffers.communicators;
    entry.reduction = buffers.reduction;
    return states_.emplace(key, entry).first->second;
}

Bytes MeshTables::arriving(const PassTable& passes, const StageRun& run, const plan::Plan& plan) {
    if (!plan.strategy.pipeline) {
        return {};
    }
    return step::incoming(passes.costed, run.stage, step::boundary_split(passes.costed, plan)).whole;
}

std::vector<MeshTables::PositionEntry> MeshTables::positions(const PassTable& passes, const PipelineCut& cut,
                                                             const plan::Plan& plan) {
    const schedule::Places places = plan.places();
    std::vector<PositionEntry> found(static_cast<std::size_t>(places.positions()));
    const plan::Atoms split = step::boundary_split(passes.costed, plan);
    for (std::int64_t c = 0; c < places.on_stage(); ++c) {
        for (const StageRun& run : cut.runs) {
            const step::VirtualStage& here = run.stage.virtual_stages[static_cast<std::size_t>(c)];
            const std::size_t content = places.on_stage() == 1 ? run.content : content_of(here.counts);
            const step::Incoming arriving = step::incoming(passes.costed, {{here}}, split);
            std::optional<Seconds> receive[2];
            for (std::size_t s = run.first; s < run.first + run.size; ++s) {
                const auto stage = static_cast<std::int64_t>(s);
                PositionEntry& position = found[static_cast<std::size_t>(places.position(stage, c))];
                position.content = content;
                if (places.sender(stage, c) && arriving.sent > Bytes{}) {
                    const std::size_t receiver = step::receiver(places, s, static_cast<std::size_t>(c));
                    std::optional<Seconds>& known = receive[near_[receiver] ? 1 : 0];
                    known = known ? known : send(arriving, plan, receiver, near_[receiver]);
                    position.receive = max(position.receive, *known);
                }
            }
        }
    }
    return found;
}

Seconds MeshTables::send(const step::Incoming& arriving, const plan::Plan& plan, std::size_t stage, bool near) {
    const SendKey key{arriving.sent, arriving.gathered, near};
    const auto found = sends_.find(key);
    if (found != sends_.end()) {
        return found->second;
    }
    const Seconds time = step::boundary_of(costed_, plan, arriving, step::neighbours(costed_, pipeline_, stage)).time;
    return sends_.emplace(key, time).first->second;
}

}  // namespace dodona::search
