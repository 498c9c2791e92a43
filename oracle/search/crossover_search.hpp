// Searches the value of a parameter at which another plan is recommended.
//
// The recommendation is a layout: strategy, mesh and folds of the first plan. Micro-batches, schedule, recomputation
// and sharding may change with the parameter. The recommendation changes where every plan of the layout that fits takes
// more than 1 + kEqualTime times the fastest plan's time, or none fits:
//
//   crosses(f)  <=>  T_layout(f) > (1 + kEqualTime) min_plan T_plan(f)
//
// The first crossover between factor 1 and the end of the range is located among the known plans, on a grid of factors
// and then by bisection to kFine; that takes predictions only. Full searches on both sides confirm it among all plans.
// The plans that they list become known, and the crossover is located again. After kRounds such rounds the range is
// bisected: among the known plans, compared as a search lists them, where full searches on both sides of what is found
// confirm it, else by full searches. So every crossover is confirmed by two searches, kFine apart. Where known plans
// have no crossover, full searches probe the end of the range and, for parameters that the plan reacts to, its middle
// on a logarithmic scale.
//
// Nothing is searched where no plan can overtake the recommended one (crossover_cache.hpp).
//
// A full search starts from the lower bounds of an earlier one at which the parameter was better (least_times.hpp).
//
// Memory decides which plans fit, so it is searched in full: just below what the recommended plan needs, above which
// nothing changes, and at every point of the grid beyond; the batch, which changes by whole micro-batches, at every
// doubling.
//
// Not modelled: a recommendation that changes and changes back between two points of the grid, or changes to a plan
// that no search lists or finds fastest.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "search/adjustable_parameters.hpp"
#include "search/crossover_cache.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// Plans of the answer that are known from the start: enough for most crossovers to be to one of them.
inline constexpr std::size_t kCompetitors = 12;

/// Plans that each further search lists, and by how much they may be slower than the fastest: enough for the
/// recommended layout to be among them where it still is one of the fastest. Fewer bound the search more tightly.
inline constexpr std::size_t kListedAgain = 4;
inline constexpr double kSlower = 0.05;

using Searcher = Answer (*)(const graph::Graph&, const cluster::Cluster&, const Space&, const Progress&);

/// A question that is searched under varied conditions.
struct Inquiry {
    const graph::Graph& graph;
    const cluster::Cluster& cluster;
    const Space& space;
    Searcher searcher = nullptr;  ///< null: search_again, within the bounds that earlier searches found
};

class CrossoverSearch {
public:
    /// `plans`: the answer of the inquiry under `conditions`; at least one plan. `go_on` returns false to stop. The
    /// inquiry, the conditions and what is shared must outlive the object.
    CrossoverSearch(const Inquiry& inquiry, const Conditions& conditions, const std::vector<step::Prediction>& plans,
                    const SharedTimes& shared, std::function<bool()> go_on);

    [[nodiscard]] std::int64_t searches() const { return searches_; }
    /// Factor to just less device memory than the recommended plan needs.
    [[nodiscard]] double too_little_memory() const { return kTooLittle * enough_memory_; }

    /// The first crossover towards the parameter's largest (`up`) or smallest factor.
    Direction look(const AdjustableParameter& parameter, bool up);

    /// What a full search recommends; `searched` is false where it was stopped.
    struct Recommended {
        bool searched = false;
        bool changes = false;  ///< the recommendation is another layout
        std::optional<step::Prediction> plan;
    };
    Recommended searched(const AdjustableParameter& parameter, double factor);

private:
    /// What a search found at one factor of a parameter.
    struct Bound {
        std::string parameter;
        double factor = 1;
        ListedPlans found;
    };

    /// Bounds of all plans under the question's own conditions; the fastest of them becomes known.
    void look_at_present();
    /// What is listed; null where the search was stopped.
    const ListedPlans* listed(const AdjustableParameter& parameter, double factor);
    ListedPlans search_within(const Conditions& conditions, const LeastTimes& bounds, std::optional<double> slower);
    /// Those of the nearest factor searched at which the parameter is no worse; else what does not fit, which depends on
    /// memory and batch only (and on times as far as pipelines are cut by them, as other bounds do).
    [[nodiscard]] const LeastTimes& bounds_at(const AdjustableParameter& parameter, double factor);
    [[nodiscard]] Space space_under(const Conditions& conditions) const;
    static constexpr double kTooLittle = 1 - 1e-6;

    /// Full searches at every factor of `way`.
    Direction search_each(const AdjustableParameter& parameter, std::vector<double> way);
    /// Full searches at kProbes, where known plans have no crossover.
    Direction probed(const AdjustableParameter& parameter, double end);
    /// Bisection among known plans, confirmed by full searches on both sides; none if they find plans that move it
    /// every time.
    std::optional<Direction> confirmed(const AdjustableParameter& parameter, Bracket within,
                                       const Crossover& crossover);
    /// Bisection between a factor at which the recommendation stays and a crossover: by full searches, unless those at
    /// its end confirm what known plans say.
    Direction bisected(const AdjustableParameter& parameter, double stays, Crossover crossover);

    const Inquiry& inquiry_;
    const Conditions& conditions_;
    SharedTimes shared_;
    std::function<bool()> go_on_;
    CrossoverCache known_;
    double enough_memory_ = 1;  ///< factor to the device memory that the recommended plan needs
    std::int64_t searches_ = 0;
    LeastTimes now_;             ///< under the question's own conditions
    LeastTimes fitting_;         ///< without_times of these
    std::vector<Bound> bounds_;  ///< of the parameter searched last
};

}  // namespace dodona::search
