// `dodona plan --why-not zero3`: the best plan of a kind beside the one that is recommended, or what stops all of them.
#pragma once

#include <string>

#include "reports/document/document.hpp"
#include "search/answer.hpp"

namespace dodona::reports {

/// Adds the section before the others of a plan's document, and `why_not` to its record. `asked`: as it was typed;
/// `of_that_kind`: the answer among plans of that kind only.
void add_why_not(Document& document, const search::Answer& answer, const std::string& asked,
                 const search::Answer& of_that_kind);

}  // namespace dodona::reports
