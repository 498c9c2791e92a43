// Plans that searches of one question found, and which of them is the fastest under other conditions: by predictions
// alone, without a search.
//
// The first plan is the recommended one; the plans of its layout (same_layout) are ours. The recommendation changes
// where every plan of the layout that fits takes more than 1 + kEqualTime times the fastest plan's time, or none fits.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "plan/shard.hpp"
#include "search/adjustable_parameters.hpp"
#include "search/least_times.hpp"
#include "search/pass_costs_by_condition.hpp"
#include "search/simplicity.hpp"
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

/// What predictions of plans under varied conditions share.
struct SharedTimes {
    PassCostsByCondition& passes;
    step::ScheduleTimings& orders;
};

/// Totals of a plan under other conditions; none where it cannot run (a batch that does not divide).
std::optional<step::Prediction> predicted(const ShardedPlan& known, const Conditions& conditions,
                                          const SharedTimes& shared);

/// The fastest time of the recommended layout and of all plans.
struct BestTimes {
    std::optional<Seconds> ours;
    std::optional<Seconds> fastest;

    void take(bool is_ours, Seconds time);
    /// Whether another layout is recommended.
    [[nodiscard]] bool crosses() const;
};

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
                   const std::vector<step::Prediction>& plans, const SharedTimes& shared);

    /// `plan`: perhaps with its software as it was under other conditions.
    void know(plan::Plan plan);
    [[nodiscard]] bool is_ours(const plan::Plan& plan) const { return same_layout(plan, known_.front().plan()); }
    const Conditions& conditions_at(const AdjustableParameter& parameter, double factor);

    /// Adds the known plans of the recommended layout to a best_times, until it stays.
    void take_ours(const AdjustableParameter& parameter, double factor, BestTimes& best_times);
    /// Whether the recommended plan takes another time at this factor.
    bool reacts(const AdjustableParameter& parameter, double factor);
    /// Whether the parameter only makes times longer and the recommended plan stays within equal time of what was
    /// fastest before: no plan can overtake it.
    bool cannot_cross(const AdjustableParameter& parameter, double factor);
    /// The first crossover on the way to `end`, located to kFine.
    std::optional<Bracket> first_crossover(const AdjustableParameter& parameter, double end);
    /// Where bisection ends that compares the plans as a search would list them: one of each layout, the simplest of
    /// those equally fast (ranking.hpp).
    Bracket bisected(const AdjustableParameter& parameter, Bracket within);

private:
    /// One parameter's factor.
    using Point = std::pair<std::string, double>;

    /// What a plan takes, and what decides between equally fast ones.
    struct Taken {
        Seconds time;
        Simplicity simplicity;
    };

    /// `now`: the time under the question's own conditions, where the plan fits.
    struct Known {
        ShardedPlan sharded;
        std::optional<Seconds> now;
        double slack = 1;                             ///< of bounds by its times elsewhere (least_times.hpp); 1: none
        std::map<Point, std::optional<Taken>> under;  ///< conditions that were asked about

        [[nodiscard]] const plan::Plan& plan() const { return sharded.plan; }
    };

    /// A plan that may be the fastest under some conditions, and times of it under better and worse ones.
    struct Contender {
        Known* known = nullptr;
        std::vector<std::pair<double, Seconds>> times;  ///< by factor
    };

    using KnownTimes = std::vector<std::pair<const Known*, Taken>>;

    [[nodiscard]] std::optional<Taken> taken(const Conditions& conditions, const Known& known) const;
    const std::optional<Taken>& taken(const AdjustableParameter& parameter, double factor, Known& known);
    std::optional<Seconds> time(const AdjustableParameter& parameter, double factor, Known& known);
    /// Left out are plans that could not be faster by `lead` even at the better of both ends, with the recommended plan
    /// at its slower end: times are monotone in every parameter.
    std::vector<Contender> contenders(const AdjustableParameter& parameter, double end, double lead);
    /// Plans that fit; those that their times at other factors rule out are not predicted.
    KnownTimes times_at(const AdjustableParameter& parameter, double factor, std::vector<Contender>& contenders);
    /// As times_at would say; only as many plans are predicted as that takes.
    bool changes(const AdjustableParameter& parameter, double factor, std::vector<Contender>& contenders);
    /// What the plan takes at this factor at least, by its times where the parameter is better.
    static Seconds least(const AdjustableParameter& parameter, double factor, const Contender& contender);
    [[nodiscard]] bool changes_listed(const KnownTimes& times) const;

    const graph::Graph& graph_;
    const std::vector<Software>& software_;  ///< under the question's own conditions
    const Conditions& conditions_;
    SharedTimes shared_;
    std::vector<Known> known_;                            ///< the recommended plan first
    std::optional<std::pair<Point, Conditions>> varied_;  ///< those asked for last
};

}  // namespace dodona::search
