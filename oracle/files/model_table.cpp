#include "files/model_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/text.hpp"

namespace dodona::files {

namespace {

constexpr double kBillion = 1e9;

constexpr std::array kModelColumns{
    ColumnRule{"model", true},
    ColumnRule{"family", true},
    ColumnRule{"layers"},
    ColumnRule{"hidden"},
    ColumnRule{"heads"},
    ColumnRule{"kv_heads"},
    ColumnRule{"head_dim"},
    ColumnRule{"ffn"},
    ColumnRule{"gated"},
    ColumnRule{"vocab"},
    ColumnRule{"tied"},
    ColumnRule{"positional"},
    ColumnRule{"norm"},
    ColumnRule{"experts"},
    ColumnRule{"top_k"},
    ColumnRule{"moe_ffn"},
    ColumnRule{"shared_ffn", false, "0"},
    ColumnRule{"dense_layers", false, "0"},
    ColumnRule{"moe_every", false, "1"},
    ColumnRule{"mla_q_lora"},
    ColumnRule{"mla_kv_lora"},
    ColumnRule{"mla_qk_nope"},
    ColumnRule{"mla_qk_rope"},
    ColumnRule{"mla_v"},
    ColumnRule{"mtp", false, "0"},
    ColumnRule{"parameters_billion"},
    ColumnRule{"source"},
    ColumnRule{"notes"},
};

constexpr std::array<std::string_view, 4> kWords{"gated", "tied", "positional", "norm"};
constexpr std::array<std::string_view, 5> kNoShape{"model", "family", "parameters_billion", "source", "notes"};

ModelRow read_model_row(TableRow cells, Diagnostics& faults) {
    ModelRow row{std::move(cells)};
    row.model = row.cell("model");
    for (const std::string& column : shape_columns()) {
        if (!contains(kWords, column) && !row.cell(column).empty()) {
            static_cast<void>(whole_cell(row, column, 0, faults));
        }
    }
    if (const auto billions = positive_cell(row, "parameters_billion", faults)) {
        row.parameters = kBillion * *billions;
    }
    return row;
}

}  // namespace

std::vector<std::string> model_columns() { return names_of(kModelColumns); }

std::vector<std::string> shape_columns() {
    std::vector<std::string> columns = model_columns();
    std::erase_if(columns, [](const std::string& column) { return contains(kNoShape, column); });
    return columns;
}

bool says_something(const ModelRow& row, std::string_view column) {
    const auto rule = std::find_if(kModelColumns.begin(), kModelColumns.end(),
                                   [&](const ColumnRule& each) { return each.name == column; });
    return rule != kModelColumns.end() && row.cell(column) != rule->usual && row.cell(column) != "0";
}

std::vector<ModelRow> read_models(const CsvTable& table) {
    Diagnostics faults;
    std::vector<ModelRow> models;
    std::set<std::string> names;
    for (TableRow& row : read_rows(table, kModelColumns, faults)) {
        models.push_back(read_model_row(std::move(row), faults));
        if (!names.insert(models.back().model).second) {
            faults.error(models.back().place("model"),
                         fmt::format("model: \"{}\" is there twice", models.back().model));
        }
    }
    faults.throw_if_errors();
    return models;
}

std::vector<ModelRow> load_models(const std::string& path, const Location& where) {
    return read_models(read_csv(load_bytes(path, path, where), path));
}

}  // namespace dodona::files
