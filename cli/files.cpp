#include "cli/files.hpp"

#include "cli/data_folder.hpp"

namespace dodona::cli {

files::Library library() { return files::Library(data_folder()); }

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
