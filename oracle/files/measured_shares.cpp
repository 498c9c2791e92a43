#include "files/measured_shares.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "files/csv.hpp"
#include "files/document.hpp"
#include "files/number.hpp"
#include "files/text.hpp"

namespace dodona::files {

namespace {

constexpr double kMaxExperts = 4096;
constexpr double kMaxShare = 1e15;  // sums of shares are exact enough

/// Cells of a table by their column.
class MeasuredTable {
public:
    /// `required` columns, which must be there, and `others`, which may.
    MeasuredTable(CsvTable table, std::string name, const std::vector<std::string>& required,
                  const std::vector<std::string>& others)
        : table_(std::move(table)), name_(std::move(name)) {
        std::vector<std::string> known = required;
        known.insert(known.end(), others.begin(), others.end());
        for (std::size_t column = 0; column < table_.header.size(); ++column) {
            const CsvCell& cell = table_.header[column];
            columns_[cell.text] = column;
            if (std::find(known.begin(), known.end(), cell.text) == known.end()) {
                faults.error(cell.where, fmt::format("{}: unknown column{}", cell.text, did_you_mean(cell.text, known)),
                             "columns: " + join(known));
            }
        }
        for (const std::string& column : required) {
            if (!columns_.contains(column)) {
                faults.error(table_.header.empty() ? Location{} : table_.header.front().where,
                             fmt::format("{}: missing column {}", name_, column), "columns: " + join(known));
            }
        }
        faults.throw_if_errors();
    }

    [[nodiscard]] std::size_t rows() const { return table_.rows.size(); }
    [[nodiscard]] bool has(const std::string& column) const { return columns_.contains(column); }
    [[nodiscard]] const CsvCell& cell(std::size_t row, const std::string& column) const {
        return table_.rows[row][columns_.at(column)];
    }

    /// A number of at least `least`; a fault is noted.
    double number(std::size_t row, const std::string& column, double least) {
        const CsvCell& held = cell(row, column);
        const auto read = decimal_from(held.text);
        if (const auto* fault = std::get_if<NotANumber>(&read)) {
            faults.error(held.where, fmt::format("{}: \"{}\" {}", column, held.text, fault->why));
            return least;
        }
        if (std::get<double>(read) < least) {
            faults.error(held.where, fmt::format("{}: {} is less than {}", column, held.text, shortest(least)));
            return least;
        }
        return std::get<double>(read);
    }

    /// A share of something, in any unit.
    double share(std::size_t row, const std::string& column) {
        const double value = number(row, column, 0);
        if (value > kMaxShare) {
            faults.error(cell(row, column).where,
                         fmt::format("{}: {} is more than {}", column, shortest(value), shortest(kMaxShare)),
                         "a larger unit");
        }
        return value;
    }

    /// A whole number between both.
    double whole(std::size_t row, const std::string& column, double least, double most, const std::string& help) {
        const double value = number(row, column, least);
        if (value > most || value != std::floor(value)) {
            faults.error(cell(row, column).where,
                         value > most ? fmt::format("{}: {} is more than {}", column, shortest(value), shortest(most))
                                      : fmt::format("{}: {} is no whole number", column, shortest(value)),
                         help);
            return least;
        }
        return value;
    }

    /// Nothing was counted.
    [[noreturn]] void fail_empty(const std::string& help) const { fail({}, name_ + ": the rows count nothing", help); }

    Diagnostics faults;

private:
    CsvTable table_;
    std::string name_;
    std::map<std::string, std::size_t> columns_;
};

/// The loads of one layer by expert; a fault where an expert lacks or is there twice.
void put_load(std::vector<std::optional<double>>& layer, std::size_t expert, double tokens, const CsvCell& cell,
              Diagnostics& faults) {
    layer.resize(std::max(layer.size(), expert + 1));
    if (layer[expert]) {
        faults.error(cell.where, fmt::format("expert {} is here twice", expert),
                     "one row for each expert; a column layer where several layers were measured");
    }
    layer[expert] = tokens;
}

std::vector<double> complete(const std::vector<std::optional<double>>& layer, std::size_t experts,
                             const std::string& name) {
    std::vector<double> loads;
    double sum = 0;
    for (std::size_t expert = 0; expert < experts; ++expert) {
        if (expert >= layer.size() || !layer[expert]) {
            fail({}, fmt::format("{}: expert {} is missing", name, expert),
                 fmt::format("rows for all of 0 to {}, 0 tokens where nothing was sent", experts - 1));
        }
        loads.push_back(*layer[expert]);
        sum += *layer[expert];
    }
    if (sum <= 0) {
        fail({}, name + ": no expert has tokens");
    }
    return loads;
}

}  // namespace

lengths::Distribution read_lengths(CsvTable cells, const std::string& name, double most) {
    MeasuredTable table(std::move(cells), name, {"length"}, {"share"});
    const std::string help =
        fmt::format("the network reads {} tokens a sample: --seq for longer ones, or cut samples", shortest(most));
    std::vector<lengths::Share> shares;
    double sum = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double length = table.whole(row, "length", 1, most, help);
        const double share = table.has("share") ? table.share(row, "share") : 1;
        shares.push_back({length, share});
        sum += share;
    }
    table.faults.throw_if_errors();
    if (sum <= 0) {
        table.fail_empty("a row for each length, such as 512,0.25; or one length for each sample");
    }
    return lengths::Distribution(std::move(shares));
}

lengths::Distribution load_lengths(const std::string& path, double most) {
    return read_lengths(read_csv(load_bytes(path, path, command_line()), path), path, most);
}

graph::ExpertLoads read_expert_loads(CsvTable cells, const std::string& name) {
    MeasuredTable table(std::move(cells), name, {"expert", "tokens"}, {"layer"});
    std::vector<std::string> order;
    std::map<std::string, std::vector<std::optional<double>>> layers;
    std::size_t experts = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string layer = table.has("layer") ? table.cell(row, "layer").text : "";
        if (!layers.contains(layer)) {
            order.push_back(layer);
        }
        const auto expert =
            static_cast<std::size_t>(table.whole(row, "expert", 0, kMaxExperts, "experts are counted from 0"));
        const double tokens = table.share(row, "tokens");
        put_load(layers[layer], expert, tokens, table.cell(row, "expert"), table.faults);
        experts = std::max(experts, expert + 1);
    }
    table.faults.throw_if_errors();
    if (layers.empty()) {
        table.fail_empty("a row for each expert: expert,tokens");
    }
    graph::ExpertLoads loads;
    for (const std::string& layer : order) {
        loads.push_back(complete(layers[layer], experts, layer.empty() ? name : name + ", layer " + layer));
    }
    return loads;
}

graph::ExpertLoads load_expert_loads(const std::string& path) {
    return read_expert_loads(read_csv(load_bytes(path, path, command_line()), path), path);
}

}  // namespace dodona::files
