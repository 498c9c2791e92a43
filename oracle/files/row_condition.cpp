#include "files/row_condition.hpp"

#include <algorithm>

#include "plan/rules.hpp"

namespace dodona::files {

namespace {

constexpr std::string_view kBlank = "(blank)";

}  // namespace

bool RowCondition::holds(const TableRow& row) const {
    return std::all_of(columns.begin(), columns.end(), [&](const Column& column) {
        const std::string& cell = row.cell(column.name);
        return std::any_of(column.patterns.begin(), column.patterns.end(), [&](const std::string& pattern) {
            return pattern == kBlank ? cell.empty() : plan::matches_pattern(cell, pattern);
        });
    });
}

std::string read_column(const std::string& name, const Value& at, const std::vector<std::string>& columns,
                        std::string_view table) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
        at.error(fmt::format("\"{}\" is no column of {}{}", name, table, did_you_mean(name, columns)),
                 fmt::format("columns: {}", join(columns)));
        return columns.front();
    }
    return name;
}

RowCondition read_condition(const Value& value, const std::vector<std::string>& columns, std::string_view table) {
    RowCondition condition;
    for (const Fields::Member& member : Fields(value).rest()) {
        condition.columns.push_back({read_column(member.key, member.value, columns, table), member.value.texts()});
    }
    return condition;
}

}  // namespace dodona::files
