#include "files/table_row.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "files/fields.hpp"
#include "files/number.hpp"

namespace dodona::files {

namespace {

/// The column that a word of the first line names; the word itself where it names none.
std::string column_of(const std::string& word, std::span<const ColumnRule> columns) {
    const auto* other =
        found_in(columns, [&](const ColumnRule& column) { return !word.empty() && column.other_name == word; });
    return other == nullptr ? word : std::string(other->name);
}

/// The words of a table whose first line has another separator come as one cell.
std::string help_for(const std::vector<CsvCell>& header, const std::vector<std::string>& known) {
    const bool has_other = header.size() == 1 && header.front().text.find_first_of(";\t") != std::string::npos;
    return has_other ? std::string("cells are separated by commas") : fmt::format("accepted here: {}", join(known));
}

void check_columns(const CsvTable& table, std::span<const ColumnRule> columns, Diagnostics& faults) {
    const std::vector<std::string> known = names_of(columns);
    std::vector<std::string> given;
    for (const CsvCell& cell : table.header) {
        const std::string column = column_of(cell.text, columns);
        if (column != cell.text && std::find(given.begin(), given.end(), column) != given.end()) {
            faults.error(cell.where, fmt::format("\"{}\" is another name of the column {}", cell.text, column),
                         "keep one of the two");
        }
        given.push_back(column);
        if (std::find(known.begin(), known.end(), column) == known.end()) {
            faults.error(cell.where, fmt::format("unknown column \"{}\"{}", cell.text, did_you_mean(cell.text, known)),
                         help_for(table.header, known));
        }
    }
    std::vector<std::string> missing;
    for (const ColumnRule& column : columns) {
        const std::string name(column.name);
        const bool is_misspelt =
            any_of(given, [&](const std::string& word) { return nearest(word, std::span(&name, 1)) == name; });
        if (column.required && !is_misspelt) {
            missing.push_back(name);
        }
    }
    if (!missing.empty()) {
        faults.error(table.header.front().where, fmt::format("columns are missing: {}", join(missing)),
                     "docs/files.md says what they hold");
    }
}

const CsvCell& found(const TableRow& row, std::string_view column) {
    const auto cell = row.cells.find(column);
    check(cell != row.cells.end(), "a row has every column");
    return cell->second;
}

}  // namespace

const std::string& TableRow::cell(std::string_view column) const { return found(*this, column).text; }
Location TableRow::place(std::string_view column) const { return found(*this, column).where; }

std::vector<std::string> names_of(std::span<const ColumnRule> columns) {
    return mapped<std::string>(columns, &ColumnRule::name);
}

std::vector<TableRow> read_rows(const CsvTable& table, std::span<const ColumnRule> columns, Diagnostics& faults) {
    check_columns(table, columns, faults);
    if (table.rows.size() > kMaxRows) {
        faults.error(table.rows[kMaxRows].front().where, fmt::format("more than {} rows", kMaxRows),
                     "cut the table into several files");
    }
    faults.throw_if_errors();
    std::vector<TableRow> rows;
    for (const std::vector<CsvCell>& given : table.rows) {
        TableRow& row = rows.emplace_back();
        for (const ColumnRule& column : columns) {
            row.cells[std::string(column.name)] = {std::string(column.usual), given.front().where};
        }
        for (std::size_t i = 0; i < given.size(); ++i) {
            CsvCell& cell = row.cells[column_of(table.header[i].text, columns)];
            cell.where = given[i].where;
            cell.text = given[i].text.empty() ? cell.text : given[i].text;
        }
        for (const ColumnRule& column : columns) {
            if (column.required && row.cell(column.name).empty()) {
                faults.error(row.place(column.name), fmt::format("{}: no value", column.name));
            }
        }
    }
    return rows;
}

std::int64_t whole_at(const std::string& digits, std::string_view column, const Location& where, std::int64_t least,
                      Diagnostics& faults) {
    const auto read = whole_from(digits);
    if (const auto* fault = std::get_if<NotANumber>(&read)) {
        faults.error(where, fmt::format("{}: \"{}\" {}", column, digits, fault->why), "counts are plain digits: 64");
        return least;
    }
    const auto number = std::get<std::int64_t>(read);
    if (number < least || number > kMaxWhole) {
        faults.error(where, fmt::format("{}: {} must be at {} {}", column, number, number < least ? "least" : "most",
                                        number < least ? least : kMaxWhole));
        return least;
    }
    return number;
}

std::int64_t whole_cell(const TableRow& row, std::string_view column, std::int64_t least, Diagnostics& faults) {
    return whole_at(row.cell(column), column, row.place(column), least, faults);
}

std::optional<double> positive_cell(const TableRow& row, std::string_view column, Diagnostics& faults) {
    const std::string& text = row.cell(column);
    if (text.empty()) {
        return std::nullopt;
    }
    const auto read = decimal_from(text);
    if (const auto* fault = std::get_if<NotANumber>(&read)) {
        faults.error(row.place(column), fmt::format("{}: \"{}\" {}", column, text, fault->why));
        return std::nullopt;
    }
    if (std::get<double>(read) <= 0) {
        faults.error(row.place(column), fmt::format("{}: {} must be more than zero", column, text));
        return std::nullopt;
    }
    return std::get<double>(read);
}

}  // namespace dodona::files
