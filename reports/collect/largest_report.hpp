// The report of `dodona largest`: the largest value, what it gives, and why nothing larger fits.
#pragma once

#include "reports/collect/sizing_answer.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document largest_document(const LargestAnswer& answer);

}  // namespace dodona::reports
