// Where nothing fits: changes of the question under which something does. Each was searched.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/search.hpp"

namespace dodona::search {

/// A change of a question, as options that replace those given.
struct Variation {
    std::string change;  ///< "sequence 4,096"
    std::vector<std::pair<std::string, std::string>> options;
    std::vector<std::string> without;  ///< options that are dropped
    graph::Graph graph;
    cluster::Cluster cluster;
    Space space;
};
/// Makes a variation when its turn comes; none where there is none.
using MakeVariation = std::function<std::optional<Variation>()>;

/// Steps of one kind, the mildest first: the first under which something fits is a remedy.
using RelaxationSequence = std::vector<MakeVariation>;

/// The relaxation_sequences that need no other network and no other machine, the cheapest first: no reserve, no constraints of the
/// user, optimizer states of 8 bits, offload, a smaller batch, more devices of this machine.
std::vector<RelaxationSequence> usual_relaxation_sequences(const graph::Graph& graph, const cluster::Cluster& cluster,
                                                           const Space& space);

/// One remedy of each relaxations that has one, with the best plan.
std::vector<Remedy> remedies(const std::vector<RelaxationSequence>& relaxation_sequences,
                             const Progress& progress = {});

}  // namespace dodona::search
