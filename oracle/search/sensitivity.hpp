// Asks a question again with everything that it takes as given a little otherwise, and far otherwise.
//
//   elasticity = ( log t(above) - log t(below) ) / ( log above - log below ),   t = T / batch
//
// of the time of a sample of the plan as it is (the step's, but where the batch is the parameter), over one per cent
// either way, or one micro-batch of every data rank; one-sided at the end of a parameter's range. Of a framework's
// parameter it is the share that the plan's interval rests on (step/uncertainty.hpp), up to what curves within that
// per cent. Flips: rivals.hpp.
#pragma once

#include "graph/graph.hpp"
#include "search/adjustable_parameters.hpp"
#include "search/answer.hpp"
#include "search/crossover_search.hpp"
#include "search/search.hpp"

namespace dodona::search {

double elasticity(const graph::Graph& graph, const Conditions& conditions, const plan::Plan& plan,
                  const AdjustableParameter& parameter);

/// Of one plan on a machine: elasticities and what is left of its memory, without flips.
Explanation sensitivity(const graph::Graph& graph, const cluster::Cluster& cluster, const step::Prediction& prediction);

/// Of the first plan of the answer to an inquiry, with flips. The more plans the answer has, the fewer searches this
/// takes; kCompetitors are enough. `progress` hears of (directions looked at, all of them); where it says no, what is
/// finished counts: memory first, then the largest elasticities.
Explanation explain(const Inquiry& inquiry, const Answer& answer, const Progress& progress = {});

}  // namespace dodona::search
