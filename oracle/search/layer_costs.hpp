// The cost of one layer with one assignment of its loops to axes: what per-layer strategies are composed from.
//
// No formula of its own: the layer is put into a graph with stand-ins for what it reads, and that graph is sharded and
// costed like any other (plan/shard.hpp, step/segment_cost.hpp, step/state_sharding.hpp). Conversions between layers
// are costed where both ends are known (network_choices.hpp).
#pragma once

#include <optional>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "search/frontier.hpp"
#include "search/layer_choices.hpp"
#include "step/segment_cost.hpp"

namespace dodona::search {

/// How the layer reads one input.
struct Reading {
    plan::Sharding wanted;
    plan::Sharding gradient;  ///< before any reduction, with the atoms over which it is a partial sum
    Bytes kept;               ///< of the input for backward, per instance and micro-batch; zero: not kept
};

struct LayerCost {
    Costs costs;                          ///< of all instances in one step; of one stage in a pipeline
    Bytes peak;                           ///< transient: inputs and result while the layer runs
    plan::Sharding output;                ///< sharding of the result
    Bytes output_kept;                    ///< of the result, for the layer's own backward; zero: not kept
    std::vector<Reading> readings;        ///< by input
    std::vector<plan::Sharding> weights;  ///< sharding of each weight
};

/// Factors from the costs of one pass over all layers to a step, in a pipeline of equal stages.
struct StepWeights {
    double passes = 1;       ///< micro-batches, pipeline fill included, over the number of stages
    double activations = 1;  ///< activations kept at the peak, over those that all layers keep for one micro-batch
    double states = 1;       ///< share of all weights that one stage has
};
StepWeights step_weights(const Setting& setting, std::int64_t devices);

class LayerCosts {
public:
    LayerCosts(const graph::Graph& graph, const cluster::Cluster& cluster, const Setting& setting);

    /// None where a limit is broken (a shard narrower than a window).
    [[nodiscard]] std::optional<LayerCost> of(graph::Vertex v, const std::vector<plan::Lay>& lays) const;

private:
    /// The layer alone, behind stand-ins for what it reads.
    struct Alone {
        graph::Graph graph;
        graph::Vertex layer = 0;
        std::vector<graph::Vertex> inputs;  ///< by operand
    };
    [[nodiscard]] Alone alone(graph::Vertex v) const;
    [[nodiscard]] plan::Plan plan_for(const graph::Layer& layer, const std::vector<plan::Lay>& lays) const;
    [[nodiscard]] Costs step_costs(step::CostedGraph& costed, const plan::Plan& plan, double instances) const;
    void add_kept(const Alone& alone, step::CostedGraph& costed, const plan::Plan& plan, LayerCost& cost,
                  double instances) const;

    const graph::Graph& graph_;
    const cluster::Cluster& cluster_;
    const Setting& setting_;
    StepWeights weights_;
    double parameters_ = 0;
    std::int64_t buckets_ = 1;
};

}  // namespace dodona::search
