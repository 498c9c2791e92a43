// The choices of all layers of a network in one setting and the costs between layers: a problem for frontier.hpp.
//
// A variable is a layer. Copies of a repeated block are one variable, so all instances of the block choose alike. A
// tensor closes when its producer and all its readers have chosen: the conversions that run forward and backward
// (plan/sharding.hpp: convert) and the shardings in which it is kept for backward are then known. A tied weight has the
// same sharding in both of its layers.
//
// Not modelled in these sums: latency that bucketed reductions share, host-bound time, workspaces and buffers, inputs
// that go round a ring or are gathered again, partial sums that pass through linear layers. Assignments are therefore
// evaluated as whole plans (step/evaluate.hpp) before one is recommended.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/layer_costs.hpp"

namespace dodona::search {

/// One layer that chooses, with all its copies.
struct ChoosingLayer {
    std::string pattern;
    std::vector<graph::Vertex> copies;
    std::vector<std::vector<plan::Lay>> lays;  ///< by choice
};

class NetworkChoices {
public:
    NetworkChoices(const graph::Graph& graph, const cluster::Cluster& cluster, const Setting& setting);
    NetworkChoices(const NetworkChoices&) = delete;
    NetworkChoices& operator=(const NetworkChoices&) = delete;
    NetworkChoices(NetworkChoices&&) = delete;
    NetworkChoices& operator=(NetworkChoices&&) = delete;
    ~NetworkChoices() = default;

    [[nodiscard]] const Choices& choices() const { return choices_; }
    [[nodiscard]] const std::vector<ChoosingLayer>& layers() const { return layers_; }

private:
    static constexpr int kNoSharding = -1;
    /// How a tensor is used by its producer or by one of its readers. Shardings by number.
    struct TensorRole {
        bool producer = false;
        int sharding = 0;  ///< in which it is produced, or read
        int gradient =
            kNoSharding;  ///< of a reader: sharding of the gradient that it produces, where backward needs it
        std::int64_t instances = 1;  ///< of the layer
        Bytes kept;                  ///< for backward, one instance
        bool home = false;           ///< the reader is in the producer's segment
        bool checkpoint = false;     ///< input of a block that is recomputed and lies after the producer's segment
        bool repeats = false;        ///< converted again when its block is recomputed
        auto operator<=>(const TensorRole&) const = default;
    };

    void find_layers();
    void add_choices(std::size_t variable);
    [[nodiscard]] std::vector<TensorUse> uses_of(graph::Vertex v, const LayerCost& cost);
    /// Whether the layer is in a block that is recomputed.
    [[nodiscard]] bool runs_again(graph::Vertex v) const;
    [[nodiscard]] TensorRole reading(graph::Vertex v, graph::Vertex producer, const Reading& reading);
    [[nodiscard]] int number(int tensor, const TensorRole& role);
    [[nodiscard]] int number(const plan::Sharding& sharding);
    [[nodiscard]] Costs close(int tensor, const std::vector<int>& uses);
    [[nodiscard]] Costs close_activation(graph::Vertex v, const std::vector<TensorRole>& roles);
    /// Time to convert a tensor from one sharding to another once; memoised.
    [[nodiscard]] Seconds conversion(graph::Vertex tensor, int from, int to);
    [[nodiscard]] Bytes kept(graph::Vertex v, int left, const std::vector<TensorRole>& roles) const;

    const graph::Graph& graph_;
    const cluster::Cluster& cluster_;
    const Setting& setting_;
    LayerCosts costs_;
    StepWeights weights_;
    step::CostedGraph job_;  ///< mesh, cluster and software, for the times of collectives
    std::vector<ChoosingLayer> layers_;
    Choices choices_;
    std::map<std::string, int> tied_;  ///< owner of a shared weight -> its tensor, after those of the vertices
    std::vector<std::map<TensorRole, int>> numbers_;  ///< by tensor
    std::vector<std::vector<TensorRole>> roles_;      ///< by tensor
    std::map<plan::Sharding, int> sharding_numbers_;
    std::vector<plan::Sharding> shardings_;
    std::vector<std::map<std::pair<int, int>, Seconds>> conversions_;  ///< by tensor
};

}  // namespace dodona::search
