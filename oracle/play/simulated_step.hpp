// A plan's step, played task by task, beside its closed form.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ranges.hpp"
#include "play/memory_over_time.hpp"
#include "play/played_allocator.hpp"
#include "play/step_tasks.hpp"
#include "schedule/schedule.hpp"
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
        return sum_of<Seconds>(time_of, [](const Seconds time) { return time; });
    }
};

/// By stage.
std::vector<StageUse> stage_uses(const StepTasks& steps, const simulate::Timeline& timeline);

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

/// The order to play instead of the plan's.
struct OtherOrder {
    std::string name;  ///< of the schedule or file, for reports
    std::function<schedule::Order(const schedule::Shape& shape)> order;
};
/// Why a schedule cannot be played with the costs of a plan that has another one; none if it can.
std::optional<std::string> why_not_played(const schedule::Schedule& schedule);

/// One of schedule::schedules(). Throws InputError if it cannot be played, `order` if there is none for the shape.
OtherOrder other_order(const schedule::Schedule& schedule);

/// What the flows of a step move over a link, in one direction.
struct LinkUse {
    std::string from;
    std::string to;
    Bytes moved;
    double utilisation = 0;  ///< of what is left of its bandwidth, in the whole time that is played
};

/// A job that was played on the same network as others.
struct JobTime {
    std::string name;  ///< empty: the job that was asked about
    std::int64_t ranks = 1;
    Seconds alone;     ///< a step with the network to itself
    Seconds together;  ///< a step beside the others: the mean of its steps while the longest job has one
};

/// How a step was played whose transfers were flows (flow_step.hpp).
struct NetworkFlows {
    std::int64_t ranks = 1;     ///< of all jobs
    std::vector<JobTime> jobs;  ///< where there are several, the one that was asked about first
    std::size_t flows = 0;
    std::vector<std::string> tabulated;                    ///< exchanges of states that are no flows
    std::vector<std::pair<std::string, double>> degraded;  ///< parts of the network and what is left of them
    std::vector<LinkUse> busiest;                          ///< links, the busiest first
};

struct SimulatedStep {
    step::Prediction prediction;  ///< in closed form
    step::PipelineCosts costs;
    StepTasks steps;
    simulate::Timeline timeline;
    simulate::CriticalPath critical_path;
    std::vector<StageUse> stages;
    std::vector<MemoryUse> memory;  ///< by stage
    StepParts parts;
    std::optional<std::string> other_order;  ///< name of what was played instead of the plan's schedule
    std::int64_t in_flight = 0;              ///< passes whose activations the fullest stage holds
    std::int64_t in_flight_of_plan = 0;  ///< ... in the order of the plan's schedule, of which the memory is predicted

    std::optional<PlayedAllocator> allocator;  ///< of the fullest stage, where it was asked for

    std::optional<NetworkFlows> network;  ///< none: transfers took the times of the tables

    /// What a step adds to those before it, where the schedule does not flush: less than what the first one takes, which is
    /// the timeline.
    std::optional<Seconds> steady;

    /// The timeline with what is outside of it: the first step.
    [[nodiscard]] Seconds first_time() const { return timeline.makespan + costs.outside; }
    /// The step as it was played, input and the framework's fixed time included.
    [[nodiscard]] Seconds time() const { return steady.value_or(timeline.makespan) + costs.outside; }
    /// Of the time that stages have for passes and updates, the share in which they are idle.
    [[nodiscard]] double idle_share() const;
    /// The stage that fills its device most.
    [[nodiscard]] std::size_t fullest_stage() const;
    /// Ranks that each stage stands for.
    [[nodiscard]] std::int64_t ranks_per_stage() const { return prediction.plan.devices() / steps.stages; }
};

/// Throws InputError where the plan's pipeline cannot be cut or scheduled as planned; see step::cost_plan for the rest.
/// Not played: contention beyond that in the costs, overlap of states with single passes (their exposed time is at the
/// end), replicas other than the one that finishes last.
SimulatedStep simulate_step(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                            const std::optional<OtherOrder>& other = std::nullopt);

}  // namespace dodona::play
