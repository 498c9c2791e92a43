// Files that are written whole or not at all.
#pragma once

#include <string>

namespace dodona::calibrate {

/// Writes beside the file and moves the new one over it. Throws InputError where that fails; the old file is then as it
/// was.
void write_whole(const std::string& path, const std::string& text);

}  // namespace dodona::calibrate
