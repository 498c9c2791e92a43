#include "simulate/double_tree.hpp"

#include <bit>

namespace dodona::simulate {

namespace {

/// Lays members first + 1 ... first + count in order of value: odd ones are leaves. Returns the root.
std::size_t lay_in_order(Tree& tree, std::size_t first, std::size_t count, std::size_t parent) {
    const std::size_t root = first + std::bit_floor(count);
    tree[root] = parent;
    if (root - first > 1) {
        lay_in_order(tree, first, root - first - 1, root);
    }
    if (first + count > root) {
        lay_in_order(tree, root, first + count - root, root);
    }
    return root;
}

}  // namespace

std::array<Tree, 2> double_tree(std::size_t members) {
    Tree first(members);
    if (members > 1) {
        lay_in_order(first, 0, members - 1, 0);
    }
    // The second is the first moved on by one, so that odd members have children where even ones had.
    const auto moved = [&](std::size_t member) { return (member + 1) % members; };
    Tree second(members);
    for (std::size_t member = 0; member < members; ++member) {
        second[moved(member)] = moved(first[member]);
    }
    return {first, second};
}

}  // namespace dodona::simulate
