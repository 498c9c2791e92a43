// The answer to "what parallelism fits N devices": ranked plans, and why the others are not among them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/explanation.hpp"
#include "step/prediction.hpp"

namespace dodona::search {

/// Plans closer than this are equal to every model that we know of; the simpler then comes first.
inline constexpr double kEqualTime = 0.005;

/// Of configurations that lack memory, the one that needs least of it on a device.
struct NearestPlan {
    plan::Plan plan;
    Bytes needed;
    Bytes available;
};
/// "the leanest needs 96.0 of 79.1 GiB per device (megatron tensor=8 data=4, micro-batch 1, recompute full)".
std::string text(const NearestPlan& nearest);

/// Configurations of one strategy that cannot run, counted by their first cause.
struct Infeasible {
    std::string strategy;
    step::InfeasibleCause cause;
    std::int64_t count = 0;
    std::optional<NearestPlan> nearest;  ///< where memory is the cause and the nearest is known
};

/// "megatron tensor=8 data=4 pipeline=2".
std::string mesh_text(const plan::Plan& plan);

struct SearchCounts {
    std::int64_t configurations = 0;  ///< all, infeasible ones included
    std::int64_t evaluated = 0;       ///< time and memory computed
    std::int64_t pruned = 0;          ///< dismissed by a bound without evaluation
    double seconds = 0;
    bool optimal = true;  ///< over the enumerated space
};

/// What a search for the best choice of every layer looked at (layer_search.hpp).
struct LayerCounts {
    std::int64_t settings = 0;  ///< meshes x micro-batches x sharding x recomputation
    std::int64_t states = 0;    ///< of frontiers
    std::int64_t cut = 0;       ///< settings in which a frontier was cut: better choices may exist there
};

/// The name of strategies that a search makes for one network.
inline constexpr std::string_view kByLayers = "auto";

/// What was asked, for the reports.
struct Question {
    std::string model;
    std::string machine;
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    Precision precision = Precision::bf16;
    std::vector<std::string> strategies;
    std::string model_source;
    std::string machine_source;
    double parameters = 0;
    std::vector<std::pair<std::string, std::string>> settings;  ///< --set, --seq, ... as given
};

struct Answer {
    Question question;
    std::vector<step::Prediction> plans;  ///< fastest first, all fit
    std::vector<Infeasible> infeasible;   ///< most frequent first
    /// When nothing fits: the configuration that comes nearest, predicted all the same.
    std::vector<step::Prediction> nearest;
    SearchCounts counts;
    std::optional<LayerCounts> layers;       ///< where each layer could choose
    std::optional<Explanation> explanation;  ///< where it was asked for
};

/// How sure it is that `first` is the faster of two plans for one job: the errors that both share drop out
/// (step/uncertainty.hpp). 0.5: not at all.
double sure(const step::Prediction& first, const step::Prediction& other);

/// Whether the difference of two plans is within what predictions may miss, at the level of their intervals.
bool tied(const step::Prediction& first, const step::Prediction& other);

/// Places in a ranking (the first is 1) of plans that cannot be told apart: each group starts with the first plan that
/// is in no earlier one, and has all later plans that are tied with it. Groups of one are left out.
std::vector<std::vector<std::size_t>> ties(const std::vector<step::Prediction>& plans);

}  // namespace dodona::search
