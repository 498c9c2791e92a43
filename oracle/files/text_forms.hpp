// Forms that texts in files have.
#pragma once

#include "files/description.hpp"

namespace dodona::files {

/// A name that paths and rules can carry: letters, digits, `_`, `-` and `.`.
extern const TextForm kName;
/// A word that expressions can carry: letters, digits and `_`, and no digit first.
extern const TextForm kIdentifier;
/// year-month-day
extern const TextForm kDate;
/// The name of an operator.
extern const TextForm kOperator;

}  // namespace dodona::files
