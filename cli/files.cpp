#include "cli/files.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "build_config.hpp"
#include "cli/missing.hpp"

namespace dodona::cli {

files::Library library() {
    const char* given = std::getenv("DODONA_DATA");
    const std::filesystem::path folder = given != nullptr && *given != '\0' ? std::string_view(given) : kDataDirectory;
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder / "models", ignored)) {
        throw Missing(
            fmt::format("{} does not hold dodona's models and machines; set DODONA_DATA to the folder that "
                        "does",
                        folder.string()));
    }
    return files::Library(folder);
}

graph::Graph read_network(const std::string& name, const std::vector<std::pair<std::string, std::string>>& parameters) {
    std::vector<files::Setting> settings;
    for (const auto& [parameter, value] : parameters) {
        settings.push_back({parameter, value, {}});
    }
    return graph::build(library().model(name, settings, {}));
}

cluster::Cluster read_machine(const std::string& name) { return library().cluster(name, {}); }

plan::Strategy read_strategy(const std::string& name) { return library().strategy(name, {}); }

}  // namespace dodona::cli
