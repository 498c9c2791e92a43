// A prediction as records.
#pragma once

#include "records.hpp"
#include "step/prediction.hpp"

namespace dodona::signature {

void add(Records& records, const step::Prediction& prediction);

}  // namespace dodona::signature
