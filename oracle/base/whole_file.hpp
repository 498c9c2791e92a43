// Files are written whole or not at all: a reader never sees half of one.
#pragma once

#include <string>

namespace dodona {

/// Writes a new file beside `path`, to the disk, and renames it; the mode of a file that was there is kept. A link is
/// followed; what is no regular file (/dev/null, a pipe) is written in place. Throws InputError with the system's reason.
void write_whole(const std::string& path, const std::string& text);

}  // namespace dodona
