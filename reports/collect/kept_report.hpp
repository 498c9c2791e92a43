// The memory of a stage, tensor by tensor: a part of the document of `dodona predict`.
#pragma once

#include <cstddef>

#include "reports/document/document.hpp"
#include "step/kept_tensors.hpp"

namespace dodona::reports {

/// `stage`: from 0, of `stages`.
void add_peak(Document& document, const step::PeakMemory& peak, std::size_t stage, std::size_t stages);

}  // namespace dodona::reports
