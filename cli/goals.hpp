// Prices and goals as words: what is typed of them and means something that only a library of files knows.
#pragma once

#include "questions/goals.hpp"

namespace dodona::cli {

/// The machines of --price by the names that dodona has for them.
void resolve_machines(questions::GoalOptions& options);

}  // namespace dodona::cli
