// The table of operators. A new operator is a file with a builder and a row in operators.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/attributes.hpp"
#include "graph/nest.hpp"

namespace dodona::graph {

/// Builds the loop nest of a layer from its attributes and inputs (per sample, batch first). Faults are reported
/// through the attributes; the nest is then unspecified.
using Builder = Nest (*)(Attributes& attributes, std::span<const Tensor> inputs);

/// The precision of an operator's result where software casts to 16 bits by itself over fp32 weights (torch.autocast).
/// Source: PyTorch documentation, Automatic Mixed Precision package, CUDA Op-Specific Behavior: products in 16 bits;
/// norms of tokens, softmax and losses in fp32; others in the widest type that they read, embeddings in their table's.
enum class Autocast { widest, narrow, single };

struct OperatorKind {
    std::string_view name;
    Builder build;
    std::size_t least_inputs = 1;
    std::size_t most_inputs = 1;
    std::string_view summary;             ///< one line for docs/files.md
    std::string_view attributes;          ///< for docs: keys of a layer, with the default of those that have one
    std::string_view dimensions;          ///< for docs: what rules of strategies can lay
    Element reads = Element::activation;  ///< element type of its inputs
    Autocast autocast = Autocast::widest;
};

std::span<const OperatorKind> operator_kinds();
const OperatorKind* find_operator(std::string_view name);
/// The names of all operators, sorted.
const std::vector<std::string>& operator_names();

/// Loop names of all operators; strategy rules refer to these.
const std::vector<std::string>& loop_names();

}  // namespace dodona::graph
