// Which of equally fast plans is recommended: the simplest and safest.
//
// Compared in this order, the smaller of each first:
//   1 decisions that are not in use in practice; beyond what the software was fitted to; a strategy without a name
//   2 domains that a group of experts spans          6 ZeRO level
//   3 axes in use, folds included                    7 schedule: 1f1b, virtual stages, gradients of weights put off
//   4 more than 90 % of what plans may need          8 recomputation: none, selective, full
//   5 kinds of state in host memory                  9 axes and rules that the strategy has
// 2: NVIDIA/Megatron-LM, megatron/core/transformer/moe/README.md: experts and tensors exchange within the NVLink domain,
// and larger networks are cut into stages first. The order is the same whether plans come from tables or from an
// exhaustive walk.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "search/mesh_layouts.hpp"
#include "search/variant.hpp"
#include "step/prediction.hpp"

namespace dodona::search {

/// What a variant adds. Of the plans on one mesh with the same settings only the fastest counts.
struct Settings {
    bool tight = false;
    int offloads = 0;
    plan::ShardLevel shard = plan::ShardLevel::none;
    int schedule = 0;
    int recompute = 0;  ///< none, tensors, layers, blocks
    int others = 0;     ///< kinds of overlap, an uneven cut
    auto operator<=>(const Settings&) const = default;
};
/// `limit`: what plans may need of a device.
Settings settings(const Variant& variant, Bytes memory, Bytes limit);

struct Simplicity {
    std::int64_t unusual = 0;
    bool is_beyond_fit = false;
    bool by_layers = false;   ///< a strategy made for this network
    std::int64_t spread = 1;  ///< domains (Cluster::fast_domain) that the ranks of folds span
    std::int64_t axes = 0;
    bool tight = false;
    int offloads = 0;
    plan::ShardLevel shard = plan::ShardLevel::none;
    int schedule = 0;
    int recompute = 0;  ///< none, tensors, layers, blocks
    std::size_t rules = 0;
    int others = 0;  ///< those of the settings, groups of sharding, axes in an order of their own
    auto operator<=>(const Simplicity&) const = default;
};
Simplicity simplicity(const Space& space, const MeshLayout& layout, const Candidate& candidate);
/// `domain`: Cluster::fast_domain; `reserve`: Space::reserve. As if it were usual.
Simplicity simplicity(const step::Prediction& prediction, std::int64_t domain, double reserve);

/// What speaks for the simpler of two, behind its name: " uses fewer axes", "'s schedule is simpler"; empty where it is not.
std::string_view advantage(const Simplicity& simpler, const Simplicity& other);

}  // namespace dodona::search
