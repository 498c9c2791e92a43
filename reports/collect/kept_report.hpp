// The tensors that a stage keeps for backward: a part of the document of `dodona predict`.
#pragma once

#include <cstddef>
#include <vector>

#include "reports/document/document.hpp"
#include "step/kept_tensors.hpp"

namespace dodona::reports {

/// `stage`: from 0, of `stages`.
void add_kept(Document& document, const std::vector<step::KeptLine>& lines, std::size_t stage, std::size_t stages);

}  // namespace dodona::reports
