// Two binary trees over the same members, such that no member has children in both: with half of the data on each tree,
// both directions of every member's link are used.
// Source: Sanders, Speck and Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel
// Computing 35 (2009), section 2.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace dodona::simulate {

/// Parents of all members; a root is its own parent.
using Tree = std::vector<std::size_t>;

/// The trees of `members` members, at least 1. Each member has at most two children in a tree, and the depth of a tree
/// is at most 1 + log2(members).
std::array<Tree, 2> double_tree(std::size_t members);

}  // namespace dodona::simulate
