// Whether a node of a file has what its operator needs: inputs, axes that its tensors have, numbers for each axis.
#pragma once

#include "files/traced/traced_graph.hpp"

namespace dodona::files {

/// The graph with nodes that are not well-formed as unknown ones. What comes after relies on it.
TracedGraph with_well_formed_nodes(TracedGraph graph);

}  // namespace dodona::files
