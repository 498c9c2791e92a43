#include "cli/files.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "cli/data_folder.hpp"

namespace dodona::cli {

files::Library library() { return files::Library(data_folder()); }

std::string taken_as(const Arguments& arguments, files::NameOf kind, const std::string& typed) {
    const auto meant = library().meant(kind, typed);
    if (meant && !meant->note.empty() && !arguments.has("--quiet")) {
        fmt::print(stderr, "note: {} is taken as {}: {}\n", as_typed(typed), meant->name, meant->note);
    }
    return meant ? meant->name : typed;
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
