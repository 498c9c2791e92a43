// The algorithms of collectives: their names in files and options. What each costs stands in the table of
// cost/collective_time.cpp.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/enumeration.hpp"

namespace dodona::cluster {

enum class Algorithm { ring, tree, double_tree, hierarchical, direct, torus, in_network, parameter_server };

inline constexpr std::array kAlgorithmTable{
    Enumerator(Algorithm::ring, "ring", "rings over the ranks, on any level"),
    Enumerator(Algorithm::tree, "tree", "a binary tree, on any level"),
    Enumerator(Algorithm::double_tree, "double-tree", "two binary trees, half of the buffer on each; on any level"),
    Enumerator(Algorithm::hierarchical, "hierarchical",
               "level by level: within nodes, then between them; for groups with several members in a node"),
    Enumerator(Algorithm::direct, "direct", "every rank exchanges its part with every other, on any level"),
    Enumerator(Algorithm::torus, "torus", "rings along all dimensions of a torus at once"),
    Enumerator(Algorithm::in_network, "in-network", "the switches reduce; on levels with `in_network`"),
    Enumerator(Algorithm::parameter_server, "parameter-server",
               "all-reduce through servers (`parameter_servers`); with servers on the devices never faster than "
               "`direct`")};
constexpr const auto& enumerators(Algorithm /*type*/) { return kAlgorithmTable; }
inline constexpr std::array kAlgorithms = values_of(kAlgorithmTable);
constexpr std::string_view name(Algorithm algorithm) { return name_of(algorithm); }
constexpr std::optional<Algorithm> algorithm_from(std::string_view name) { return value_of<Algorithm>(name); }

}  // namespace dodona::cluster
