#include "tables/table.hpp"

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::tables {

namespace {

/// The dimension of this name; one of extent 1 where there is none.
graph::TensorDimension dimension(const std::vector<graph::TensorDimension>& dimensions, std::string_view name) {
    const auto* found = found_in(dimensions, &graph::TensorDimension::name, name);
    return found == nullptr ? graph::TensorDimension{std::string(name), 1} : *found;
}

/// Its extent at a table.
double extent_at(const graph::TensorDimension& dimension, std::size_t table) {
    return static_cast<double>(dimension.each.empty() ? dimension.extent : dimension.each[table]);
}

double rows_of(const Table& table, const Shard& shard) { return table.rows / shard.row_ways; }
double features_of(const Table& table, const Shard& shard) { return table.features / shard.column_ways; }
double lookups_of(const Table& table, const Shard& shard) { return table.lookups / shard.row_ways; }

}  // namespace

std::vector<Table> tables_of(const graph::Graph& graph) {
    std::vector<Table> tables;
    for (const graph::Layer& layer : graph.layers) {
        for (const graph::Weight& weight : layer.nest.weights) {
            if (weight.touched == 0) {
                continue;
            }
            const auto count = static_cast<std::size_t>(dimension(weight.dimensions, "table").extent);
            const graph::TensorDimension rows = dimension(weight.dimensions, "row");
            const auto features = static_cast<double>(dimension(weight.dimensions, "feature").extent);
            const graph::Tensor& ids = graph.layers[layer.producers.front()].nest.result;
            const graph::TensorDimension lookups = dimension(ids.dimensions, "lookup");
            const double of_all = weight.touched / (static_cast<double>(count) * features);
            for (std::size_t i = 0; i < count; ++i) {
                tables.push_back({layer.name + (count > 1 ? fmt::format(".{}", i + 1) : ""), extent_at(rows, i),
                                  features, lookups.each.empty() ? of_all : extent_at(lookups, i)});
            }
        }
    }
    return tables;
}

Bytes held(const Table& table, const Shard& shard, const RowFormat& format) {
    const double rows = rows_of(table, shard);
    return rows * features_of(table, shard) * (format.element + format.moments.per_element) +
           rows * format.moments.per_row;
}

Bytes forward_traffic(const Table& table, const Shard& shard, const RowFormat& format, double samples) {
    return samples * lookups_of(table, shard) * features_of(table, shard) * format.element;
}

Bytes backward_traffic(const Table& table, const Shard& shard, const RowFormat& format, double samples) {
    const double features = features_of(table, shard);
    const Bytes row = features * (format.element + format.moments.per_element) + format.moments.per_row;
    return 2 * samples * lookups_of(table, shard) * row;
}

Bytes pooled(const Table& table, const Shard& shard, const RowFormat& format, double samples) {
    return samples * features_of(table, shard) * format.pooled;
}

}  // namespace dodona::tables
