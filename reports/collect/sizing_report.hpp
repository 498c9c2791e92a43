// The report of `dodona size`: how many devices, what they give, why not fewer, and what half and double would give.
#pragma once

#include "reports/collect/sizing_answer.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document sizing_document(const SizingAnswer& answer);

}  // namespace dodona::reports
