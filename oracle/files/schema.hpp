// JSON Schemas (draft-07) of described files, for editors and for programs that write such files.
#pragma once

#include <string>

#include "files/description.hpp"

namespace dodona::files {

/// The schema of a file, with a definition for each part that stands in several places.
std::string schema(const Description& description);

}  // namespace dodona::files
