// Where this program lies, and with it what was installed or built beside it.
#pragma once

#include <filesystem>

namespace dodona {

/// The folder of the running program. Empty where the system does not say it (/proc is not mounted): then nothing lies
/// beside it, and nothing is loaded or run from wherever the user stands.
std::filesystem::path program_folder();

/// `part` beside the program; empty where its folder is not known.
std::filesystem::path beside_program(const std::filesystem::path& part);

}  // namespace dodona
