#include "validate/network_of_row.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "graph/graph.hpp"

namespace dodona::validate {

namespace {

/// Printed counts leave out positions, biases or a second head now and then; another family misses by far more.
constexpr double kTolerance = 0.02;
constexpr double kBillion = 1e9;

std::int64_t number(const files::ModelRow& row, std::string_view column) {
    const std::string& text = row.cell(column);
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// The row with overrides in its cells.
files::ModelRow overridden(files::ModelRow row, const std::vector<files::MeasuredRun::Override>& overrides,
                           std::vector<files::MeasuredRun::Override>& others) {
    const std::vector<std::string> columns = files::shape_columns();
    const bool heads_alike = row.cell("kv_heads") == row.cell("heads");
    bool is_reshaped = false;
    bool has_kv_heads = false;
    bool has_head_dim = false;
    for (const files::MeasuredRun::Override& given : overrides) {
        if (!contains(columns, given.name)) {
            others.push_back(given);
            continue;
        }
        row.cells[given.name] = {given.value, given.where};
        is_reshaped = is_reshaped || given.name == "hidden" || given.name == "heads";
        has_kv_heads = has_kv_heads || given.name == "kv_heads";
        has_head_dim = has_head_dim || given.name == "head_dim";
    }
    if (is_reshaped && !has_head_dim) {
        row.cells["head_dim"].text.clear();
    }
    if (is_reshaped && heads_alike && !has_kv_heads) {
        row.cells["kv_heads"].text.clear();
    }
    return row;
}

/// What an empty cell means in terms of the file's parameters.
std::string usual(const std::string& column) {
    return column == "kv_heads" ? "heads" : column == "head_dim" ? "hidden/heads" : column == "ffn" ? "4*hidden" : "";
}

void check_implied(const files::ModelRow& row, const std::string& file) {
    if (!row.cell("kv_heads").empty() && number(row, "kv_heads") != number(row, "heads")) {
        fail(row.place("kv_heads"),
             fmt::format("kv_heads: {} of {} heads cannot be expressed by model {}, which has as many of both",
                         row.cell("kv_heads"), row.cell("heads"), file));
    }
    if (!row.cell("head_dim").empty() && number(row, "head_dim") * number(row, "heads") != number(row, "hidden")) {
        fail(row.place("head_dim"), fmt::format("head_dim: {} cannot be expressed by model {}, whose heads share {} "
                                                "features",
                                                row.cell("head_dim"), file, row.cell("hidden")));
    }
}

/// Nothing that the row says may be passed over.
void check_used(const files::ModelRow& row, const files::ModelFamily& family) {
    std::vector<std::string> used = family.without;
    append(used, family.when.columns, &files::RowCondition::Column::name);
    for (const auto& [parameter, column] : family.set) {
        used.push_back(column);
    }
    for (const std::string& column : files::shape_columns()) {
        const std::string& cell = row.cell(column);
        const bool is_implied = column == "kv_heads" || column == "head_dim";
        if (!is_implied && says_something(row, column) && !contains(used, column)) {
            fail(row.place(column),
                 fmt::format("{}: {} means nothing for a network of family {}", column, cell, row.cell("family")));
        }
    }
}

}  // namespace

ModelOfRow model_of_row(const files::ModelRow& given, const std::vector<files::MeasuredRun::Override>& overrides,
                        const files::TableConventions& conventions) {
    ModelOfRow model;
    const files::ModelRow row = overridden(given, overrides, model.others);
    const auto family = std::find_if(conventions.models.begin(), conventions.models.end(),
                                     [&](const files::ModelFamily& each) { return each.when.holds(row); });
    if (family == conventions.models.end()) {
        fail(row.place("family"),
             fmt::format("family: no model file can express a {} with these positions, norms and layers: write one",
                         row.cell("family")));
    }
    if (!family->refusal.empty()) {
        fail(row.place("family"), fmt::format("family: {}: {}", row.cell("family"), family->refusal));
    }
    check_used(row, *family);
    model.file = family->model;
    bool has_kv_heads = false;
    bool has_head_dim = false;
    for (const auto& [parameter, column] : family->set) {
        const std::string& cell = row.cell(column);
        const std::string value = cell.empty() ? usual(column) : cell;
        if (value.empty()) {
            fail(row.place(column),
                 fmt::format("{}: no value, and a network of family {} has one", column, row.cell("family")));
        }
        model.settings.push_back({parameter, value, row.place(column), column});
        has_kv_heads = has_kv_heads || column == "kv_heads";
        has_head_dim = has_head_dim || column == "head_dim";
    }
    if (!has_kv_heads && !has_head_dim && !contains(family->without, "kv_heads")) {
        check_implied(row, family->model);
    }
    return model;
}

void check_parameters(const files::ModelRow& row, const files::TableConventions& conventions,
                      const files::Library& library) {
    if (!row.parameters) {
        return;
    }
    const ModelOfRow model = model_of_row(row, {}, conventions);
    const graph::Graph graph = graph::build(library.model(model.file, model.settings, row.place("model")));
    const double parameters = graph::count(graph).parameters;
    if (std::abs(parameters / *row.parameters - 1) > kTolerance) {
        fail(row.place("parameters_billion"),
             fmt::format("parameters_billion: {} is printed, the network that its row describes has {:.3f} (model {})",
                         row.cell("parameters_billion"), parameters / kBillion, model.file));
    }
}

}  // namespace dodona::validate
