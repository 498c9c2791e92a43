// Files changed in their structure: what a reader finds is in a known form, but not what it expects.
#pragma once

#include <optional>
#include <random>
#include <string>

#include <nlohmann/json.hpp>

namespace dodona::fuzz {

/// What a file is written in. A tree of Protocol Buffers is a list of fields: [number, value], where a value is an integer,
/// a text of bytes or a list of fields. A tree of tokens (scripts, tables, logs) is a list of lines: lists of words and of
/// what stands between them.
enum class Form { json, protobuf, tokens };

struct Tree {
    Form form = Form::json;
    nlohmann::ordered_json root;
};

/// The tree of a text in JSON, YAML or, where `form` says so, Protocol Buffers or tokens; none: it is not in that form.
std::optional<Tree> tree_of(const std::string& text, Form form);

/// One to four nodes of the tree changed: dropped, repeated, swapped with another, emptied, or of another type.
Tree mutated(Tree tree, std::mt19937& random);

/// YAML is written as JSON.
std::string text_of(const Tree& tree);

}  // namespace dodona::fuzz
