// Parts of a Markdown page, for pages that are more than one document.
#pragma once

#include <string>

#include "reports/document/document.hpp"

namespace dodona::reports {

std::string markdown(const Table& table);

}  // namespace dodona::reports
