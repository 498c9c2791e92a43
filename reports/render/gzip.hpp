// Packed files.
#pragma once

#include <string>

namespace dodona::reports {

/// The bytes of a .gz file with this content; the same for the same text.
std::string gzipped(const std::string& text);

}  // namespace dodona::reports
