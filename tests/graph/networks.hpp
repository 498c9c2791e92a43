// Networks written in code, for tests of the graph and of what is built on it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "graph/graph.hpp"
#include "graph/operators.hpp"

namespace dodona::graph::test {

using Values = std::map<std::string, decltype(AttributeValue::value)>;
using Dimensions = std::vector<TensorDimension>;

/// A tensor of one sample: the batch is put first.
inline Tensor tensor(const Dimensions& dimensions, Element element = Element::activation) {
    Tensor x{.dimensions = {{"batch", 1}}, .element = element};
    x.dimensions.insert(x.dimensions.end(), dimensions.begin(), dimensions.end());
    return x;
}

inline std::map<std::string, AttributeValue> attributes(const Values& values) {
    std::map<std::string, AttributeValue> located;
    for (const auto& value : values) {
        located.emplace(value.first, AttributeValue{value.second, {}});
    }
    return located;
}

inline Entry layer(const std::string& name, const std::string& op, const Values& values = {},
                   std::vector<std::string> from = {}) {
    Entry entry;
    entry.name = name;
    entry.op = op;
    entry.from = std::move(from);
    entry.attributes = attributes(values);
    return entry;
}

inline Entry block(const std::string& name, std::int64_t repeat, std::vector<Entry> children) {
    Entry entry;
    entry.name = name;
    entry.block = name;
    entry.repeat = repeat;
    entry.children = std::move(children);
    return entry;
}

inline NetworkSpec network(const Tensor& input, std::vector<Entry> entries) {
    NetworkSpec spec;
    spec.name = "test";
    spec.inputs = {{"x", input, {}}};
    spec.entries = std::move(entries);
    return spec;
}

/// One operator on its own. Throws if it reports a fault.
inline Nest nest(const std::string& op, const std::vector<Tensor>& inputs, const Values& values = {}) {
    Diagnostics diagnostics;
    Attributes given("it", {}, attributes(values), diagnostics);
    Nest built = find_operator(op)->build(given, inputs);
    given.report_unread();
    diagnostics.throw_if_errors();
    return built;
}

/// The vertex of a layer; fails loudly if there is none.
inline Vertex find(const Graph& graph, const std::string& name) {
    for (Vertex vertex = 0; vertex < graph.layers.size(); ++vertex) {
        if (graph.layer(vertex).name == name) {
            return vertex;
        }
    }
    throw InternalError("no layer " + name);
}

inline double weights(const Nest& built) {
    double elements = 0;
    for (const Weight& weight : built.weights) {
        elements += weight.elements();
    }
    return elements;
}

inline Flop arithmetic(const std::vector<Kernel>& kernels) {
    Flop sum;
    for (const Kernel& kernel : kernels) {
        sum += kernel.flops;
    }
    return sum;
}

/// The messages of every fault that `build` finds, one a line; empty if it finds none.
inline std::string faults(const NetworkSpec& spec) {
    std::string text;
    try {
        build(spec);
    } catch (const InputError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) {
            text += diagnostic.message + "\n";
        }
    }
    return text;
}

}  // namespace dodona::graph::test
