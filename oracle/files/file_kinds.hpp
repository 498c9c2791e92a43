// The files that are described, in the order of the reference.
#pragma once

#include <string>
#include <vector>

#include "files/description.hpp"

namespace dodona::files {

struct FileKind {
    std::string name;  ///< of its schema: NAME.schema.json
    const Description& described;
};

std::vector<FileKind> file_kinds();

}  // namespace dodona::files
