// Times of the kernels of a network's layers, remembered by the extents of their shards.
//
// What a layer computes depends on the local extents of its loops and on nothing else of a mesh, so meshes,
// micro-batches and numbers of devices share its times. In how many ways the batch is split matters only to layers that
// compare samples of all ranks; layers with equal nests share them too. What depends on the network alone is kept beside
// them.
// Domain: one network on one device, in one precision and framework.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "graph/graph.hpp"
#include "step/kernel_cost.hpp"
#include "step/segment_cost.hpp"

namespace dodona::step {

/// Kernels of one instance of a layer, without its collectives and without the passes that dequantise weights.
struct LayerCost {
    PassCost forward;
    PassCost backward;
    PassCost selective;  ///< repeated by selective recomputation or recomputation of named layers
    EvidenceRange evidence;
};

/// Whether a layer gathers the samples of all ranks, so that its work depends on in how many ways the batch is split.
bool compares_samples(const graph::Nest& nest);

/// May be asked by several threads.
class LayerTimes {
public:
    /// Of the plan its precisions and framework are used. Network and device must outlive the object.
    LayerTimes(const graph::Graph& graph, const cluster::Device& device, const plan::Plan& plan);

    /// What the times of a layer depend on beside the extents.
    struct Pass {
        bool adds_gradients = false;  ///< a step has several micro-batches
        bool repeated = false;        ///< recomputed by name
    };
    const LayerCost& of(graph::Vertex v, const graph::LocalExtents& local, Pass pass);

    [[nodiscard]] const graph::Counts& counts() const { return counts_; }
    /// Arithmetic of one sample's matrix products, forward and backward, unsplit.
    [[nodiscard]] Flop whole_executed() const { return whole_executed_; }
    [[nodiscard]] bool is_of_tokens() const { return is_of_tokens_; }

private:
    struct Key {
        graph::LocalExtents local;
        Pass pass;
        std::size_t first_ways = 0;  ///< the loop from which on it matters how many ways loops are split
    };
    /// A key that is looked for.
    struct KeyView {
        const graph::LocalExtents& local;
        Pass pass;
        std::size_t first_ways;
        explicit KeyView(const Key& key) : KeyView(key.local, key.pass, key.first_ways) {}
        KeyView(const graph::LocalExtents& of, Pass in, std::size_t first)
            : local(of), pass(in), first_ways(std::min(first, of.ways.size())) {}
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(const KeyView& key) const;
        std::size_t operator()(const Key& key) const { return (*this)(KeyView(key)); }
    };
    struct Equal {
        using is_transparent = void;
        static bool same(const KeyView& a, const KeyView& b);
        bool operator()(const Key& a, const Key& b) const { return same(KeyView(a), KeyView(b)); }
        bool operator()(const KeyView& a, const Key& b) const { return same(a, KeyView(b)); }
        bool operator()(const Key& a, const KeyView& b) const { return same(KeyView(a), b); }
    };
    /// Of layers with equal nests whose passes are the same.
    struct Known {
        std::size_t first_ways = 0;
        std::mutex mutex;
        std::unordered_map<Key, LayerCost, Hash, Equal> costs;
    };

    [[nodiscard]] LayerCost cost(graph::Vertex v, const graph::LocalExtents& local, Pass pass) const;

    const graph::Graph& graph_;
    const cluster::Device& device_;
    plan::Plan plan_;  ///< only what kernels depend on
    graph::Counts counts_;
    Flop whole_executed_;
    bool is_of_tokens_ = false;
    std::vector<std::size_t> known_of_;  ///< by vertex
    std::vector<Known> known_;
};

}  // namespace dodona::step
