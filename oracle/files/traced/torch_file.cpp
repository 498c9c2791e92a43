#include "files/traced/torch_file.hpp"

#include <algorithm>
#include <array>

#include "base/ranges.hpp"
#include "files/blocks.hpp"
#include "files/fields.hpp"
#include "files/number.hpp"

namespace dodona::files {

namespace {

constexpr std::size_t kMaxTorchAxes = 16;
constexpr double kMaxTorchElements = 1e15;
constexpr std::string_view kReference = "%";  // "%addmm_1" is a node

TorchArgument torch_argument(const Node& node) {
    using Kind = TorchArgument::Kind;
    TorchArgument argument;
    if (node.kind == Node::Kind::list) {
        argument.kind = Kind::list;
        append(argument.items, node.items, [](const auto& item) { return torch_argument(*item); });
    } else if (node.kind == Node::Kind::scalar && node.quoted) {
        const bool is_node = node.text.starts_with(kReference);
        argument.kind = is_node ? Kind::node : Kind::word;
        argument.text = is_node ? node.text.substr(kReference.size()) : node.text;
    } else if (node.kind == Node::Kind::scalar && (node.text == "true" || node.text == "false")) {
        argument.kind = Kind::number;
        argument.number = node.text == "true" ? 1 : 0;
    } else if (node.kind == Node::Kind::scalar && node.text != "null") {
        const auto number = decimal_from(node.text);
        const auto* value = std::get_if<double>(&number);
        argument.kind = value == nullptr ? Kind::word : Kind::number;
        argument.number = value == nullptr ? 0 : *value;
        argument.text = value == nullptr ? node.text : "";
    }
    return argument;
}

/// The shape of a single result. Operators with several have theirs at the nodes that take one of them.
void read_result(const Value& value, TorchNode& node) {
    if (!value || !value.is_mapping()) {
        return;
    }
    Fields fields(value);
    double elements = 1;
    const Value shape = fields.require("shape");
    for (const Value& extent : shape ? shape.list() : std::vector<Value>()) {
        node.shape.push_back(extent.whole(0, kMaxExtent));
        elements *= static_cast<double>(std::max<std::int64_t>(node.shape.back(), 1));
    }
    node.type = fields.require("type").text();
    node.has_shape = node.type != "NoneType";
    if (shape && (node.shape.size() > kMaxTorchAxes || elements > kMaxTorchElements)) {
        shape.error("more than 16 axes or 1e15 elements");
        node.shape.clear();
    }
    fields.finish();
}

TorchNode torch_node(const Value& value) {
    static const std::vector<std::string> kinds{"placeholder", "get_attr", "call_function", "output"};
    constexpr std::array kMeant{TorchNode::Kind::placeholder, TorchNode::Kind::constant, TorchNode::Kind::call,
                                TorchNode::Kind::output};
    Fields fields(value);
    TorchNode node;
    node.where = value.where();
    node.name = fields.require("name").text();
    node.kind = kMeant[fields.require("kind").choice(kinds)];
    if (const Value target = fields.find("target")) {
        node.target = target.text();
    }
    if (const Value inputs = fields.find("inputs")) {
        append(node.inputs, inputs.list(), [](const Value& input) { return torch_argument(input.node()); });
    }
    if (const Value options = fields.find("options")) {
        for (const Node::Member& option : options.node().members) {
            node.options[option.key] = torch_argument(*option.value);
        }
    }
    if (const Value weight = fields.find("weight")) {
        node.is_weight = true;
        node.weight = weight.text();
        node.is_learnt = fields.require("learnt").flag();
        node.same_as = fields.require("same_as").text();
    }
    read_result(fields.find("result"), node);
    fields.finish();
    return node;
}

}  // namespace

bool is_torch_graph(const Document& document) {
    const Node& root = *document.root;
    return root.kind == Node::Kind::mapping &&
           any_of(root.members, [](const Node::Member& member) { return member.key == "torch_graph"; });
}

TorchGraph read_torch_graph(Document document) {
    Fields fields(Value(*document.root, "", document.faults));
    TorchGraph graph;
    const Value version = fields.require("torch_graph");
    if (version && version.whole(1, 1000) != 1) {
        version.error("only version 1 is read", "write the file again with the torch_graph.py of this dodona");
    }
    graph.version = fields.require("torch").text();
    const Value nodes = fields.require("nodes");
    for (const Value& node : nodes ? nodes.list() : std::vector<Value>()) {
        graph.nodes.push_back(torch_node(node));
    }
    fields.finish();
    throw_faults(document);
    return graph;
}

}  // namespace dodona::files
