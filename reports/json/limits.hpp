// The JSON of `dodona limits`, reports/schemas/limits.schema.json, and one line of CSV a strategy.
#pragma once

#include <string>

#include "reports/json/prediction.hpp"
#include "search/limits.hpp"

namespace dodona::reports {

Json limits_json(const search::LimitsAnswer& answer);
std::string limits_csv(const search::LimitsAnswer& answer);

}  // namespace dodona::reports
