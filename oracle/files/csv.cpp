#include "files/csv.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "files/text.hpp"

namespace dodona::files {

namespace {

/// Cuts a text into rows of cells; knows lines and columns, not headers.
class Cutter {
public:
    Cutter(const Text& text, Diagnostics& faults) : text_(text.text), source_(text.source), faults_(faults) {}

    /// The next row that is not an empty line; empty at the end of the text.
    std::vector<CsvCell> row() {
        while (at_ < text_.size() && is_line_end()) {
            next_line();
        }
        std::vector<CsvCell> cells;
        while (at_ < text_.size()) {
            cells.push_back(text_[at_] == '"' ? quoted() : plain());
            count_cell(cells);
            if (at_ >= text_.size() || is_line_end()) {
                break;
            }
            ++at_;  // the comma
            if (at_ >= text_.size() || is_line_end()) {
                cells.push_back({{}, here()});
                break;
            }
        }
        if (at_ < text_.size()) {
            next_line();
        }
        return cells;
    }

private:
    void count_cell(const std::vector<CsvCell>& row) {
        if (row.size() > kMaxColumns) {
            fail(row.back().where, fmt::format("more than {} columns", kMaxColumns),
                 "leave out those that nobody reads");
        }
        if (++cells_ > kMaxCells) {
            fail(row.back().where, fmt::format("more than {} cells in one table", kMaxCells),
                 "cut the table into several files");
        }
    }

    [[nodiscard]] bool is_line_end() const {
        return text_[at_] == '\n' || (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n');
    }

    void next_line() {
        at_ = text_.find('\n', at_) + 1;
        line_start_ = at_;
        ++line_;
    }

    [[nodiscard]] Location here(std::size_t length = 1) const {
        return {source_, line_, static_cast<int>(at_ - line_start_) + 1,
                static_cast<int>(std::max<std::size_t>(length, 1))};
    }

    CsvCell plain() {
        const std::size_t start = at_;
        std::size_t end = start;
        while (end < text_.size() && text_[end] != ',' && text_[end] != '\n') {
            ++end;
        }
        if (end < text_.size() && text_[end] == '\n' && end > start && text_[end - 1] == '\r') {
            --end;
        }
        CsvCell cell{std::string(text_.substr(start, end - start)), here(end - start)};
        if (const std::size_t quote = cell.text.find('"'); quote != std::string::npos) {
            Location place = cell.where;
            place.column += static_cast<int>(quote);
            place.length = 1;
            faults_.error(place, "a quote inside a cell that does not start with one",
                          "put the whole cell in quotes and double the quotes inside");
        }
        at_ = end;
        return cell;
    }

    CsvCell quoted() {
        const Location opening = here();
        ++at_;
        CsvCell cell{{}, here(std::min(text_.find_first_of("\"\n", at_), text_.size()) - at_)};
        for (;;) {
            if (at_ >= text_.size()) {
                faults_.error(opening, "a quote that is never closed",
                              "close it, or double it if it is part of the text");
                return cell;
            }
            if (text_[at_] == '"') {
                if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') {
                    break;
                }
                ++at_;
            }
            cell.text += text_[at_];
            if (text_[at_] == '\n') {
                ++line_;
                line_start_ = at_ + 1;
            }
            ++at_;
        }
        ++at_;
        if (at_ < text_.size() && text_[at_] != ',' && !is_line_end()) {
            const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
            faults_.error(here(end - at_), "text after the closing quote of a cell",
                          "expected a comma or the end of the line; double a quote that is part of the text");
            at_ = end;
        }
        return cell;
    }

    std::string_view text_;
    std::shared_ptr<const Source> source_;
    Diagnostics& faults_;
    std::size_t at_ = 0;
    std::size_t cells_ = 0;
    std::size_t line_start_ = 0;
    int line_ = 1;
};

void check_header(const std::vector<CsvCell>& header, Diagnostics& faults) {
    std::set<std::string_view> seen;
    for (const CsvCell& cell : header) {
        if (cell.text.empty()) {
            faults.error(cell.where, "a column without a name", "the first line names the columns");
        } else if (!seen.insert(cell.text).second) {
            faults.error(cell.where, fmt::format("column \"{}\" is there twice", cell.text));
        }
    }
}

}  // namespace

CsvTable read_csv(std::string text, const std::string& name) {
    const Text read = read_text(std::move(text), name,
                                {.is = "comma-separated text", .too_large = "cut the table into several files"});
    Diagnostics faults;
    Cutter cutter(read, faults);
    CsvTable table;
    table.header = cutter.row();
    if (table.header.empty()) {
        fail({read.source, 0, 0, 1}, "empty: nothing to read");
    }
    check_header(table.header, faults);
    for (std::vector<CsvCell> row = cutter.row(); !row.empty(); row = cutter.row()) {
        if (row.size() != table.header.size()) {
            const bool is_short = row.size() < table.header.size();
            const Location where = is_short ? row.front().where : row[table.header.size()].where;
            faults.error(where,
                         fmt::format("{} cells in a row of a table of {} columns", row.size(), table.header.size()),
                         "cells with commas need quotes");
            continue;
        }
        table.rows.push_back(std::move(row));
    }
    faults.throw_if_errors();
    return table;
}

}  // namespace dodona::files
