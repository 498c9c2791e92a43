// Searches the best plan: every configuration of the space is evaluated from tables (plan_evaluator.hpp), unless a
// lower bound shows that it cannot fit.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/enumeration.hpp"
#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "search/answer.hpp"
#include "search/constraint.hpp"
#include "search/known_shards.hpp"
#include "search/least_times.hpp"
#include "search/pass_costs_by_condition.hpp"
#include "step/predict.hpp"
#include "step/schedule_timings.hpp"

namespace dodona::search {

/// Share of device memory that plans leave free unless they are asked not to. Of 66 published peaks 56 were at most 5 %
/// above their prediction and 64 at most 8 %; one was 42 % above it (rows of lab/evidence/pages/accuracy.md).
inline constexpr double kUsualReserve = 0.05;

/// What varies besides meshes, micro-batches, recomputation, sharding and schedules.
struct Vary {
    bool placement = false;     ///< every order of the axes on the machine
    bool group = false;         ///< states sharded over groups of fewer ranks
    bool overlap = false;       ///< each overlap on and off
    bool offload = false;       ///< each kind of state offloaded and not
    bool schedule = false;      ///< schedules that few frameworks offer (schedule::Searched::on_request)
    bool asynchronous = false;  ///< with `schedule`: those that do not flush too, which train otherwise
    bool unusual = false;       ///< strategies and sizes of axes where they are not in use in practice (usual.hpp)
};

/// Software that runs plans.
struct Software {
    plan::Framework framework;
    plan::MemoryProfile memory;
    std::optional<std::vector<std::string>> strategies;  ///< that it runs, by name; none: all of the space
    std::vector<std::string> recompute_modules = {};     ///< that are tried (plan::modules_together)

    [[nodiscard]] bool runs(const plan::Strategy& strategy) const;
};

/// Cuts of pipelines. `fastest`: as step::cut_stages does, or otherwise where that is faster and the software
/// takes it; `software`: only as the software does by itself.
enum class Cut { fastest, balanced, software };
inline constexpr std::array kCutTable{
    Enumerator(Cut::fastest, "fastest", "wherever a step is fastest"),
    Enumerator(Cut::balanced, "balanced", "equal blocks, else as even as they can be"),
    Enumerator(Cut::software, "software", "as the software does by itself")};
constexpr const auto& enumerators(Cut /*type*/) { return kCutTable; }

struct Space {
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    Precision precision = Precision::bf16;
    std::optional<Precision> gradient_precision;  ///< as Plan::gradient_precision
    std::vector<plan::Strategy> strategies;
    plan::OptimizerKind optimizer = plan::OptimizerKind::adam;
    plan::Overlap overlap{.gradients = true, .parameters = true};
    plan::Offload offload;
    std::optional<cluster::Algorithm> algorithm;
    /// That runs the plans, at least one, each under a label of its own; each strategy is looked at in all that runs it.
    /// The first runs strategies that a search makes; its plan is recommended unless another's is faster by more than
    /// predictions of two pieces of software may be off.
    std::vector<Software> software{Software{}};
    bool accumulate = true;           ///< false: one micro-batch a data rank and step
    std::optional<Bytes> max_memory;  ///< per device; default: what the device offers
    bool only_usual = false;          ///< nothing unusual is looked at where nothing usual fits (unless it varies)
    double reserve = 0;               ///< share of that which plans leave free, since memory is predicted with errors
    Vary vary;
    Cut cut = Cut::fastest;
    std::vector<std::int64_t> stages;  ///< Plan::stages of all plans; empty: as `cut` says
    std::vector<Constraint> fixed;     ///< what plans must have
    std::vector<Constraint> excluded;  ///< what they must not have
    bool only_fitted = false;          ///< plans beyond what their software was fitted to are not looked at
    /// Only what may be the recommended plan is looked at and counted, if any plan fits; `top` is 1.
    bool best_only = false;
    bool exhaustive = false;  ///< every plan is evaluated with step::evaluate, without tables and bounds
    int workers = 0;          ///< threads; 0: one per core. Does not change the answer
    std::size_t top = 5;
};

/// Called with (meshes done, all meshes), by one thread at a time; returns false to stop the search.
using Progress = std::function<bool(std::int64_t, std::int64_t)>;

Answer search(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
              const Progress& progress = {});

/// Search with times that searches of one network share.
Answer search(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
              const SoftwarePasses& passes, const Progress& progress);

}  // namespace dodona::search
