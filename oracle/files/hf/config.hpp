// A config.json as its family reads it: parameters of an architecture, and how layers differ.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "files/document.hpp"
#include "files/hf/family.hpp"
#include "files/scope.hpp"

namespace dodona::files {

inline constexpr std::int64_t kMaxConfigLayers = 10'000;

struct ReadConfig {
    Scope parameters;  ///< what the keys and the family's `set` say
    /// For each stack of layers, by the parameter that says how many they are, and of each of its layers: its own
    /// parameters. A stack whose layers are all equal is not among them.
    std::map<std::string, std::vector<std::map<std::string, graph::AttributeValue>>> layers;
    std::vector<std::string> ignored;       ///< keys that change no shape, in the order of the file
    std::vector<std::string> left_out;      ///< keys of parts that are not read
    std::vector<std::string> unknown;       ///< keys that nobody knows, of an `UnknownKeys::listed` document
    std::vector<std::string> not_modelled;  ///< "key value: why", likewise
};

/// Whether a document looks like the config.json of a network: `model_type`, or `_class_name` of diffusers, and no `model`.
bool is_config(const Document& document);

/// Whether the key says of which architecture a network is.
bool is_type(const std::string& key);

/// The family that reads a config, or its language model. An architecture that no family has, or one that is refused, is
/// an InputError.
Family family_of(const Document& config, const std::vector<Family>& families);

/// What becomes of keys that nobody knows and of values that are not modelled.
enum class UnknownKeys { refused, listed };

/// Throws InputError with every fault found: keys that no family knows and that may change shapes, values that are not
/// modelled, numbers that are none. `known`: parameters that are given beside it.
ReadConfig read_config(Document& config, const Family& family, UnknownKeys unknown = UnknownKeys::refused,
                       Scope known = {});

}  // namespace dodona::files
