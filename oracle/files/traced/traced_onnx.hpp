// A file of ONNX as a traced graph.
#pragma once

#include <map>
#include <string>

#include "files/traced/onnx_file.hpp"
#include "files/traced/traced_graph.hpp"

namespace dodona::files {

/// Extents that the user gives for those that a file leaves open, by name.
using GivenExtents = std::map<std::string, std::int64_t>;

/// Throws InputError for extents that are left open and not given, other than that of the batch. Operators that no layer
/// is of stay `unknown`, and are refused where a result needs them. `graph` outlives it.
TracedGraph traced_onnx(const OnnxGraph& graph, const Location& file, const GivenExtents& given);

}  // namespace dodona::files
