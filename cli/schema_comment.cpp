#include "cli/schema_comment.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "cli/data_folder.hpp"

namespace dodona::cli {

namespace fs = std::filesystem;

std::string schema_comment(const std::string& kind, const std::string& file) {
    std::error_code ignored;
    const fs::path data = fs::weakly_canonical(data_folder(), ignored);
    const fs::path folder = fs::weakly_canonical(fs::absolute(file, ignored), ignored).parent_path();
    const fs::path schema = data / "docs/schemas" / (kind + ".schema.json");
    const std::string from_data = folder.lexically_relative(data).generic_string();
    const bool is_beside = !from_data.empty() && !from_data.starts_with("..");
    const fs::path path = is_beside ? schema.lexically_relative(folder) : schema;
    return fmt::format("# yaml-language-server: $schema={}\n", path.generic_string());
}

}  // namespace dodona::cli
