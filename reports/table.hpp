// Tables, aligned by the columns that a terminal shows; the same rows as Markdown.
//
//    #  strategy, mesh             step   MFU
//    1  data 8                   412 ms  31 %
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/style.hpp"

namespace dodona::reports {

/// Columns that a terminal needs for a UTF-8 text: combining marks none, East Asian wide characters two.
std::size_t display_columns(std::string_view text);

/// `text` broken at blanks into lines of at most `width` columns, each after the first behind `indent`.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

enum class Align { left, right };

struct Column {
    std::string title;
    Align align = Align::left;
};

class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// As many cells as there are columns.
    void row(std::vector<std::string> cells);
    [[nodiscard]] bool empty() const { return rows_.empty(); }

    [[nodiscard]] std::string to_text(Style style, std::string_view indent = "  ") const;
    [[nodiscard]] std::string to_markdown() const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace dodona::reports
