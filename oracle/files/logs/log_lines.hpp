// The text of a log, as terminals and launchers leave it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/text.hpp"

namespace dodona::files {

/// By the end of its name: .log, .out, .err or .txt.
bool is_log_name(std::string_view path);

/// The text of a log without the escape sequences of colours and cursors, other control characters and the pieces of
/// characters that processes leave which print at once: lines stay where they are. Throws InputError as read_text does.
Text read_log_text(const std::string& text, const std::string& name, std::string_view too_large);

/// The parts of a line between carriage returns, which progress bars print over one another.
std::vector<std::string_view> overprinted(std::string_view line);

/// What a launcher puts before each line of a process: "[rank0]:" of torchrun, "0: " of srun --label; may be empty.
std::string_view label_of(std::string_view line);

}  // namespace dodona::files
