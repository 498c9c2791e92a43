#include "cli/data_folder.hpp"

#include <cstdlib>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/program_folder.hpp"
#include "build_config.hpp"
#include "cli/missing.hpp"

namespace dodona::cli {

namespace {

namespace fs = std::filesystem;

bool holds_data(const fs::path& folder) {
    std::error_code ignored;
    return fs::is_directory(folder / "models", ignored);
}

/// share/dodona of an installation: beside bin/ for the program, and for libdodona beside its lib/ or lib/x86_64-linux-gnu/,
/// or in the folder of the library itself, as Python's package has it.
std::vector<fs::path> installed_folders() {
    std::error_code ignored;
    Dl_info code{};
    const bool is_found = dladdr(reinterpret_cast<const void*>(&holds_data), &code) != 0 && code.dli_fname != nullptr;
    // A name alone is what somebody typed for a program of $PATH; here a file may be called the same.
    const bool is_path = is_found && fs::path(code.dli_fname).has_parent_path();
    const fs::path loaded = is_path ? fs::canonical(code.dli_fname, ignored) : fs::path();
    std::vector<fs::path> folders;
    if (!loaded.empty() && loaded.parent_path() != program_folder()) {
        for (const char* path : {"share/dodona", "../share/dodona", "../../share/dodona"}) {
            folders.push_back((loaded.parent_path() / path).lexically_normal());
        }
    }
    if (const fs::path beside = beside_program("../share/dodona"); !beside.empty()) {
        folders.push_back(beside);
    }
    return folders;
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
    std::vector<fs::path> folders = installed_folders();
    folders.emplace_back(kDataDirectory);
    for (const fs::path& folder : folders) {
        if (holds_data(folder)) {
            return folder;
        }
    }
    throw Missing(
        fmt::format("neither {} nor {} holds dodona's models and machines; set DODONA_DATA to the folder that does",
                    folders[folders.size() - 2].string(), kDataDirectory));
}

}  // namespace dodona::cli
