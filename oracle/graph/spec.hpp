// A network as read from a file: blocks resolved and expressions evaluated, before shape inference.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "graph/attributes.hpp"
#include "graph/nest.hpp"

namespace dodona::graph {

/// A layer, or a block of entries that repeats.
struct Entry {
    std::string name;
    Location where;
    bool frozen = false;  ///< the weights of the layer or block are not trained
    // A layer:
    std::string op;
    std::string role;
    std::vector<std::string> from;  ///< entries or inputs; empty: the previous entry; "input": the block's input
    std::map<std::string, AttributeValue> attributes;
    // A block (op is empty):
    std::string block;
    std::int64_t repeat = 1;
    std::vector<Entry> children;
};

struct InputSpec {
    std::string name;
    Tensor tensor;  ///< batch first, extent 1
    Location where;
};

/// The training data set; all members are optional.
struct Dataset {
    std::optional<double> samples;
    std::optional<Bytes> sample_bytes;  ///< as stored
    std::string source;
};

/// Published counts of the network, which `dodona check` and tests compare.
struct PublishedCounts {
    std::optional<double> parameters;
    std::optional<double> trained_parameters;
    std::optional<double> forward_macs;  ///< multiply-accumulates per sample
    double tolerance = 0.01;             ///< relative, for forward_macs
};

struct NetworkSpec {
    std::string name;
    std::string source;
    Location where;
    std::map<std::string, AttributeValue> parameters;  ///< as set, for display
    std::vector<InputSpec> inputs;
    std::vector<Entry> entries;
    Dataset dataset;
    PublishedCounts published;
};

}  // namespace dodona::graph
