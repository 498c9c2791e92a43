// Networks, machines, strategies and plans by the name that was typed: built in, or a file.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "files/library.hpp"
#include "graph/graph.hpp"
#include "questions/workload.hpp"

namespace dodona::cli {

/// What comes with dodona.
files::Library library();

/// The built-in that a word means, or the word itself: a name, a path, or nothing known. Where something else could have
/// been meant, a note on standard error says what was taken, unless --quiet is given.
std::string taken_as(const Arguments& arguments, files::NameOf kind, const std::string& typed);

/// `parameters` are those of `--set`; `where` the name stands, if it is from a file.
graph::Graph read_network(const std::string& name, const questions::Parameters& parameters = {},
                          const Location& where = {});
cluster::Cluster read_machine(const std::string& name, const Location& where = {});
plan::Strategy read_strategy(const std::string& name, const Location& where = {});

}  // namespace dodona::cli
