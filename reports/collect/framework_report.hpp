// Frameworks: the list of `dodona frameworks` with the mechanisms that any may have, and one of them with its parameters.
#pragma once

#include <string>
#include <vector>

#include "plan/framework.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document framework_document(const plan::Framework& framework);
/// What a search looks in.
std::string framework_facts(const plan::Framework& framework);
Document frameworks_document(const std::vector<plan::Framework>& frameworks,
                             const std::vector<plan::Mechanism>& mechanisms);

}  // namespace dodona::reports
