// The document of `dodona report`: the recommendation first, then what it stands on.
#pragma once

#include "reports/collect/report.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document report_document(const Report& report);

}  // namespace dodona::reports
