// Sensitivity of an answer to every given of its question.
//
//   elasticity = ( log t(above) - log t(below) ) / ( log above - log below ),   t = T / batch
//
// with T the step time of the recommended plan. The parameter varies by one per cent in both directions, the batch by
// one micro-batch of every data rank; one-sided at the end of a parameter's range. For a parameter of the framework
// this is the derivative in the plan's interval (step/uncertainty.hpp), up to the curvature within that per cent.
// Crossovers: crossover_search.hpp.
#pragma once

#include "graph/graph.hpp"
#include "search/adjustable_parameters.hpp"
#include "search/answer.hpp"
#include "search/crossover_search.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// Elasticities and memory headroom of one plan, without crossovers.
Explanation sensitivity(const graph::Graph& graph, const cluster::Cluster& cluster, const step::Prediction& prediction);

/// Elasticities, memory headroom and crossovers of the first plan of an answer. More plans in the answer mean fewer
/// searches; kCompetitors are enough. `progress`: directions done, all directions; when it stops the work, the
/// explanation holds what is finished. Memory comes first, then the largest elasticities.
Explanation explain(const Inquiry& inquiry, const Answer& answer, const Progress& progress = {});

}  // namespace dodona::search
