// Bottlenecks with the figure that triggers each: Kahira et al., HPDC'21 (arXiv:2104.09075), Table 6, as categories.
#pragma once

#include <vector>

#include "schedule/prediction.hpp"

namespace dodona::schedule {

/// What is held and done by one rank of every stage together, against the whole network.
struct Redundancy {
    double local_elements = 0;
    double whole_elements = 0;
    Flop executed;        ///< one micro-batch pass, one rank of every stage
    Flop whole_executed;  ///< the samples of that pass over all data ranks, unsplit
};

/// Strongest first.
std::vector<Bottleneck> find_bottlenecks(const Prediction& prediction, const Redundancy& redundancy);

}  // namespace dodona::schedule
