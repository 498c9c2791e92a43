// Rows of tables with a fixed set of columns, and their cells as values: what tables of runs, models and machines
// share.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "files/csv.hpp"

namespace dodona::files {

inline constexpr std::size_t kMaxRows = 50'000;

struct ColumnRule {
    std::string_view name;
    bool required = false;
    std::string_view usual = "";       ///< what an empty cell, or a table without the column, says
    std::string_view other_name = "";  ///< also read; empty: none
};

/// All cells by column, those that the file leaves out as their usual text at the start of the row.
struct TableRow {
    std::map<std::string, CsvCell, std::less<>> cells;

    [[nodiscard]] const std::string& cell(std::string_view column) const;
    [[nodiscard]] Location place(std::string_view column) const;
};

std::vector<std::string> names_of(std::span<const ColumnRule> columns);

/// The rows of a table, in its order. Throws InputError for unknown and missing columns; of a required cell that is
/// empty, `faults` is told.
std::vector<TableRow> read_rows(const CsvTable& table, std::span<const ColumnRule> columns, Diagnostics& faults);

/// A cell as a value; `faults` is told `column: message` where it is none.
std::int64_t whole_cell(const TableRow& row, std::string_view column, std::int64_t least, Diagnostics& faults);
/// More than zero; nothing where the cell is empty.
std::optional<double> positive_cell(const TableRow& row, std::string_view column, Diagnostics& faults);
/// A whole number of at least `least` at a place inside a cell.
std::int64_t whole_at(const std::string& digits, std::string_view column, const Location& where, std::int64_t least,
                      Diagnostics& faults);

}  // namespace dodona::files
