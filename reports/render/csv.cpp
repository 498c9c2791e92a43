// The rows of a document as CSV (RFC 4180). Headers are the paths of the JSON ("memory_bytes.total"), in the order in
// which they first appear. Lists of plain values are joined by "; ", lists of objects are in the JSON alone. Null is
// empty.
#include <algorithm>
#include <map>

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
    return value.is_null() ? "" : text != nullptr ? *text : json_line(value);
}

void flatten(const Record& value, const std::string& path, CsvRows& rows) {
    if (const auto* fields = std::get_if<Record::Fields>(&value.of())) {
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

std::string quoted_where_due(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
        return cell;
    }
    std::string result = "\"";
    for (const char c : cell) {
        result += c;
        if (c == '"') {
            result += c;
        }
    }
    return result + "\"";
}

}  // namespace

std::string render_csv(const Document& document, const Page&) {
    CsvRows table;
    for (const Record& record : rows_of(document)) {
        table.rows.emplace_back();
        flatten(record, "", table);
    }
    std::string all;
    const auto line = [&](auto cell) {
        for (std::size_t i = 0; i < table.headers.size(); ++i) {
            all += (i == 0 ? "" : ",") + quoted_where_due(cell(table.headers[i]));
        }
        all += "\n";
    };
    line([](const std::string& header) { return header; });
    for (const CsvCells& cells : table.rows) {
        line([&cells](const std::string& header) {
            const auto cell = cells.find(header);
            return cell == cells.end() ? std::string{} : cell->second;
        });
    }
    return all;
}

}  // namespace dodona::reports
