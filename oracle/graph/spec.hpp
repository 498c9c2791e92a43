// A network as read from a file: blocks resolved, expressions evaluated, shapes not yet inferred.
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
    bool frozen = false;  ///< its weights are not trained; of a block: all of them
    // A layer:
    std::string op;
    std::string role;
    std::vector<std::string>
        from;  ///< names of entries or inputs; empty: the entry before. `input` = the block's input
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

/// What the training data set looks like; all optional.
struct Dataset {
    std::optional<double> samples;
    std::optional<Bytes> sample_bytes;  ///< as stored
    std::string source;
};

/// Counts published for the network, held by `dodona check` and by tests.
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
