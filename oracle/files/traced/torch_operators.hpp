// Operators of PyTorch's graphs.
#pragma once

#include <string>

#include "files/traced/traced_graph.hpp"

namespace dodona::files {

/// "aten.add_.Tensor" is add: in place or not is the same work.
std::string torch_type(const std::string& target);

/// What an operator of this type does; unknown where none of ours does it.
TracedOp torch_meaning(const std::string& type);

/// Whether results of this type depend on the shape of what they read, not on its numbers.
bool reads_shapes_only(const std::string& type);

}  // namespace dodona::files
