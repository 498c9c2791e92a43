#include "cli/data_folder.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "build_config.hpp"
#include "cli/missing.hpp"

namespace dodona::cli {

namespace {

namespace fs = std::filesystem;

bool holds_data(const fs::path& folder) {
    std::error_code ignored;
    return fs::is_directory(folder / "models", ignored);
}

fs::path installed_folder() {
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    return (program.parent_path() / "../share/dodona").lexically_normal();
}

}  // namespace

fs::path data_folder() {
    const char* given = std::getenv("DODONA_DATA");
    if (given != nullptr && *given != '\0') {
        if (!holds_data(given)) {
            throw Missing(fmt::format("DODONA_DATA is {}, which does not hold dodona's models and machines", given));
        }
        return given;
    }
    for (const fs::path& folder : {installed_folder(), fs::path(kDataDirectory)}) {
        if (holds_data(folder)) {
            return folder;
        }
    }
    throw Missing(
        fmt::format("neither {} nor {} holds dodona's models and machines; set DODONA_DATA to the folder that does",
                    installed_folder().string(), kDataDirectory));
}

}  // namespace dodona::cli
