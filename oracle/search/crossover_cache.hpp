// Plans that searches of one question found, and which of them is the fastest under other conditions: by predictions
// alone, without a search.
//
// The first plan is the recommended one; the plans of its layout (same_layout) are ours. The recommendation changes
// where every plan of the layout that fits takes more than 1 + kEqualTime times the fastest plan's time, or none fits.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "plan/shard.hpp"
#include "search/adjustable_parameters.hpp"
#include "search/pass_costs_by_condition.hpp"
#include "search/search.hpp"
#include "step/evaluate.hpp"

namespace dodona::search {

/// Ratio of the factors that bracket a crossover at the end: as fine as times are told apart (kEqualTime).
inline constexpr double kFine = 1.005;

/// Whether two plans are one recommendation.
bool same_layout(const plan::Plan& a, const plan::Plan& b);

/// A plan, and its shards: the same under all conditions.
struct ShardedPlan {
    plan::Plan plan;
    plan::SharedShards sharded;

    ShardedPlan(const graph::Graph& graph, const plan::Plan& of);
};

/// Totals of a plan under other conditions; none where it cannot run (a batch that does not divide).
std::optional<step::Prediction> predicted(const ShardedPlan& known, const Conditions& conditions,
                                          PassCostsByCondition& shared);

/// Factors of a parameter on both sides of a crossover.
struct Bracket {
    double stays = 1;
    double changes = 1;
};

/// The middle of two factors, on a logarithmic scale.
double middle(const Bracket& bracket);
/// Whether a crossover is located to kFine.
bool is_fine(const Bracket& bracket);

/// The factors at which a crossover is looked for, between 1 and the end of the range; a batch stays a whole number of
/// samples.
std::vector<double> steps(const AdjustableParameter& parameter, double end, std::int64_t batch);

class CrossoverCache {
public:
    /// `plans`: at least one, the recommended plan first. What is referred to must outlive the object.
    CrossoverCache(const graph::Graph& graph, const std::vector<Software>& software, const Conditions& conditions,
                   const std::vector<step::Prediction>& plans, PassCostsByCondition& shared);

    /// `plan`: perhaps with its software as it was under other conditions.
    void know(plan::Plan plan);
    [[nodiscard]] bool is_ours(const plan::Plan& plan) const { return same_layout(plan, known_.front().plan()); }
    const Conditions& conditions_at(const AdjustableParameter& parameter, double factor);

    /// Whether the parameter only makes times longer and the recommended plan stays within equal time of what was
    /// fastest before: no plan can overtake it.
    bool cannot_cross(const AdjustableParameter& parameter, double factor);
    /// Whether another layout is recommended.
    bool changes(const AdjustableParameter& parameter, double factor);
    /// The first crossover on the `way` of factors to the end of a range, located to kFine.
    std::optional<Bracket> first_crossover(const AdjustableParameter& parameter, const std::vector<double>& way);
    /// A crossover between a factor at which the recommendation stays and one at which it changes, to kFine.
    Bracket located(const AdjustableParameter& parameter, Bracket within);
    /// The simplest of the plans of other layouts that are equally fast; none: nothing fits.
    std::optional<step::Prediction> best_at(const AdjustableParameter& parameter, double factor);

private:
    /// One parameter's factor.
    using Point = std::pair<std::string, double>;

    /// `now`: the time under the question's own conditions, where the plan fits.
    struct Known {
        ShardedPlan sharded;
        std::optional<Seconds> now;
        std::map<Point, std::optional<Seconds>> under;  ///< conditions that were asked about

        [[nodiscard]] const plan::Plan& plan() const { return sharded.plan; }
    };

    /// None where the plan does not fit.
    [[nodiscard]] std::optional<step::Prediction> fitting(const Conditions& conditions, const Known& known) const;
    std::optional<Seconds> time(const AdjustableParameter& parameter, double factor, Known& known);
    /// What the plan takes at this factor at least, by its times where the parameter is better.
    static Seconds least(const AdjustableParameter& parameter, double factor, const Known& known);
    /// Left out are plans that could not be faster even at the better of both ends, with the recommended plan at its
    /// slower end: times are monotone in every parameter.
    std::vector<Known*> contenders(const AdjustableParameter& parameter, double end);
    std::vector<Known*> all();
    bool changes(const AdjustableParameter& parameter, double factor, const std::vector<Known*>& plans);
    Bracket located(const AdjustableParameter& parameter, Bracket within, const std::vector<Known*>& plans);

    const graph::Graph& graph_;
    const std::vector<Software>& software_;  ///< under the question's own conditions
    const Conditions& conditions_;
    PassCostsByCondition& shared_;
    std::vector<Known> known_;                            ///< the recommended plan first
    std::optional<std::pair<Point, Conditions>> varied_;  ///< those asked for last
};

}  // namespace dodona::search
