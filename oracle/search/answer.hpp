// The answer of a search: ranked plans, and why other configurations cannot run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/explanation.hpp"
#include "step/prediction.hpp"

namespace dodona::search {

/// Plans whose times differ by less count as equally fast, and the simplest of them is recommended. The error of such a
/// difference has a standard deviation of 2.5 to 14 %, the spread of the frameworks (step/uncertainty.hpp): at 2 % the
/// faster of two plans is the slower one in one case of five at least.
inline constexpr double kEqualTime = 0.02;

/// How much longer than a faster plan one may take that stands before it as it is in the default software, or within what
/// its software was fitted to: one standard deviation of what is not known then (docs/decisions/024). No more where less is
/// known: that does not speak for a plan.
inline constexpr double kUncertainTime = 0.25;

/// Of configurations that are out of memory, the one that needs least.
struct NearestPlan {
    plan::Plan plan;
    Bytes needed;
    Bytes available;
};
/// "at least 96.0 GiB of 79.1 GiB per device (megatron tensor=8 data=4, micro-batch 1, recompute full)".
std::string text(const NearestPlan& nearest);

/// Configurations of one strategy that cannot run, counted by their first cause.
struct Infeasible {
    std::string strategy;
    step::InfeasibleCause cause;
    std::int64_t count = 0;
    std::optional<NearestPlan> nearest;  ///< where memory is the cause and this plan is known
};

/// "megatron tensor=8 data=4 pipeline=2".
std::string mesh_text(const plan::Plan& plan);

struct SearchCounts {
    std::int64_t configurations = 0;  ///< all, infeasible ones included
    std::int64_t evaluated = 0;       ///< time and memory computed
    std::int64_t pruned = 0;          ///< ruled out by a bound, without evaluation
    double seconds = 0;
    bool optimal = true;       ///< the whole space was searched
    std::int64_t unusual = 0;  ///< meshes and strategies left out because they are not in use in practice
    std::int64_t equally_fast =
        0;  ///< meshes with plans within kEqualTime of the fastest, that of the first plan included
};

/// What a search for per-layer strategies visited (layer_search.hpp).
struct LayerCounts {
    std::int64_t settings = 0;  ///< meshes x micro-batches x sharding x recomputation
    std::int64_t states = 0;    ///< of all frontiers
    std::int64_t cut = 0;       ///< settings whose frontier was cut by limits: better choices may exist there
};

/// The name of a strategy that a search makes for one network.
inline constexpr std::string_view kByLayers = "auto";

/// The question, for the reports.
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

/// Another batch, with its best plan.
struct OtherBatch {
    std::int64_t batch = 1;
    double gain = 0;  ///< samples a second, over those of the batch asked about; 0: nothing fits under that one
    step::Prediction plan;
};

/// A change of a question under which something fits, with the best plan.
struct Remedy {
    std::string change;
    std::vector<std::pair<std::string, std::string>> options;  ///< that replace those given; MODEL is the model
    std::vector<std::string> without;                          ///< options that are dropped
    step::Prediction plan;
};

struct Answer {
    Question question;
    std::vector<step::Prediction> plans;  ///< the recommended one first, then by time; all fit
    std::vector<Seconds> played;          ///< steps of the first plans as they were played, where that ranks them
    std::vector<Infeasible> infeasible;   ///< most frequent first
    /// Where nothing fits: the configuration that needs least memory, predicted as if it fitted.
    std::vector<step::Prediction> nearest;
    SearchCounts counts;
    /// Why the first plan is not usual; empty if it is, or if unusual plans were asked for.
    std::vector<std::string> unusual;
    /// Of each software of the space but that of the first plan, its first plan, the fastest first; not if Space::best_only.
    /// list_other_software, where plans are ranked again.
    std::vector<step::Prediction> in_other_software;
    double reserve = 0;                      ///< Space::reserve
    std::int64_t domain = 1;                 ///< Cluster::fast_domain
    std::vector<OtherBatch> other_batches;   ///< that divide better among the devices; the best first
    std::vector<Remedy> remedies;            ///< where nothing fits; the cheapest first
    std::optional<LayerCounts> layers;       ///< where per-layer strategies were searched
    std::optional<Explanation> explanation;  ///< where it was asked for
};

/// Whether a plan that fits leaves such a share of what its fullest device offers.
bool leaves(const step::Prediction& prediction, double reserve);

/// The prediction, which does not fit if it leaves less than such a share.
step::Prediction held_to(double reserve, step::Prediction prediction);

/// Whether one software runs both plans.
bool same_software(const plan::Plan& a, const plan::Plan& b);

/// Answer::in_other_software by the plans as they are ranked now, with what is known of software without a listed plan.
void list_other_software(Answer& answer);

/// Probability that `first` is the faster of two plans for one job. Errors that both share cancel; two pieces of software
/// share less (step/uncertainty.hpp).
double probability_first_is_faster(const step::Prediction& first, const step::Prediction& other);

/// Whether the difference of two plans is within the error of their predictions, at the level of their intervals.
bool tied(const step::Prediction& first, const step::Prediction& other);

/// Whether a plan that is preferred for what is known of its software stands before one that is faster by its prediction.
bool stands_before(const step::Prediction& preferred, const step::Prediction& faster);

/// Groups of tied plans, as ranks from 1. Each group starts with the first plan that is in no earlier group and has all
/// later plans tied with it. Groups of one are left out.
std::vector<std::vector<std::size_t>> ties(const std::vector<step::Prediction>& plans);

}  // namespace dodona::search
