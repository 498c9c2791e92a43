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
#include "graph/task.hpp"
#include "graph/weight_storage.hpp"

namespace dodona::graph {

/// A layer, or a block of entries that repeats.
struct Entry {
    std::string name;
    Location where;
    bool frozen = false;                          ///< the weights of the layer or block are not trained
    WeightStorage storage = WeightStorage::full;  ///< of the matrices of a frozen layer, or of all that are in a block
    bool adapter = false;                         ///< trained where all others are frozen (NetworkSpec::adapters_only)
    /// Of an entry of the network: runs forward only. Layers inside it have no gradients.
    bool forward_only = false;
    std::string weights_of;  ///< of such an entry: whose weights it reads; /NAME: those of the first that says so
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

/// What a task of post-training asks of a step. The samples of its batch are sequences: prompts with an answer.
struct PostTraining {
    std::vector<Task> tasks;
    TaskSettings settings;
    std::int64_t group = 1;     ///< answers to one prompt; the batch has whole groups
    std::int64_t together = 1;  ///< answers that one loss compares: micro-batches have whole ones
    std::size_t passes = 0;     ///< further ones, forward only
};

struct NetworkSpec {
    std::string name;
    std::string source;
    Location where;
    std::map<std::string, AttributeValue> parameters;  ///< as set, for display
    std::vector<InputSpec> inputs;
    std::vector<Entry> entries;
    bool adapters_only = false;  ///< entries that are no adapters are frozen
    PostTraining post_training;
    Dataset dataset;
    PublishedCounts published;
    std::vector<std::string> left_out;  ///< parts of the network that are not described
};

}  // namespace dodona::graph
