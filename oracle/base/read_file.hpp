// Files are read whole, and no longer than somebody waits for them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"

namespace dodona {

/// The bytes of a file, and of one that is longer than `most` no more than a piece beyond. Pipes are read as long as
/// they go on (a shell's `<(...)`); a pipe that says nothing for five seconds, a folder and a device are faults.
/// `name` is how messages call the file, `where` the place that names it. Throws InputError with the system's reason.
std::string read_file(const std::filesystem::path& path, const std::string& name, const Location& where,
                      std::size_t most);

/// The same faults, but for those that only reading shows, and a pipe is one too; for readers that would wait for it.
void check_regular(const std::filesystem::path& path, const std::string& name, const Location& where);

}  // namespace dodona
