#include "cli/files.hpp"

#include <fmt/format.h>

#include "cli/data_folder.hpp"
#include "cli/note.hpp"
#include "search/answer.hpp"

namespace dodona::cli {

files::Library library() { return files::Library(data_folder()); }

std::string taken_as(const Arguments& arguments, files::NameOf kind, const std::string& typed) {
    const auto meant = library().resolve_alias(kind, typed);
    if (meant && !meant->note.empty() && !arguments.has("--quiet")) {
        note("{} is taken as {}: {}", as_typed(typed), meant->name, meant->note);
    }
    return meant ? meant->name : typed;
}

graph::Graph read_network(const std::string& name, const questions::Parameters& parameters, const Location& where) {
    return graph::build(library().model(name, questions::settings_of(parameters), where));
}

cluster::Cluster read_machine(const std::string& name, const Location& where) { return library().cluster(name, where); }

plan::Strategy read_strategy(const std::string& name, const Location& where) {
    if (name == search::kByLayers) {
        fail(where, fmt::format("--strategy {}: only `dodona plan` searches a strategy for each layer", name),
             "`dodona plan ... --strategy auto --save plan.yaml` writes one that --plan takes");
    }
    return library().strategy(name, where);
}

}  // namespace dodona::cli
