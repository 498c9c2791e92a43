// The JSON of `dodona limits`: reports/schemas/limits.schema.json.
#pragma once

#include "reports/json/prediction.hpp"
#include "search/limits.hpp"

namespace dodona::reports {

Json limits_json(const search::LimitsAnswer& answer);

}  // namespace dodona::reports
