// Families of networks as Hugging Face's transformers and diffusers know them: what the keys of a config.json mean, as data in
// models/hf/families, and the layers that follow from them, in models/hf/architectures.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files/document.hpp"
#include "files/fields.hpp"
#include "files/scope.hpp"

namespace dodona::files {

/// What a word or a flag of a config means: an expression over the parameters so far.
using Meanings = std::vector<std::pair<std::string, Written>>;

/// A key of a config.
struct ConfigKey {
    std::vector<std::string> names;     ///< the key and its other spellings
    std::string parameter;              ///< that it is the value of; empty: it is only checked
    std::optional<Written> otherwise;   ///< where the config has none, or null: the default of the class
    std::optional<Written> of_part;     ///< likewise, in a part of a larger config, which is saved without defaults
    Meanings values;                    ///< empty: the value itself
    std::int64_t least = 1;             ///< of a whole number
    bool is_count = false;              ///< the value is the number of entries of a list
    bool is_list = false;               ///< a list of equal values means each of them
    bool is_words = false;              ///< the words of a list, with commas between them; "none" for an empty one
    bool is_checked = false;            ///< only `accepted` are modelled
    std::vector<std::string> accepted;  ///< none: it must be absent, null, false or empty
    std::string because;                ///< why others are refused
};

/// A value that follows from parameters: the first whose condition holds.
struct Choice {
    Written is;
    std::shared_ptr<const Node> when;  ///< null: always
};

/// How a parameter of layers differs from layer to layer.
struct EachLayer {
    std::string parameter;
    std::vector<std::string>
        keys;                ///< a list or a word of the config with an entry or letter for each layer; empty: none
    Meanings values;         ///< of its entries; empty: they are numbers
    std::int64_t first = 0;  ///< of a list of layers: the number of the first
    bool repeats = false;    ///< the list is a period of the layers
    bool is_among = false;   ///< the list has the layers for which the parameter is true, or what that means
    std::string turns;       ///< layers whose entry is not 0 have the numbers from 1 to this parameter's in turn
    std::vector<Choice>
        otherwise;  ///< expressions over the parameters, those of layers before it and `layer`, from 0; none: required
    std::vector<std::string> of{"layers"};  ///< the stacks of layers, by the parameter that says how many they are
};

/// A parameter that follows from others.
struct SetParameter {
    std::string parameter;
    std::vector<Choice> choices;
};

struct Family {
    std::string name;
    std::string source;
    std::vector<std::string> model_types;  ///< `model_type` of transformers
    std::vector<std::string> class_names;  ///< `_class_name` of diffusers
    std::vector<std::string>
        encoder_of;       ///< not empty: it reads encoders of images or sound of configs of these model_types
    std::string encoder;  ///< of a language model: the families that read the encoders before it
    std::string part;     ///< the key of the config that holds such an encoder
    std::vector<std::string> parts;         ///< of a language model: those of all its encoders
    std::vector<std::string> part_types;    ///< the model_types of `part` that it reads; empty: all
    std::vector<std::string> part_ignored;  ///< keys of `part` that change no shape
    std::string architecture;               ///< empty: what is nested says the family
    std::string nested;             ///< the key of the config that may hold the language model's keys; may be empty
    std::string refusal;            ///< not empty: why such networks are not read
    std::vector<SetParameter> set;  ///< parameters that follow from the keys or from the class
    std::vector<ConfigKey> keys;
    std::vector<EachLayer> each_layer;
    std::vector<std::string> ignored;   ///< keys that change no shape
    std::vector<std::string> left_out;  ///< keys of parts of the network that are not read, which is said
};

/// Families of a folder, in the order of their names; `ignored.yaml` beside them holds for all. `types`: only those whose
/// file has one of these words; empty: all.
std::vector<Family> load_families(const std::filesystem::path& folder, std::span<const std::string> types = {});

/// `keys`, `set`, `each_layer`, `ignored` and `left_out` of a file that says what keys mean.
void read_meanings_of_keys(Fields& fields, Family& family);

/// Throws InputError with every fault found.
Family read_family(Document document);

}  // namespace dodona::files
