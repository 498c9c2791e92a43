// Prices and goals as words: what is typed of them and means something that only a library of files knows.
#pragma once

#include <optional>

#include "cli/arguments.hpp"
#include "cluster/price.hpp"
#include "questions/goals.hpp"

namespace dodona::cli {

/// --price where there is one machine: without its name.
std::optional<cluster::Price> read_price(Arguments& arguments);

/// The machines of --price by the names that dodona has for them.
void resolve_machines(questions::GoalOptions& options);

}  // namespace dodona::cli
