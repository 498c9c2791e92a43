// Operators that exporters take apart, put together again: norms, activations, biases, rotary positions, attention.
#pragma once

#include "files/traced/traced_graph.hpp"

namespace dodona::files {

/// The same network without copies, with each group of nodes that one operator does the work of as that operator, and
/// without nodes that no result needs. Throws InputError for attention that is not modelled.
TracedGraph fused(TracedGraph graph);

}  // namespace dodona::files
