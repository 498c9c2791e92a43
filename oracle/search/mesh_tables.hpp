// Tables for all plans on one mesh: the costs of model states on a stage and of transfers between stages.
//
// Stages are identified by their content (instances of each segment), not by their position. A pipeline of 64 stages
// typically has three contents. The costs of states do not depend on the micro-batch.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "search/pass_table.hpp"
#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::search {

/// The stages of a pipeline, in runs of equal ones.
struct PipelineCut {
    std::vector<StageRun> runs;
    std::size_t stages = 1;
    std::vector<step::StateLanes<Seconds>> tied;  ///< by run: all-reduces of tied weights on the first stage
};

/// Costs of the states of one content under one ZeRO level.
struct StateEntry {
    step::StateSums sums;
    step::StateLanes<Seconds> lanes;
    Seconds update;
    std::size_t communicators = 0;  ///< of states, layers and stage neighbours
    Bytes reduction;                ///< buffer of gradient buckets
};

class MeshTables {
public:
    /// `plan`: its mesh, folds and sharding group are used.
    MeshTables(PassTables& tables, const PassTable& passes, const plan::Plan& plan, const Meshes& meshes);

    [[nodiscard]] const step::CostedGraph& costed() const { return costed_; }
    step::ScheduleTimings& orders() { return tables_.orders(); }
    Seconds total(const step::Pipeline<Seconds>& pipeline) { return tables_.total(pipeline); }
    /// Whether some gradients may be sparse (the rows that a step touches). States, and with them these tables, then
    /// depend on the micro-batch.
    [[nodiscard]] bool sparse() const { return sparse_; }
    [[nodiscard]] const std::vector<std::int64_t>& counts(std::size_t content) const { return contents_[content]; }

    /// The content of a stage that holds the whole network.
    std::size_t whole();
    /// ... or nothing but blocks of the first kind. Domain: the network has that many.
    std::size_t blocks(std::int64_t count);

    /// The pipeline cut of a plan. Independent of the micro-batch where all blocks cost the same.
    const PipelineCut& cut(const PassTable& passes, const plan::Plan& plan);

    /// `microbatches`: that run each position of a stage.
    const StateEntry& states(const StageRun& run, const plan::Plan& plan, std::size_t stages,
                             std::int64_t microbatches);

    /// What the fullest virtual stage of a stage receives, as the receiving rank stores it.
    Bytes arriving(const PassTable& passes, const StageRun& run, const plan::Plan& plan);

    /// A virtual stage: the index of its content, and the time of what it receives.
    struct PositionEntry {
        std::size_t content = 0;
        Seconds receive;
    };
    /// In forward order.
    std::vector<PositionEntry> positions(const PassTable& passes, const PipelineCut& cut, const plan::Plan& plan);

private:
    struct StateKey {
        std::size_t content = 0;
        plan::ShardLevel shard = plan::ShardLevel::none;
        bool pipelined = false;
        bool copied = false;
        auto operator<=>(const StateKey&) const = default;
    };
    struct SendKey {
        Bytes sent;
        Bytes gathered;
        bool near = false;
        auto operator<=>(const SendKey&) const = default;
    };
    struct CutKey {
        std::int64_t virtual_stages = 1;
        schedule::Placement placement = schedule::Placement::loop;
        std::vector<std::int64_t> stages;   ///< Plan::stages
        const PassTable* passes = nullptr;  ///< null: equally many blocks on every virtual stage, or as `stages` says
        std::strong_ordering operator<=>(const CutKey&) const = default;
    };

    std::size_t content_of(const step::Stage& stage);
    std::size_t content_of(std::vector<std::int64_t> counts);
    PipelineCut make_cut(const PassTable& passes, const plan::Plan& plan);
    Seconds send(const step::Incoming& arriving, const plan::Plan& plan, std::size_t stage, bool near);

    PassTables& tables_;
    step::CostedGraph costed_;  ///< of this mesh; its passes may be those of another micro-batch
    plan::Atoms pipeline_ = 0;
    bool sparse_ = false;     ///< some states depend on the number of micro-batches
    std::vector<bool> near_;  ///< by stage: on the same node as the stage before it
    std::vector<std::vector<std::int64_t>> contents_;
    std::map<StateKey, StateEntry> states_;
    std::map<SendKey, Seconds> sends_;
    std::map<CutKey, PipelineCut> cuts_;
};

}  // namespace dodona::search
