// Members of JSON documents, as oracle/traces reads them, under the names that importers use.
#pragma once

#include "traces/json_members.hpp"

namespace dodona::calibrate {

using traces::elements;
using traces::Json;
using traces::member;
using traces::number;
using traces::read_json;
using traces::word;

}  // namespace dodona::calibrate
