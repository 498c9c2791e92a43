// Where dodona's own models, machines, strategies and frameworks lie.
#pragma once

#include <filesystem>

namespace dodona::cli {

/// $DODONA_DATA where it is set; else the folder share/dodona beside the program's bin/ or the library that this code is
/// in, so that an installation can be moved; else the source tree that the program was built from. Throws Missing where
/// the folder does not hold the data.
std::filesystem::path data_folder();

}  // namespace dodona::cli
