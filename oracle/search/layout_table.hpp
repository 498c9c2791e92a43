// What the states of a network cost on one mesh, and transfers between its stages: tables for all plans on that mesh.
//
// Stages are told apart by what they hold (instances of each segment), not by where they stand; a pipeline of 64 stages
// has three kinds of them, and their states do not depend on the micro-batch.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "search/pass_table.hpp"
#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::search {

struct Cut {
    std::vector<StageRun> runs;
    std::size_t stages = 1;
    std::vector<step::StateLanes> tied;  ///< by run: all-reduces of tied weights, on its slowest stage
};

/// States of one content under one sharding.
struct StateEntry {
    step::StateSums sums;
    step::StateLanes lanes;
    Seconds update;
    std::size_t communicators = 0;  ///< those of its layers and neighbours included
    Bytes reduction;                ///< buckets of its reductions
};

class LayoutTable {
public:
    /// `plan`: has mesh, folds and sharding group; the rest is asked for.
    LayoutTable(PassTables& tables, const PassTable& passes, const plan::Plan& plan, const Meshes& meshes);

    [[nodiscard]] const step::CostedGraph& costed() const { return costed_; }
    /// Some gradients may stay rows that a step touches: states then depend on the micro-batch, and so does the table.
    [[nodiscard]] bool sparse() const { return sparse_; }
    [[nodiscard]] const std::vector<std::int64_t>& counts(std::size_t content) const { return contents_[content]; }

    /// Empty runs: the network has too few pieces. With blocks that are alike the same for all micro-batches.
    const Cut& cut(const PassTable& passes, const plan::Plan& plan, std::int64_t stages);

    const StateEntry& states(const StageRun& run, const plan::Plan& plan, std::size_t stages,
                             std::int64_t microbatches);

    /// Transfers into the stages of a run: their sum, and the longest. Stage 0 counts among the longest only.
    struct Arrivals {
        Seconds sum;
        Seconds longest;
        Bytes whole;  ///< as the receiving rank keeps them
    };
    Arrivals arrivals(const PassTable& passes, const StageRun& run, const plan::Plan& plan);

private:
    struct StateKey {
        std::size_t content = 0;
        plan::ShardLevel shard = plan::ShardLevel::none;
        bool pipelined = false;
        auto operator<=>(const StateKey&) const = default;
    };
    struct SendKey {
        Bytes sent;
        Bytes gathered;
        bool near = false;
        auto operator<=>(const SendKey&) const = default;
    };
    struct CutKey {
        std::int64_t chunks = 1;
        const PassTable* passes = nullptr;  ///< none: an even deal
        auto operator<=>(const CutKey&) const = default;
    };

    std::size_t content_of(const step::Stage& stage);
    Cut make_cut(const PassTable& passes, const plan::Plan& plan, std::int64_t stages);
    Seconds send(const step::Incoming& arriving, const plan::Plan& plan, std::size_t stage, bool near);

    PassTables& tables_;
    step::CostedGraph costed_;  ///< of this mesh; what it says of passes is of any micro-batch
    plan::Atoms pipeline_ = 0;
    bool sparse_ = false;     ///< some states depend on the number of micro-batches
    std::vector<bool> near_;  ///< by stage: next to the one before it
    std::vector<std::vector<std::int64_t>> contents_;
    std::map<StateKey, StateEntry> states_;
    std::map<SendKey, Seconds> sends_;
    std::map<CutKey, Cut> cuts_;
};

}  // namespace dodona::search
