// A plan's step, played task by task, beside its closed form.
#pragma once

#include <array>
#include <vector>

#include "play/step_tasks.hpp"
#include "simulate/critical_path.hpp"
#include "simulate/timeline.hpp"
#include "step/pipeline_costs.hpp"

namespace dodona::play {

/// What the compute stream of a stage does in a step.
struct StageUse {
    std::array<Seconds, kWorkTable.size()> time_of{};  ///< by work; transfers only where they occupy the stage
    Seconds idle;                                      ///< the rest of the step, without what is outside of it
    Seconds hidden_transfers;                          ///< on streams of their own
    [[nodiscard]] Seconds busy() const {
        Seconds sum;
        for (const Seconds time : time_of) {
            sum += time;
        }
        return sum;
    }
};

/// By stage.
std::vector<StageUse> uses(const StepTasks& steps, const simulate::Timeline& timeline);

/// A part of the step in closed form and as it was played.
struct StepPart {
    Seconds closed_form;
    Seconds played;
};

/// Where the two differ. Played parts are differences between runs without, and with, what the part adds.
struct StepParts {
    StepPart passes;     ///< passes and the pipeline's bubble
    StepPart transfers;  ///< what pipeline send/recv adds
    StepPart tail;       ///< what the exchange and update of weights adds
};

struct SimulatedStep {
    step::Prediction prediction;  ///< in closed form
    step::PipelineCosts costs;
    StepTasks steps;
    simulate::Timeline timeline;
    simulate::CriticalPath critical_path;
    std::vector<StageUse> stages;
    StepParts parts;

    /// The step as it was played, input and the framework's fixed time included.
    [[nodiscard]] Seconds time() const { return timeline.makespan + costs.outside; }
    /// Of the time that stages have for passes and updates, the share in which they are idle.
    [[nodiscard]] double idle_share() const;
    /// Ranks that each stage stands for.
    [[nodiscard]] std::int64_t ranks_per_stage() const { return prediction.plan.devices() / steps.stages; }
};

/// Throws InputError where the plan's pipeline cannot be cut or scheduled as planned; see step::cost_plan for the rest.
/// Not played: contention beyond that in the costs, overlap of states with single passes (their exposed time is at the
/// end), replicas other than the one that finishes last.
SimulatedStep simulate_step(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan);

}  // namespace dodona::play
