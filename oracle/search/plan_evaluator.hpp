// Time and memory of all plans on one mesh and micro-batch, composed from tables.
//
// The same sums of the same functions as in step::evaluate, without intervals and explanations, with equal stages
// counted once: well under a microsecond per plan. tests/worlds compares both.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "search/mesh_tables.hpp"
#include "search/variant.hpp"
#include "step/input_time.hpp"
#include "step/offload.hpp"
#include "step/replica.hpp"

namespace dodona::search {

class PlanEvaluator {
public:
    /// `plan` has mesh and micro-batch; variants are applied to it. With the `passes` of a smaller micro-batch memory()
    /// is a lower bound, and step() must not be called.
    PlanEvaluator(MeshTables& layout, const PassTable& passes, plan::Plan& plan, std::int64_t microbatches);

    /// Selects the variant that memory() and step() are about. Domain: step::pipeline_limit allows it.
    void choose(const Variant& variant);

    struct MemoryNeed {
        Bytes device;                 ///< of the fullest device, what it pages left out
        Bytes host;                   ///< of the fullest node
        std::vector<Seconds> paging;  ///< of each run, where the plan has pages
    };
    [[nodiscard]] const MemoryNeed& memory();
    /// A time, or if that exceeds a limit, a lower bound of it that does.
    struct Time {
        Seconds least;
        bool within = false;
    };
    /// Of a step; exceeds `limit` if it does even with all exchange of states and pipeline sends hidden.
    [[nodiscard]] Time step(Seconds limit);
    /// Lower bound of step() wherever the pipeline is cut: p stages, m micro-batches, W one of them on all stages.
    ///   T >= m W / p                       the slowest stage takes the mean or more
    ///   T >= m t(ceil(b / p) blocks)       of b equal blocks some stage has so many
    ///   T >= W / (1 - (1 - 1 / m)^p)       1F1B: a stage that begins after H takes m t of T - H, so that it leaves
    ///                                      T - H - t >= (1 - 1 / m) (T - H) to those after it
    [[nodiscard]] Seconds least_of_cuts();

private:
    /// Times of one micro-batch on a stage, or at one position of it.
    struct StageTimes {
        Seconds forward;             ///< kernels
        Seconds backward;            ///< kernels, recomputed ones included
        Seconds weights;             ///< of `backward`: gradients of weights
        step::PassTotals exchanged;  ///< all-to-alls
        step::PassTotals alone;      ///< kernels and collectives
        step::PassWaits waits;
    };
    /// A run of equal stages: what does not depend on sharding and overlap.
    struct RunValues {
        Bytes arriving;
        std::vector<schedule::Holding> held;  ///< what its stages may hold of micro-batches in flight
        std::int64_t weight_versions = 1;     ///< on its first stage
        step::KeptActivations kept;           ///< under the chosen recomputation
    };
    /// What depends only on the content of a stage and the micro-batch.
    struct ContentValues {
        Bytes workspace;
        Bytes message;
        Bytes waiting;
        std::array<std::optional<StageTimes>, 32> passes;  ///< by recomputation and overlap within the pass
    };

    void cut_stages();
    void keep_activations();
    [[nodiscard]] ContentValues& content(std::size_t index);
    [[nodiscard]] const StageTimes& pass(std::size_t index);
    [[nodiscard]] StageTimes make_pass(std::size_t index) const;
    [[nodiscard]] step::PassTotals whole_pass(std::size_t run);
    [[nodiscard]] std::vector<schedule::Holding> held_by(const StageRun& run) const;
    [[nodiscard]] Seconds hidden(const StageTimes& forward, const StageTimes& back) const;
    [[nodiscard]] std::vector<step::Position<Seconds>> positions();
    [[nodiscard]] Time passes_within(Seconds limit);
    [[nodiscard]] MemoryNeed make_memory();
    [[nodiscard]] step::StageOffload offloaded(std::size_t run, const StageTimes& pass) const;

    MeshTables& layout_;
    const PassTable& passes_;
    plan::Plan& plan_;
    std::int64_t microbatches_;
    std::int64_t stages_;
    schedule::Places places_;  ///< under the chosen schedule
    step::InputTime input_;
    const PipelineCut* cut_ = nullptr;
    std::vector<RunValues> runs_;
    std::vector<ContentValues> contents_;
    std::vector<const StateEntry*> states_;           ///< by run, under the chosen ZeRO level
    std::vector<MeshTables::PositionEntry> entries_;  ///< by position; empty until asked for
    std::map<std::tuple<plan::RecomputeKind, bool, bool, bool>, Seconds> totals_;  ///< by recomputation and overlap
    step::ScheduleTimings& orders_;
    std::optional<MemoryNeed> memory_;
    std::optional<Seconds> least_of_cuts_;
    std::optional<Variant> chosen_;
};

}  // namespace dodona::search
