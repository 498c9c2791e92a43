// Graphs of PyTorch as bindings/python/dodona/torch_graph.py writes them: one node a line, with the shape of its result.
// Source of the operators' names and arguments: pytorch/pytorch: aten/src/ATen/native/native_functions.yaml.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/document.hpp"
#include "files/traced/traced_graph.hpp"

namespace dodona::files {

/// What an operator is called with: `(x, [1, 1], None)`.
struct TorchArgument {
    enum class Kind { none, number, word, node, list };
    Kind kind = Kind::none;
    double number = 0;  ///< of true and false too
    std::string text;   ///< a word, or the name of a node
    std::vector<TorchArgument> items = {};

    [[nodiscard]] bool is(Kind other) const { return kind == other; }
};

struct TorchNode {
    enum class Kind { placeholder, constant, call, output };
    Kind kind = Kind::call;
    std::string name;
    std::string target;  ///< "aten.addmm.default"
    std::vector<TorchArgument> inputs;
    std::map<std::string, TorchArgument> options = {};  ///< arguments that have a name
    bool is_weight = false;                             ///< a placeholder that is a weight or a buffer of the model
    bool is_learnt = false;
    std::string weight;   ///< its name in the model
    std::string same_as;  ///< the first placeholder that is the same tensor
    bool has_shape = false;
    Shape shape;  ///< of the result; of several, none
    std::string type;
    Location where;
};

struct TorchGraph {
    std::string version;  ///< of PyTorch
    std::vector<TorchNode> nodes;
};

/// Whether a document is such a graph: it has `torch_graph`.
bool is_torch_graph(const Document& document);

/// Throws InputError with every fault found.
TorchGraph read_torch_graph(Document document);

}  // namespace dodona::files
