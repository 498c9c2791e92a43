// Expands the entries of a network into the vertices of its graph. expansion.cpp: entries and layers;
// repeated_blocks.cpp: blocks; tied_weights.cpp: shared weights.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "graph/operators.hpp"

namespace dodona::graph {

class Expansion {
public:
    explicit Expansion(const NetworkSpec& spec);

    /// Returns the graph. Throws InputError with all faults.
    Graph run();

private:
    /// The producer of a tensor; none after a fault, so that its readers report no further faults.
    using Output = std::optional<Vertex>;

    /// A list of entries during its expansion.
    struct Scope {
        const std::vector<Entry>* entries = nullptr;
        std::map<std::string, Output> outputs;  ///< by name: inputs and earlier entries, which may be read
        Output previous;
    };

    /// Position of a list of entries in the network.
    struct Place {
        std::string prefix;
        std::string block;
        std::int64_t count = 1;  ///< instances within one instance of the segment
        int depth = 0;
        bool frozen = false;  ///< an enclosing block is frozen
        bool forward_only = false;
        WeightStorage storage = WeightStorage::full;  ///< of the matrices of an enclosing block
        /// The prefix of the layers whose weights those here read; none: they have their own.
        std::optional<std::string> weights_of;
    };

    /// A layer of a further pass, and the path of the layer whose weights it reads.
    struct Reading {
        Vertex reader;
        std::string owner;
    };

    /// What decides what nest a layer has.
    struct NestSource {
        const Entry* entry = nullptr;
        std::vector<Tensor> inputs;
    };

    struct Instances {
        std::int64_t first = 1;
        std::int64_t last = 1;
        [[nodiscard]] std::int64_t count() const { return last - first + 1; }
    };

    void add_input(const InputSpec& input, Scope& scope);
    void expand(Scope& scope, const Place& place);
    bool check_name(const Entry& entry, const Scope& scope);
    std::vector<Output> resolve(const Entry& entry, const Scope& scope);
    Output add_layer(const Entry& entry, const std::vector<Output>& inputs, const Place& place);
    bool check_inputs(const Entry& entry, const OperatorKind& kind, const std::vector<Tensor>& inputs);
    bool check_sizes(const Entry& entry, const Nest& nest);
    /// Layer::nest_number.
    std::size_t nest_number(const Entry& entry, const std::vector<Tensor>& inputs);
    Vertex insert(Layer layer, const std::vector<Output>& inputs);
    Output add_block(const Entry& entry, const std::vector<Output>& inputs, const Place& place);
    bool check_block(const Entry& entry, const std::vector<Output>& inputs, const Place& place);
    /// The first of the inputs is passed from instance to instance, the others all read alike.
    Output add_instances(const Entry& entry, const std::vector<Output>& inputs, const Place& place,
                         Instances instances);
    /// The path of the layer or block whose weights an entry reads; none: it has its own.
    std::optional<std::string> owner_of(const Entry& entry, const Place& place, const std::string& number);
    void start_segment(const std::string& name, const std::string& block, std::int64_t count);
    void tie_weights();
    void tie(Layer& layer, Weight& weight);
    void share_weights();

    const NetworkSpec* spec_;
    Graph graph_;
    Diagnostics diagnostics_;
    std::map<std::string, Vertex> by_path_;
    std::vector<Reading> readings_;
    std::map<std::string, std::string>
        first_of_;                   ///< by what entries share, the path of the first, whose weights they are
    std::vector<NestSource> nests_;  ///< each once; a nest's number is its place, from 1
};

}  // namespace dodona::graph
