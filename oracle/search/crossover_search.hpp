// Plans that compete for a recommendation, and where a parameter's change makes another one win.
//
// The recommendation is a layout: strategy, mesh and folds of the first plan; how it is run (micro-batches, schedule,
// recomputation, sharding) may change with the parameter. It flips where every way to run it that fits takes more than
// 1 + kEqualTime times the fastest plan's time, or none fits:
//
//   crosses(f)  <=>  T_layout(f) > (1 + kEqualTime) min_plan T_plan(f)
//
// The first crossover on the way from 1 to the end of the range is looked for among the plans known, on a grid of factors
// and then by bisection to kFine, which takes predictions only; full searches on both sides of it say whether that
// holds among all plans. What they list competes from then on, and the crossover is looked for again; where that does not
// settle it soon, full searches halve the way. So every crossover is one that two searches found, kFine apart. Where known
// plans crossover nothing, full searches look at the end and, of parameters that the plan reacts to, half-way on the scale
// of logarithms.
//
// Where a parameter only makes things worse and the recommended layout stays within equal time of what was fastest
// before, nothing can overtake and nothing is searched. Plans are left out of the walk that could not win were the
// recommended one as slow and they as fast as at the better of both ends: times are monotone in every parameter.
//
// Memory, with which plans come and go, is searched in full at every point of the grid; the batch, with which whole
// micro-batches change, at every doubling.
//
// Not seen: that the recommendation changes and changes back between two points of the grid, or to a plan that no
// search lists.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/graph.hpp"
#include "search/adjustable_parameters.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// Plans of each search: the recommended layout is to be among them where it is any good.
inline constexpr std::size_t kCompetitors = 12;

/// Ratio of the factors between which a crossover is left: half a per cent, as close as times are told apart.
inline constexpr double kFine = 1.005;

/// Whether two plans are one recommendation.
bool same_layout(const plan::Plan& a, const plan::Plan& b);

/// A plan under other conditions, without details; none where they make it meaningless (a batch that does not divide).
std::optional<step::Prediction> predicted(const graph::Graph& graph, const Conditions& conditions, plan::Plan plan);

using Searcher = Answer (*)(const graph::Graph&, const cluster::Cluster&, const Space&, const Progress&);

/// A question that is asked again and again, and what answers it.
struct Inquiry {
    const graph::Graph& graph;
    const cluster::Cluster& cluster;
    const Space& space;
    Searcher searcher = search;
};

class CrossoverSearch {
public:
    /// `plans`: what the inquiry's search recommends under `conditions`, at least one plan. `go_on` is asked now and
    /// then and ends the work where it says no. All but `plans` and `go_on` outlive the object.
    CrossoverSearch(const Inquiry& inquiry, const Conditions& conditions, const std::vector<step::Prediction>& plans,
                    std::function<bool()> go_on);

    [[nodiscard]] std::int64_t searches() const { return searches_; }

    /// The first crossover on the way to the parameter's most (`up`) or least.
    Direction look(const AdjustableParameter& parameter, bool up);

    /// What a full search recommends; `looked` false where it was ended.
    struct Recommended {
        bool looked = false;
        bool flips = false;
        std::optional<step::Prediction> plan;
    };
    Recommended searched(const Conditions& conditions);

private:
    struct Bracket {
        double stays = 1;
        double flips = 1;
    };

    /// The fastest of the recommended layout and of all, of some plans.
    struct Standing {
        std::optional<Seconds> ours;
        std::optional<Seconds> fastest;
        void take(bool is_ours, Seconds time);
        [[nodiscard]] bool crosses() const;
    };

    /// `now`: under the question's own conditions, where it fits.
    struct Known {
        plan::Plan plan;
        std::optional<Seconds> now;
    };

    void know(const plan::Plan& plan);
    /// Full searches one after the other.
    Direction walk(const AdjustableParameter& parameter, const std::vector<double>& way);
    /// Full searches at some points of a way on which known plans crossover nothing.
    Direction probed(const AdjustableParameter& parameter, double end);
    /// Full searches half-way between where the recommendation stays and a crossover.
    Direction halved(const AdjustableParameter& parameter, double stays, Crossover crossover);
    [[nodiscard]] bool is_ours(const plan::Plan& plan) const { return same_layout(plan, known_.front().plan); }
    [[nodiscard]] std::optional<Seconds> time(const Conditions& conditions, const plan::Plan& plan) const;
    [[nodiscard]] Standing standing(const Conditions& conditions, const std::vector<const Known*>& plans) const;
    [[nodiscard]] std::vector<const Known*> contenders(const AdjustableParameter& parameter, double end) const;
    [[nodiscard]] bool cannot_cross(const AdjustableParameter& parameter, double factor) const;
    [[nodiscard]] std::optional<Bracket> bracket(const AdjustableParameter& parameter, double end) const;

    const Inquiry& inquiry_;
    const Conditions& conditions_;
    std::function<bool()> go_on_;
    std::vector<Known> known_;  ///< the recommended one first
    std::int64_t searches_ = 0;
};

}  // namespace dodona::search
