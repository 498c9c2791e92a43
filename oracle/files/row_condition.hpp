// Which rows of a table a line of conventions is about: columns and what they must hold.
#pragma once

#include <string>
#include <vector>

#include "files/fields.hpp"
#include "files/table_row.hpp"

namespace dodona::files {

/// Columns and what they must hold: one of some texts, in which `*` stands for any run of characters; "(blank)" is an empty
/// cell.
struct RowCondition {
    struct Column {
        std::string name;
        std::vector<std::string> patterns;
    };
    std::vector<Column> columns;  ///< all must match; none: every row

    [[nodiscard]] bool holds(const TableRow& row) const;
};

/// `when: {strategy: data}`. `columns` are those of the table; `table` is how messages call it: "a table of runs".
RowCondition read_condition(const Value& value, const std::vector<std::string>& columns, std::string_view table);

/// A name that must be one of the columns; the first one, after a fault, where it is not.
std::string read_column(const std::string& name, const Value& at, const std::vector<std::string>& columns,
                        std::string_view table);

}  // namespace dodona::files
