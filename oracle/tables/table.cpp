#include "tables/table.hpp"

#include <fmt/format.h>

namespace dodona::tables {

namespace {

double extent(const graph::Weight& weight, std::string_view dimension) {
    for (const graph::TensorDimension& one : weight.dimensions) {
        if (one.name == dimension) {
            return static_cast<double>(one.extent);
        }
    }
    return 1;
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
            const auto count = static_cast<std::size_t>(extent(weight, "table"));
            const double features = extent(weight, "feature");
            const Table table{layer.name, extent(weight, "row"), features,
                              weight.touched / (static_cast<double>(count) * features)};
            for (std::size_t i = 0; i < count; ++i) {
                tables.push_back(table);
                tables.back().name += count > 1 ? fmt::format(".{}", i + 1) : "";
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
