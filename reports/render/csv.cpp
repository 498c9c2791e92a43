// The rows of a document as CSV (RFC 4180). Headers are the paths of the JSON ("memory_bytes.total"), in the order in
// which they first appear. Lists of plain values are joined by "; ", lists of objects are in the JSON alone. Null is
// empty. Texts are printable, and none is a formula to a spreadsheet. Rows start with the model, machine and number of GPUs that were asked about; axes of a mesh are one column.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/csv_cell.hpp"
#include "reports/render/json.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::reports {

namespace {

using CsvCells = std::map<std::string, std::string>;

/// The headers in order of first appearance, and what each record has in some of them.
struct CsvRows {
    std::vector<std::string> headers;
    std::vector<CsvCells> rows;

    void put(const std::string& path, std::string value) {
        if (std::find(headers.begin(), headers.end(), path) == headers.end()) {
            headers.push_back(path);
        }
        rows.back()[path] = std::move(value);
    }
};

std::string plain_text(const Record& value) {
    const auto* text = std::get_if<std::string>(&value.of());
    return value.is_null() ? "" : text != nullptr ? csv_text(*text) : json_line(value);
}

/// "tensor=8 data=4": one column however many axes a mesh has, so that the columns of any two answers are the same.
std::string mesh_in_a_cell(const Record::Fields& axes) {
    std::string all;
    for (const Record::Field& axis : axes) {
        all += fmt::format("{}{}={}", all.empty() ? "" : " ", axis.key, plain_text(axis.value));
    }
    return all;
}

bool is_mesh(const std::string& path) { return path == "mesh" || path.ends_with(".mesh"); }

void flatten(const Record& value, const std::string& path, CsvRows& rows) {
    if (const auto* fields = std::get_if<Record::Fields>(&value.of())) {
        if (is_mesh(path)) {
            rows.put(path, mesh_in_a_cell(*fields));
            return;
        }
        for (const Record::Field& field : *fields) {
            flatten(field.value, path.empty() ? field.key : path + "." + field.key, rows);
        }
    } else if (const auto* list = std::get_if<Record::List>(&value.of())) {
        std::string joined;
        for (const Record& element : *list) {
            if (element.is_tree()) {
                return;
            }
            joined += (joined.empty() ? "" : "; ") + plain_text(element);
        }
        rows.put(path, joined);
    } else {
        rows.put(path, plain_text(value));
    }
}

}  // namespace

std::string render_csv(const Document& document, const Page&) {
    CsvRows table;
    for (const Record& record : rows_of(document)) {
        table.rows.emplace_back();
        if (!document.asked.is_null()) {
            flatten(document.asked, "", table);
        }
        flatten(record, "", table);
    }
    std::string all;
    const auto line = [&](auto cell) {
        for (std::size_t i = 0; i < table.headers.size(); ++i) {
            all += (i == 0 ? "" : ",") + csv_cell(cell(table.headers[i]));
        }
        all += "\n";
    };
    line([](const std::string& header) { return csv_text(header); });
    for (const CsvCells& cells : table.rows) {
        line([&cells](const std::string& header) {
            const auto cell = cells.find(header);
            return cell == cells.end() ? std::string{} : cell->second;
        });
    }
    return all;
}

}  // namespace dodona::reports
