// A graph of PyTorch as a traced graph.
#pragma once

#include "files/traced/torch_file.hpp"
#include "files/traced/traced_graph.hpp"

namespace dodona::files {

/// Throws InputError for a graph that reads what nothing writes. Operators that no layer is of stay `unknown`, and are
/// refused where a result needs them. `file`: the place that faults are told at.
TracedGraph traced_torch(const TorchGraph& graph, const Location& file);

}  // namespace dodona::files
