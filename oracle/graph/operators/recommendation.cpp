// Operators of recommendation models: pooled look-ups in many tables, and the interaction of their results.
// Source: Naumov et al., arXiv:1906.00091 (DLRM), sections 2.1 and 2.2, and its code, dlrm_s_pytorch.py.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr int kTable = 1, kLookup = 2, kTableRow = 3, kFeature = 4;

/// Forward reads a row of the table a look-up and writes one sum a table; backward adds one row of gradient a look-up
/// into the table's: one kernel for all tables, as FBGEMM's and HugeCTR's are. A rank with a part of the rows has its
/// share of the look-ups. `rows`: of a table in the mean. A whole gradient, which is in fp32, is set to zero before.
Work pooled(const LocalExtents& local, double rows, bool whole) {
    const double lookups = local[kBatch] * local[kTable] * local[kLookup];
    const double met = lookups * local[kTableRow] / rows;
    const double pooled = local[kBatch] * local[kTable] * local[kFeature];
    const Bytes indices = 8 * lookups * unit::byte;
    const Kernel forward{.kind = KernelKind::gather,
                         .m = met,
                         .n = local[kFeature],
                         .k = local[kTable] * local[kTableRow],
                         .flops = met * local[kFeature] * unit::flop,
                         .elements = met * local[kFeature] + pooled,
                         .fixed_bytes = indices,
                         .pooled = true};
    Kernel scatter = forward;
    scatter.elements = 2 * met * local[kFeature] + pooled;
    Work work{.forward = {forward}, .backward_weight = {scatter}};
    if (whole) {
        const double table = local[kTable] * local[kTableRow] * local[kFeature];
        work.backward_weight.insert(work.backward_weight.begin(), stream(0, 0, 4 * table * unit::byte));
    }
    return work;
}

/// An extent that the ids have and an attribute may repeat.
bool agrees(Attributes& attributes, const std::string& key, Extent extent) {
    const Extent given = attributes.positive(key, extent);
    if (given == extent) {
        return true;
    }
    attributes.error_at(key, fmt::format("{}, but the ids are of {}", given, extent));
    return false;
}

/// The rows of the tables: one number for all, or one for each. Faults are reported.
TensorDimension rows_of_tables(Attributes& attributes, Extent tables) {
    std::vector<Extent> rows = attributes.list("rows", 1);
    if (rows.size() == 1) {
        return {"row", rows.front()};
    }
    if (!rows.empty() && rows.size() != static_cast<std::size_t>(tables)) {
        attributes.error_at("rows", fmt::format("{} numbers, but there are {} tables", rows.size(), tables),
                            "one for all tables, or one for each");
    }
    return rows.empty() ? TensorDimension{"row", 1} : ragged("row", std::move(rows));
}

struct Vectors {
    double count = 0;     ///< tables and the dense vector
    double features = 0;  ///< of each
    double pairs = 0;     ///< dot products that are kept
};

/// DLRM's own steps: the vectors of a sample side by side, their products with each other as one batched product, the
/// lower triangle picked out of it and put behind the dense vector. Backward each in reverse, the product twice.
Work interact(double samples, const Vectors& v) {
    const double vectors = samples * v.count * v.features;
    const double square = samples * v.count * v.count;
    const double pairs = samples * v.pairs;
    const double dense = samples * v.features;
    const Kernel pick{.kind = KernelKind::gather, .m = pairs, .n = 1, .flops = Flop{}, .elements = 2 * pairs};
    Kernel put = pick;
    put.elements = 3 * pairs;
    const Kernel gradient = matmul(v.count, v.features, v.count, samples);
    return {.forward = {stream(2 * vectors, 0), matmul(v.count, v.count, v.features, samples), pick,
                        stream(2 * (dense + pairs), 0)},
            .backward_input = {stream(2 * (dense + pairs), 0), stream(square, 0), put, gradient, gradient,
                               stream(3 * vectors), stream(2 * vectors + dense)},
            .model_forward = 2 * pairs * v.features * unit::flop};
}

/// The same in one kernel a pass: forward reads the vectors and writes what is kept, backward reads both and writes the
/// gradients of the vectors. Matrix units multiply meanwhile: T+1 flop a byte of 16 bits are no load for them.
/// Source: NVIDIA-Merlin/HugeCTR: HugeCTR/src/layers/interaction_layer.cu.
Work interact_fused(double samples, const Vectors& v) {
    const double vectors = samples * v.count * v.features;
    const double kept = samples * (v.features + v.pairs);
    return {.forward = {stream(vectors + kept, 0)},
            .backward_input = {stream(2 * vectors + kept, 0)},
            .model_forward = 2 * samples * v.pairs * v.features * unit::flop};
}

}  // namespace

/// Y[b, t, f] = sum over l of W[t, X[b, t, l], f]: `lookups` rows of each of `tables` tables. Tables are in X, W and Y:
/// splitting them is local; tables of different sizes are not split so, as equal numbers of them are no equal parts.
/// Rows are in W only and look-ups in X only: Y is a partial sum. Features are in W and Y.
Nest build_embedding_bag(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent features = attributes.positive("features");
    if (x.dimensions.size() != 3 || x.dimensions[1].name != "table" || x.dimensions[2].name != "lookup") {
        attributes.error(fmt::format("reads {}, which are not ids of tables", x.shape()),
                         "ids of tables are: table, then lookup");
        return {};
    }
    const Extent tables = x.dimensions[1].extent;
    const TensorDimension& lookup = x.dimensions[2];
    const TensorDimension row = rows_of_tables(attributes, tables);
    const bool whole = attributes.word("gradient", {"sparse", "whole"}, "sparse") == "whole";
    if (!agrees(attributes, "tables", tables) || !agrees(attributes, "lookups", lookup.extent)) {
        return {};
    }
    Nest nest;
    nest.loops = {{.name = "batch"},
                  {.name = "table", .extent = tables, .can_split = row.each.empty() && lookup.each.empty()},
                  {.name = "lookup", .extent = lookup.extent, .density = lookup.density},
                  {.name = "row", .extent = row.extent, .density = row.density},
                  {.name = "feature", .extent = features}};
    nest.inputs = {{.loops = {kBatch, kTable, kLookup}}};
    nest.output = {.loops = {kBatch, kTable, kFeature}};
    nest.weights = {{.name = "weight",
                     .dimensions = {{"table", tables}, row, {"feature", features}},
                     .operand = {.loops = {kTable, kTableRow, kFeature}},
                     .touched = lookup.density * static_cast<double>(tables * lookup.extent * features),
                     .whole = whole}};
    nest.result = {.dimensions = {x.dimensions[0], x.dimensions[1], {"feature", features}}};
    nest.saved = {{.what = Saved::What::input, .element = Element::index, .for_weights = true}};
    nest.work = [rows = row.density * static_cast<double>(row.extent), whole](const LocalExtents& local) {
        return pooled(local, rows, whole);
    };
    return nest;
}

/// The dot products of every two of the dense vector and the tables' (with themselves where `self`), behind the dense
/// vector: F + (T+1)*T/2 features. The vectors side by side are kept. `fused`: 1 where one kernel does it all.
Nest build_interaction(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor &dense = inputs[0], &tables = inputs[1];
    const bool self = attributes.flag("self", false);
    const bool fused = attributes.not_negative("fused", 0) > 0;
    const bool fit = dense.dimensions.size() == 2 && dense.dimensions[1].name == "feature" &&
                     tables.dimensions.size() == 3 && tables.dimensions[1].name == "table" &&
                     tables.dimensions[2] == dense.dimensions[1];
    if (!fit) {
        attributes.error(fmt::format("reads {} and {}, which do not interact", dense.shape(), tables.shape()),
                         "give a dense vector (feature), then those of the tables (table, feature) of one length");
        return {};
    }
    const Extent features = dense.dimensions[1].extent;
    const Extent count = tables.dimensions[1].extent + 1;
    const Extent pairs = self ? count * (count + 1) / 2 : count * (count - 1) / 2;
    Nest nest;
    nest.loops = {{.name = "batch"}, {.name = "feature", .extent = features + pairs, .can_split = false}};
    nest.inputs = {{.loops = {kBatch, kNoLoop}}, {.loops = {kBatch, kNoLoop, kNoLoop}}};
    nest.output = {.loops = {0, 1}};
    nest.result = {.dimensions = {dense.dimensions[0], {"feature", features + pairs}}};
    const Vectors vectors{.count = static_cast<double>(count),
                          .features = static_cast<double>(features),
                          .pairs = static_cast<double>(pairs)};
    nest.saved = {{.what = Saved::What::internal,
                   .name = "vectors",
                   .loops = {kBatch},
                   .factor = vectors.count * vectors.features}};
    nest.work = [vectors, fused](const LocalExtents& local) {
        return fused ? interact_fused(local[kBatch], vectors) : interact(local[kBatch], vectors);
    };
    return nest;
}

}  // namespace dodona::graph
