// Networks, machines, strategies and plans by the name that was typed: built in, or a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "files/library.hpp"
#include "graph/graph.hpp"

namespace dodona::cli {

/// What comes with dodona.
files::Library library();

/// The built-in that a word means, or the word itself: a name, a path, or nothing known. Where something else could have
/// been meant, a note on standard error says what was taken, unless --quiet is given.
std::string taken_as(const Arguments& arguments, files::NameOf kind, const std::string& typed);

/// What `--set` gave, as readers of files take it.
std::vector<files::Setting> settings_of(const std::vector<std::pair<std::string, std::string>>& parameters);

/// `parameters` are those of `--set`; `where` the name stands, if it is from a file.
graph::Graph read_network(const std::string& name,
                          const std::vector<std::pair<std::string, std::string>>& parameters = {},
                          const files::Library& from = library(), const Location& where = {});
/// Of a model file's text; `name` is how messages call it.
graph::Graph read_network_text(const std::string& text, const std::string& name,
                               const std::vector<std::pair<std::string, std::string>>& parameters);
cluster::Cluster read_machine(const std::string& name, const Location& where = {});
plan::Strategy read_strategy(const std::string& name, const Location& where = {});

}  // namespace dodona::cli
