// Time and memory of the plans on one mesh and micro-batch, composed from tables.
//
// The same sums as step::evaluate, of the same functions, without intervals and explanations and with stages that
// are alike counted once: well under a microsecond a plan. tests/worlds holds the two against each other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/layout_table.hpp"
#include "search/variant.hpp"
#include "step/input_time.hpp"
#include "step/offload.hpp"

namespace dodona::search {

class Composition {
public:
    /// `plan` has mesh and micro-batch; variants are applied to it. `passes` may be those of a smaller micro-batch if
    /// only a lower bound of the memory is asked for.
    Composition(LayoutTable& layout, const PassTable& passes, plan::Plan& plan, std::int64_t microbatches);

    /// All that follows is of this variant. Domain: step::pipeline_limit finds nothing in its way.
    void choose(const Variant& variant);

    struct Memory {
        Bytes device;  ///< of the fullest
        Bytes host;    ///< of the fullest node
    };
    [[nodiscard]] const Memory& memory();
    /// None if it takes longer than `limit` even with all transfers of states and between stages hidden.
    [[nodiscard]] std::optional<Seconds> step(Seconds limit);

private:
    /// One micro-batch through a stage.
    struct Pass {
        Seconds forward;   ///< kernels
        Seconds backward;  ///< kernels, repeated ones included
        Seconds total;
    };
    /// What is known of a run of stages before recomputation, sharding and overlap are.
    struct Run {
        LayoutTable::Arrivals arrivals;
        std::vector<std::int64_t> held;  ///< micro-batches in flight on its first stage, by chunk
        step::KeptActivations kept;      ///< as recomputation leaves them
    };
    /// What depends on segments and micro-batch alone.
    struct Content {
        Bytes workspace;
        Bytes message;
        std::array<std::optional<Pass>, 32> passes;  ///< by recomputation and overlap inside the pass
    };

    /// Of all stages: what fills the pipeline, and what decides its pace.
    struct Pace {
        Seconds sum;
        Seconds slowest;
    };

    void cut_stages();
    void keep_activations();
    [[nodiscard]] Content& content(std::size_t index);
    [[nodiscard]] const Pass& pass(std::size_t index);
    [[nodiscard]] Pass make_pass(std::size_t index) const;
    [[nodiscard]] Pace pace();
    [[nodiscard]] Memory make_memory();
    [[nodiscard]] step::StageOffload offloaded(std::size_t run, const StateEntry& states, const Pass& pass) const;

    LayoutTable& layout_;
    const PassTable& passes_;
    plan::Plan& plan_;
    std::int64_t microbatches_;
    std::int64_t stages_;
    step::InputTime input_;
    const Cut* cut_ = nullptr;
    std::vector<Run> runs_;
    std::vector<Content> contents_;
    std::vector<const StateEntry*> states_;  ///< by run, as sharded
    std::optional<Memory> memory_;
    std::optional<Variant> chosen_;
};

}  // namespace dodona::search
