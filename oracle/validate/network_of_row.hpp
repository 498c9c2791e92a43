// The network that a row of a table of models describes: a model file and the parameters that make it this one.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "input/library.hpp"
#include "input/model_table.hpp"
#include "input/run_table.hpp"
#include "input/table_conventions.hpp"

namespace dodona::validate {

struct ModelOfRow {
    std::string file;
    std::vector<input::Setting> settings;
    std::vector<input::Run::Override> others;  ///< overrides that name no column: parameters of the file
};

/// The row with `overrides` in place of its cells: by the names of its columns. `hidden` or `heads` alone leaves
/// head_dim at hidden/heads, and key/value heads that were as many as heads stay so. Throws InputError, located in the
/// row, for what no model file can express.
ModelOfRow model_of_row(const input::ModelRow& row, const std::vector<input::Run::Override>& overrides,
                        const input::TableConventions& conventions);

/// Throws InputError where the row prints another number of parameters than the network that is built from it has.
void check_parameters(const input::ModelRow& row, const input::TableConventions& conventions,
                      const input::Library& library);

}  // namespace dodona::validate
