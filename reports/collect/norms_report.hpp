// Norms of layers, computed by all ranks in parts: a part of the document of `dodona predict`.
#pragma once

#include "reports/document/document.hpp"
#include "step/split_norms.hpp"

namespace dodona::reports {

void add_norms(Document& document, const step::SplitNorms& norms);

}  // namespace dodona::reports
