// Frameworks: the list of `dodona frameworks`, and one of them with its parameters.
#pragma once

#include <string>
#include <vector>

#include "plan/framework.hpp"
#include "reports/json/prediction.hpp"
#include "reports/style.hpp"
#include "reports/table.hpp"

namespace dodona::reports {

Json framework_json(const plan::Framework& framework);
std::string framework_text(const plan::Framework& framework, Style style);
std::string framework_markdown(const plan::Framework& framework);

Json frameworks_json(const std::vector<plan::Framework>& frameworks);
Table frameworks_table(const std::vector<plan::Framework>& frameworks);

/// Value, interval and bounds of what the framework says; "on its bound" where a fit ended there.
Table parameter_table(const plan::Framework& framework);

}  // namespace dodona::reports
