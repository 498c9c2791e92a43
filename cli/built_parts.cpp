#include "cli/built_parts.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/program_folder.hpp"
#include "cli/data_folder.hpp"

namespace dodona::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> parts_in(const fs::path& folder, std::span<const char* const> names) {
    std::vector<std::string> all;
    for (const char* name : names) {
        std::ifstream stream(folder / name, std::ios::binary);
        if (!stream) {
            return {};
        }
        all.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    return all;
}

}  // namespace

std::vector<std::string> built_parts(const BuiltParts& parts) {
    std::vector<fs::path> folders;
    if (const char* given = std::getenv(parts.variable); given != nullptr && *given != '\0') {
        folders.emplace_back(given);
    } else {
        if (const fs::path beside = beside_program(parts.folder); !beside.empty()) {
            folders.push_back(beside);
        }
        folders.push_back(data_folder() / parts.folder);
    }
    for (const fs::path& folder : folders) {
        if (std::vector<std::string> all = parts_in(folder, parts.names); !all.empty()) {
            return all;
        }
    }
    return {};
}

}  // namespace dodona::cli
