#include "reports/csv.hpp"

#include <algorithm>
#include <map>

namespace dodona::reports {

namespace {

/// Columns in order of first appearance, and the cell that a record has in some of them.
struct Columns {
    std::vector<std::string> headers;
    using Cells = std::map<std::string, std::string>;

    void put(Cells& cells, const std::string& path, std::string value) {
        if (std::find(headers.begin(), headers.end(), path) == headers.end()) {
            headers.push_back(path);
        }
        cells[path] = std::move(value);
    }
};

std::string plain(const Json& value) {
    if (value.is_null()) {
        return {};
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void flatten(const Json& value, const std::string& path, Columns& columns, Columns::Cells& cells) {
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) {
            flatten(member, path.empty() ? key : path + "." + key, columns, cells);
        }
    } else if (value.is_array()) {
        std::string joined;
        for (const Json& element : value) {
            if (element.is_structured()) {
                return;
            }
            joined += (joined.empty() ? "" : "; ") + plain(element);
        }
        columns.put(cells, path, joined);
    } else {
        columns.put(cells, path, plain(value));
    }
}

std::string csv_cell(const std::string& cell) {
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

std::string csv(const std::vector<Json>& records) {
    Columns columns;
    std::vector<Columns::Cells> rows;
    for (const Json& record : records) {
        flatten(record, "", columns, rows.emplace_back());
    }
    std::string all;
    const auto line = [&](auto cell) {
        for (std::size_t i = 0; i < columns.headers.size(); ++i) {
            all += (i == 0 ? "" : ",") + csv_cell(cell(columns.headers[i]));
        }
        all += "\n";
    };
    line([](const std::string& header) { return header; });
    for (const Columns::Cells& row : rows) {
        line([&row](const std::string& header) {
            const auto cell = row.find(header);
            return cell == row.end() ? std::string{} : cell->second;
        });
    }
    return all;
}

}  // namespace dodona::reports
