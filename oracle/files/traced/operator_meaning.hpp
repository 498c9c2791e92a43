// A row of the tables of exporters' operators, and the look-up in them.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "files/traced/traced_graph.hpp"

namespace dodona::files {

struct OperatorMeaning {
    std::string_view type;  ///< as the exporter writes it
    TracedOp op;

    constexpr bool operator<(const OperatorMeaning& other) const { return type < other.type; }
};

/// What a type means by a table in the order of types; unknown where it has no row.
inline TracedOp meaning_in(std::span<const OperatorMeaning> table, std::string_view type) {
    const auto found = std::lower_bound(table.begin(), table.end(), OperatorMeaning{type, TracedOp::unknown});
    return found == table.end() || found->type != type ? TracedOp::unknown : found->op;
}

}  // namespace dodona::files
