// Tables of networks: the shape of one in each row, the columns in docs/files.md.
#pragma once

#include <string>
#include <vector>

#include "files/table_row.hpp"

namespace dodona::files {

struct ModelRow : TableRow {
    std::string model;
    std::optional<double> parameters;  ///< as the table prints it, of the whole network
};

/// Columns that a table may have.
std::vector<std::string> model_columns();

/// Those of them that say what a network looks like.
std::vector<std::string> shape_columns();

/// Does the row hold more in this column than an empty cell would?
bool says_something(const ModelRow& row, std::string_view column);

/// Throws InputError with every fault found: unknown and missing columns, values that are none, repeated networks.
std::vector<ModelRow> read_models(const CsvTable& table);

/// Reads the file; `where` is the place that names it.
std::vector<ModelRow> load_models(const std::string& path, const Location& where);

}  // namespace dodona::files
