// Strategy files, and strategies written inside plan files.
#pragma once

#include <string>
#include <vector>

#include "files/document.hpp"
#include "files/fields.hpp"
#include "plan/strategy.hpp"

namespace dodona::files {

plan::Strategy read_strategy(Document document);

/// A strategy written inside another file; its source is optional.
plan::Strategy read_inline_strategy(const Value& value);

/// What layers a list is about: a name each (plan::layers_named), or the mapping that `match:` of a rule takes.
std::vector<plan::Match> read_matches(const Value& value);

/// The keys of a strategy file, each line after `indent`. Reads back as the same strategy.
std::string strategy_to_yaml(const plan::Strategy& strategy, const std::string& indent = {});

}  // namespace dodona::files
