// Per-layer strategies: the sharding of every layer is chosen for the whole network, beyond the named strategies.
//
// The mesh has two axes, and a third with a pipeline. Each layer may lay its loops on them in any way; frontier.hpp
// finds the choices whose costs add up to the shortest step within memory. The plans found are then evaluated like any
// other. Named strategies are searched first and stay in the ranking, so the answer is never worse than the best of
// them.
#pragma once

#include "search/search.hpp"

namespace dodona::search {

/// Searches the named strategies of `space`, then makes one for this network. Progress counts the meshes of the named
/// strategies first, then settings.
Answer search_layers(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                     const Progress& progress = {});

}  // namespace dodona::search
