// The network that a row of a table of models describes: a model file and the parameters that make it this one.
#pragma once

#include <string>
#include <vector>

#include "files/library.hpp"
#include "files/model_table.hpp"
#include "files/run_table.hpp"
#include "files/table_conventions.hpp"
#include "graph/graph.hpp"

namespace dodona::validate {

struct ModelOfRow {
    std::string file;
    std::vector<files::Setting> settings;
    std::vector<files::MeasuredRun::Override> others;  ///< overrides that name no column: parameters of the file
};

/// The row with `overrides` in place of its cells: by the names of its columns. `hidden` or `heads` alone leaves
/// head_dim at hidden/heads, and key/value heads that were as many as heads stay so. Throws InputError, located in the
/// row, for what no model file can express.
ModelOfRow model_of_row(const files::ModelRow& row, const std::vector<files::MeasuredRun::Override>& overrides,
                        const files::TableConventions& conventions);

/// Throws InputError where the row prints another number of parameters than the network that is built from it has.
void check_parameters(const files::ModelRow& row, const files::TableConventions& conventions,
                      const files::Library& library);

}  // namespace dodona::validate
