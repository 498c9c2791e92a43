// Descriptions of an explanation, for every answer that has one.
#pragma once

#include "files/description.hpp"
#include "search/explanation.hpp"

namespace dodona::files {

template <>
const Description& description<search::Explanation>();

}  // namespace dodona::files
