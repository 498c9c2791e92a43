// The kernels that a network runs on one device under a plan, as cases.
//
// Extents are those of the plan's largest shards; a convolution reads the image of its producer. Kernels without a
// benchmark of their own (sums, reshapes) are streams, which the general list measures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/precision.hpp"
#include "calibrate/record/benchmark_case.hpp"
#include "graph/graph.hpp"
#include "plan/shard.hpp"

namespace dodona::calibrate {

struct ModelCases {
    std::vector<Case> cases;                  ///< each once
    std::map<std::string, int> without_case;  ///< kind of operator -> layers whose products no benchmark runs
};

/// A matrix product, or a step of recurrent cells.
Case product_case(const graph::Kernel& kernel, graph::Direction direction, Precision precision);

ModelCases model_cases(const graph::Graph& graph, const plan::ShardedGraph& sharded, Precision precision);

}  // namespace dodona::calibrate
