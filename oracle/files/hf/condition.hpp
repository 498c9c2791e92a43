// Conditions of the data files that say what others' keys mean.
#pragma once

#include <string>

#include "files/document.hpp"
#include "files/scope.hpp"

namespace dodona::files {

/// A value as text: 4096, 0.1, true, silu.
std::string text_of(const graph::AttributeValue& value);

/// Whether a condition holds, or all of a list: `a`, `not a`, `a == word`, `a != word`, `a has word` (of words with _, a
/// dot or a blank between them), or a comparison of numbers. A flag is true, or the number 1.
bool holds(const Node& condition, const Scope& scope);

/// The value of a key of a mapping; null if it has none.
const Node* child(const Node& mapping, const std::string& key);

/// Its text; empty if it has none.
std::string text_at(const Node& mapping, const std::string& key);

}  // namespace dodona::files
