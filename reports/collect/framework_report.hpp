// Frameworks: the list of `dodona software` with the mechanisms that any may have, and one framework or mechanism with
// its parameters.
#pragma once

#include <string>
#include <vector>

#include "files/run_conventions.hpp"
#include "plan/framework.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document framework_document(const plan::Framework& framework);
/// With the rows of tables of runs that have the mechanism by default, as the conventions say.
Document mechanism_document(const plan::Mechanism& mechanism, const files::RunConventions& conventions);
/// What a search looks in.
std::string framework_facts(const plan::Framework& framework);
Document frameworks_document(const std::vector<plan::Framework>& frameworks,
                             const std::vector<plan::Mechanism>& mechanisms);

}  // namespace dodona::reports
