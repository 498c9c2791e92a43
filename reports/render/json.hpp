// Records as JSON text.
#pragma once

#include <string>

#include "reports/document/record.hpp"

namespace dodona::reports {

/// On one line; UTF-8 that is none is replaced.
std::string json_line(const Record& record);
/// Indented by two, with a line end.
std::string json_page(const Record& record);

}  // namespace dodona::reports
