// Per-layer strategies: what no named strategy says, because every layer does what is best for the whole.
//
// On a mesh of two axes (with a pipeline a third) each layer lays its loops as it likes: frontier.hpp finds the choices
// whose costs sum to the shortest step within memory, and what is found is evaluated like any other plan. Named
// strategies are searched first and stay in the ranking, so the answer is never worse than the best of them.
#pragma once

#include "search/search.hpp"

namespace dodona::search {

/// The named strategies of `space`, and one made for this network. Progress counts those of the named first, then
/// settings.
Answer search_layers(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                     const Progress& progress = {});

}  // namespace dodona::search
