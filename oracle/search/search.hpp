// Which plan is best: every configuration of the enumerated space is looked at.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "schedule/predict.hpp"
#include "search/answer.hpp"

namespace dodona::search {

struct Space {
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    Precision precision = Precision::bf16;
    std::vector<plan::Strategy> strategies;
    plan::OptimizerKind optimizer = plan::OptimizerKind::adam;
    plan::Overlap overlap{.gradients = true, .parameters = true};
    plan::Offload offload;
    std::optional<cluster::Algorithm> algorithm;
    plan::Framework framework;
    plan::MemoryProfile memory;
    bool accumulate = true;           ///< false: one micro-batch a data rank and step
    std::optional<Bytes> max_memory;  ///< per device; default: what the device offers
    std::size_t top = 5;
};

/// Called now and then with (configurations seen, configurations in all); returns false to stop early.
using Progress = std::function<bool(std::int64_t, std::int64_t)>;

Answer search(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
              const Progress& progress = {});

}  // namespace dodona::search
