// What one layer costs on its own with its loops laid one way: tables from which per-layer strategies are composed.
//
// Nothing is computed here: the layer is put into a graph of its own, behind what it reads, and that graph is sharded
// and costed as any other (plan/shard.hpp, step/segment_cost.hpp, step/state_sharding.hpp). Its conversions are
// left to where both ends are known.
#pragma once

#include <optional>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "search/frontier.hpp"
#include "search/layer_choices.hpp"
#include "step/segment_cost.hpp"

namespace dodona::search {

/// How one input is read.
struct Reading {
    plan::Sharding wanted;
    plan::Sharding gradient;  ///< as it arises, with the atoms over which it is a partial sum
    Bytes kept;               ///< of the input for backward, one instance and micro-batch; none: not kept
};

struct LayerCost {
    Costs costs;                          ///< of all its instances, in a step, of one stage where there are several
    Bytes peak;                           ///< its inputs and result while it runs
    plan::Sharding output;                ///< as it leaves its result
    Bytes output_kept;                    ///< of the result for its own backward; none: not kept
    std::vector<Reading> readings;        ///< by input
    std::vector<plan::Sharding> weights;  ///< by weight: how it lies
};

/// What a step makes of one pass of everything, in a pipeline of equal stages.
struct StepWeights {
    double passes = 1;       ///< passes of the whole network's share of a device that a step takes as long as
    double activations = 1;  ///< what is kept at the fullest moment, over what all layers keep for one micro-batch
    double states = 1;       ///< share of all weights that a stage has
};
StepWeights step_weights(const Setting& setting, std::int64_t devices);

class LayerCosts {
public:
    LayerCosts(const graph::Graph& graph, const cluster::Cluster& cluster, const Setting& setting);

    /// Nothing where a limit forbids it (a shard narrower than a window).
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
