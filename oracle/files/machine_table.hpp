// Tables of machines: a node and its fabric in each row, the columns in docs/files.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "files/table_row.hpp"

namespace dodona::files {

struct MachineRow : TableRow {
    std::string machine;
    std::string device;  ///< may be empty: then rows of runs name one
    std::int64_t gpus_per_node = 1;
    std::int64_t nvlink_domain = 1;      ///< devices under the same NVLink switches; at least a node
    std::optional<BytesPerSecond> link;  ///< of one device inside its node, one way
    std::optional<std::int64_t> nics;    ///< of a node
    std::optional<BytesPerSecond> nic;   ///< of one of them, one way
};

/// Columns that a table may have.
std::vector<std::string> machine_columns();

/// Throws InputError with every fault found: unknown and missing columns, values that are none, repeated machines.
std::vector<MachineRow> read_machines(const CsvTable& table);

/// Reads the file; `where` is the place that names it.
std::vector<MachineRow> load_machines(const std::string& path, const Location& where);

}  // namespace dodona::files
