// Searches the value of a parameter at which another plan is recommended.
//
// The recommendation is a layout: strategy, mesh and folds of the first plan. Micro-batches, schedule, recomputation
// and sharding may change with the parameter. The recommendation changes where every plan of the layout that fits takes
// more than 1 + kEqualTime times the fastest plan's time, or none fits:
//
//   crosses(f)  <=>  T_layout(f) > (1 + kEqualTime) min_plan T_plan(f)
//
// The first crossover between factor 1 and the end of the range is located among known plans, by predictions alone: those
// of the answer, and those that searches at the ends of the ranges of the machine's rates found: the fastest plan of all
// and, where that wins, the fastest one of the layout. Nothing is searched where no plan can overtake the recommended one
// (crossover_cache.hpp).
//
// Memory decides which plans fit, and the batch which micro-batches divide it, so these are searched on a grid,
// memory just below what the recommended plan needs first. A crossover of memory is confirmed by a search.
//
// Not modelled: a recommendation that changes and changes back, or changes to a plan that is neither in the answer nor
// the fastest where a search looked.
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

/// Plans of the answer that are known from the start: most crossovers are to one of them.
inline constexpr std::size_t kCompetitors = 24;

using Searcher = Answer (*)(const graph::Graph&, const cluster::Cluster&, const Space&, const Progress&);

/// A question that is searched under varied conditions.
struct Inquiry {
    const graph::Graph& graph;
    const cluster::Cluster& cluster;
    const Space& space;
    Searcher searcher = nullptr;  ///< null: search, with the times that searches of one network share
};

/// Whether plans are searched under other values: of memory, the batch and the machine's rates. Latencies and what
/// software takes change what these change, so that the plans found for them are the ones to compare.
bool is_searched(const AdjustableParameter& parameter);

class CrossoverSearch {
public:
    /// `plans`: the answer of the inquiry under `conditions`; at least one plan. `go_on` returns false to stop. The
    /// inquiry, the conditions and what is shared must outlive the object.
    CrossoverSearch(const Inquiry& inquiry, const Conditions& conditions, const std::vector<step::Prediction>& plans,
                    PassCostsByCondition& shared, std::function<bool()> go_on);

    [[nodiscard]] std::int64_t searches() const { return searches_; }
    /// Factor to just less device memory than the recommended plan needs.
    [[nodiscard]] double too_little_memory() const { return (1 - 1e-6) * enough_memory_; }

    /// The first crossover towards the parameter's largest (`up`) or smallest factor.
    Direction look(const AdjustableParameter& parameter, bool up);

    /// What a search recommends; its plans become known.
    struct Recommended {
        bool searched = false;  ///< false: it was stopped
        std::optional<step::Prediction> plan;
    };
    Recommended searched(const AdjustableParameter& parameter, double factor);

private:
    [[nodiscard]] std::optional<step::Prediction> best(const Conditions& conditions, bool of_layout);
    /// By a search at every factor of `way`.
    Direction search_each(const AdjustableParameter& parameter, const std::vector<double>& way);
    /// The crossover of memory within a bracket, confirmed by searches.
    Direction confirmed(const AdjustableParameter& parameter, Bracket within);

    const Inquiry& inquiry_;
    const Conditions& conditions_;
    PassCostsByCondition& shared_;
    std::function<bool()> go_on_;
    CrossoverCache known_;
    std::string strategy_;           ///< of the recommended layout
    std::vector<Constraint> sizes_;  ///< likewise
    double enough_memory_ = 1;       ///< factor to the device memory that the recommended plan needs
    std::int64_t searches_ = 0;
};

}  // namespace dodona::search
