// Blocks of a model file, put in wherever layers call for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/fields.hpp"
#include "files/scope.hpp"
#include "graph/spec.hpp"

namespace dodona::files {

inline constexpr std::int64_t kMaxRepeats = 1'000'000;
inline constexpr std::int64_t kMaxExtent = 1'000'000'000;  ///< of a dimension; also of any whole attribute
inline constexpr std::size_t kMaxEntries = 100'000;        ///< after blocks are put in, repeats not counted
inline constexpr std::size_t kDeepestBlocks = 32;

/// Expands `layers:` of a file. Faults go to the diagnostics of the values.
class Expansion {
public:
    /// `blocks` is the mapping of block definitions and may be absent; `scope` holds the file's parameters, which every
    /// block sees beside its own.
    Expansion(const Value& blocks, const Scope& scope);

    /// `inputs`: what `from` may name beside earlier entries.
    std::vector<graph::Entry> entries(const Value& layers, const std::vector<std::string>& inputs);

    /// Faults of blocks that no layer calls for.
    void report_unused() const;

private:
    struct Block {
        Location where;
        Value body;
        Value parameters;
        Value layers;
        bool used = false;
    };
    /// The list that an entry stands in.
    struct Siblings {
        const Scope* scope = nullptr;
        std::vector<std::string> inputs;
        std::map<std::string, std::size_t> positions;  ///< name -> first index
        std::vector<std::string> names;
        std::size_t at = 0;  ///< index of the entry being read
    };

    std::vector<graph::Entry> list(const Value& layers, const Scope& scope, const std::vector<std::string>& inputs);
    graph::Entry entry(const Value& value, const Siblings& siblings);
    void read_layer(Fields& fields, const Scope& scope, graph::Entry& entry);
    void read_block(Fields& fields, const Scope& scope, graph::Entry& entry);
    void put_in(Block& block, const Value& with, const Scope& caller, graph::Entry& entry);
    Scope block_scope(const Block& block, const Value& with, const Scope& caller) const;
    void check_name(const Value& name, const Siblings& siblings) const;
    std::vector<std::string> read_from(const Value& from, const Siblings& siblings) const;

    Scope scope_;
    std::map<std::string, Block> blocks_;
    std::vector<std::string> block_names_;
    std::vector<std::string> open_;  ///< blocks being put in, outermost first
    std::size_t count_ = 0;
};

/// Values of an attribute: a scalar in the scope, or a list of whole numbers.
graph::AttributeValue read_attribute(const std::string& key, const Value& value, const Scope& scope);

}  // namespace dodona::files
