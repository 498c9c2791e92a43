// Scaled dot-product attention.
//
//   S = Q K^T / sqrt(d);  P = dropout(softmax(mask(S)));  O = P V        per sample and head
//
// Arithmetic forward 2*q*k*d for S and 2*q*k*e for O (q queries, k keys, d and e features of a key's and a value's
// head); a causal mask needs half. Source: Narayanan et al., arXiv:2104.04473, appendix (there d = e, unmasked).
//
// `materialised` writes S and P to memory, works on the full square and keeps P, and with dropout its mask and its
// result: 5*a*s^2*b bytes at two bytes an element (Korthikanti et al., arXiv:2205.05198, equation 2).
// `fused` keeps everything on the chip, skips the masked half, and in backward recomputes S: five products against two
// (Dao, arXiv:2307.08691, section 4). Its log-sum-exp, one number a query and head, is in the traffic, but not in
// memory.
//
// Inputs: one tensor of q, k and v; or q, k and v; or with them a part of the keys that all heads share (the rotary
// part of latent attention: DeepSeek-V2, arXiv:2405.04434, section 2.1.3). More keys than queries: a memory before
// them. `window`: a query sees so many keys (arXiv:2004.05150); `documents`: equal ones packed into a sample, each seen
// by itself; `relative`: scores of positions are added (Transformer-XL, arXiv:1901.02860, section 3.3): S += shift(Q
// R^T), R = positions W, with two learned biases;
// `distances`: a learned score a head for each of so many buckets of distances is added, the same for all samples; where it
// is `tied_distances`, the table is that of an earlier layer (T5, arXiv:1910.10683, section 2.1);
// `disentangled`: so many learned rows of distances, projected as queries and keys are, by the same weights; products of
// queries with their keys and of keys with their queries are added to S (DeBERTa, arXiv:2006.03654, equation 4; DeBERTaV3's
// code shares the projections and normalises the rows);
// `grid`: queries and keys are positions of a square with such a side (or of its windows, as documents); products of queries
// with learned rows of distances along height and along width are added (Kirillov et al., arXiv:2304.02643, appendix A; Li
// et al., arXiv:2112.01526, section 4.1), which a fused kernel reads as a tensor of scores;
// `sinks`: a learned score a head next to those of the keys (arXiv:2309.17453); `index_heads`: an indexer of so many heads
// chooses the keys of the window (indexer.cpp).
#include <algorithm>

#include <fmt/format.h>

#include "graph/operators/attention_kernels.hpp"
#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

struct Options {
    Extent heads = 1;
    Extent key_heads = 1;
    Extent window = 0;
    Extent documents = 1;
    Extent distances = 0;
    Extent disentangled = 0;
    Extent index_heads = 0;
    Extent grid = 0;
    bool causal = false;
    bool dropout = false;
    bool materialised = false;
    bool relative = false;
    bool sinks = false;
    bool tied_distances = false;
};

Options read(Attributes& attributes) {
    Options options;
    options.heads = attributes.positive("heads");
    options.key_heads = attributes.positive("kv_heads", options.heads);
    options.window = attributes.not_negative("window", 0);
    options.documents = attributes.positive("documents", 1);
    options.causal = attributes.flag("causal", false);
    options.dropout = attributes.flag("dropout", false);
    options.relative = attributes.flag("relative", false);
    options.sinks = attributes.flag("sinks", false);
    options.distances = attributes.not_negative("distances", 0);
    options.disentangled = attributes.not_negative("disentangled", 0);
    options.grid = attributes.not_negative("grid", 0);
    options.index_heads = attributes.not_negative("index_heads", 0);
    options.tied_distances = attributes.flag("tied_distances", false);
    options.materialised = attributes.word("implementation", {"fused", "materialised"}, "fused") == "materialised";
    return options;
}

bool are_sequences(Attributes& attributes, std::span<const Tensor> inputs) {
    if (inputs.size() == 2) {
        attributes.error("reads 2 tensors, but needs one of queries, keys and values, or one of each");
        return false;
    }
    return std::all_of(inputs.begin(), inputs.end(), [&](const Tensor& x) { return is_sequence(attributes, x); });
}

/// Loops and operands of a single tensor that holds q, k and v of each head. Its sequence counts queries and keys at
/// once, so it cannot be split: every query needs every key.
std::optional<AttentionShape> one_operand(Attributes& attributes, const Tensor& x, const Options& options, Nest& nest) {
    const Extent parts = options.heads + 2 * options.key_heads;
    const Extent features = x.dimensions[2].extent;
    if (features % parts != 0) {
        attributes.error_at("heads",
                            fmt::format("{} features are not {} heads of queries, keys and values", features, parts));
        return std::nullopt;
    }
    constexpr int kSequence = 1, kHead = 2;
    nest.loops = {{.name = "batch"},
                  {.name = "sequence", .extent = x.dimensions[1].extent, .can_split = false},
                  {.name = "head", .extent = options.heads}};
    nest.inputs = {{.loops = {0, kSequence, kHead}}};
    AttentionShape shape{.head = kHead, .query = kSequence, .key = kSequence};
    shape.queries = shape.keys = static_cast<double>(x.dimensions[1].extent);
    const Extent size = features / parts;
    shape.key_size = shape.value_size = static_cast<double>(size);
    return shape;
}

bool lengths_agree(Attributes& attributes, std::span<const Tensor> inputs, const Options& options) {
    const Extent queries = inputs[0].dimensions[1].extent;
    const Extent keys = inputs[1].dimensions[1].extent;
    for (const Tensor& other : inputs.subspan(2)) {
        if (other.dimensions[1].extent != keys) {
            attributes.error(fmt::format("reads keys {} and values or shared keys {} of different lengths",
                                         inputs[1].shape(), other.shape()));
            return false;
        }
    }
    if (options.causal && queries > keys) {
        attributes.error_at("causal",
                            fmt::format("{} queries see {} keys; a causal mask needs as many or more", queries, keys));
        return false;
    }
    return true;
}

/// Loops and operands of separate q, k and v. Queries may be split; then each shard needs all keys and values.
std::optional<AttentionShape> several_operands(Attributes& attributes, std::span<const Tensor> inputs,
                                               const Options& options, Nest& nest) {
    if (!lengths_agree(attributes, inputs, options)) {
        return std::nullopt;
    }
    const Extent q_features = inputs[0].dimensions[2].extent;
    const Extent k_features = inputs[1].dimensions[2].extent;
    const Extent v_features = inputs[2].dimensions[2].extent;
    const Extent shared = inputs.size() == 4 ? inputs[3].dimensions[2].extent : 0;
    if (q_features % options.heads != 0 || k_features % options.key_heads != 0 || v_features % options.key_heads != 0 ||
        q_features / options.heads != k_features / options.key_heads + shared) {
        attributes.error_at(
            "heads", fmt::format("{} features of queries, {} of keys{} and {} of values are not {} and "
                                 "{} heads of one size",
                                 q_features, k_features, shared > 0 ? fmt::format(", {} of shared keys", shared) : "",
                                 v_features, options.heads, options.key_heads));
        return std::nullopt;
    }
    constexpr int kHead = 1, kQuery = 2, kKey = 3;
    const Extent queries = inputs[0].dimensions[1].extent;
    const Extent keys = inputs[1].dimensions[1].extent;
    nest.loops = {{.name = "batch"},
                  {.name = "head", .extent = options.heads},
                  {.name = "query", .extent = queries},
                  {.name = "key", .extent = keys, .can_split = false}};
    const Operand key_operand{.loops = {0, kKey, kHead}};
    nest.inputs = {{.loops = {0, kQuery, kHead}}, key_operand, key_operand};
    if (shared > 0) {
        nest.inputs.push_back({.loops = {0, kKey, kNoLoop}});
    }
    AttentionShape shape{.head = kHead, .query = kQuery, .key = kKey};
    shape.queries = static_cast<double>(queries);
    shape.keys = static_cast<double>(keys);
    const Extent key_size = q_features / options.heads;
    const Extent value_size = v_features / options.key_heads;
    shape.key_size = static_cast<double>(key_size);
    shape.shared_size = static_cast<double>(shared);
    shape.value_size = static_cast<double>(value_size);
    return shape;
}

constexpr std::size_t kKeys = 1, kValues = 2;  // of separate operands

/// Q, K and V (one tensor or more), and what the implementation keeps beside them.
void add_saved(Nest& nest, const AttentionShape& shape, bool keeps_square) {
    for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
        Saved saved{.what = Saved::What::input, .operand = static_cast<int>(i)};
        if (shape.key_share < 1 && (i == kKeys || i == kValues)) {
            saved.loops = {0, shape.head, shape.key};
            saved.factor = i == kKeys ? shape.key_size : shape.value_size;
        }
        nest.saved.push_back(std::move(saved));
    }
    if (!keeps_square) {
        nest.saved.push_back({.what = Saved::What::output});
        return;
    }
    // Keys are never split, so their count is a factor.
    Saved square{.what = Saved::What::internal,
                 .name = "probabilities",
                 .loops = {0, shape.head, shape.query},
                 .factor = static_cast<double>(nest.loops[static_cast<std::size_t>(shape.key)].extent),
                 .selective = true};
    nest.saved.push_back(square);
    if (shape.dropout) {
        square.name = "dropped probabilities";
        nest.saved.push_back(square);
        square.name = "mask";
        square.element = Element::mask;
        nest.saved.push_back(square);
    }
}

/// The rows of distances and their norm; the model is as wide as its heads together.
void add_distance_rows(Nest& nest, Extent rows, Extent width) {
    nest.weights.push_back({.name = "distances",
                            .dimensions = {{"row", rows}, {"feature", width}},
                            .operand = {.loops = {kNoLoop, kNoLoop}}});
    for (const char* name : {"norm scale", "norm bias"}) {
        nest.weights.push_back({.name = name, .dimensions = {{"feature", width}}, .operand = {.loops = {kNoLoop}}});
    }
}

/// The projection of positions and the two biases of relative attention; the model is as wide as its heads together.
void add_position_weights(Nest& nest, const AttentionShape& shape, Extent width) {
    nest.weights.push_back({.name = "positions",
                            .dimensions = {{"feature", width}, {"in_feature", width}},
                            .operand = {.loops = {shape.head, kNoLoop}}});
    for (const char* name : {"content bias", "position bias"}) {
        nest.weights.push_back({.name = name, .dimensions = {{"feature", width}}, .operand = {.loops = {shape.head}}});
    }
}

bool options_agree(Attributes& attributes, const Options& options, const AttentionShape& shape) {
    if (options.relative && !options.materialised) {
        attributes.error_at("relative", "fused attention adds no scores of positions",
                            "add implementation: materialised");
        return false;
    }
    for (const auto& [name, number] :
         {std::pair{"distances", options.distances}, {"disentangled", options.disentangled}}) {
        if (number > 0 && !options.materialised) {
            attributes.error_at(name, "fused attention adds no scores of distances",
                                "add implementation: materialised");
            return false;
        }
    }
    if (options.grid > 0 &&
        (options.materialised || shape.keys != static_cast<double>(options.documents * options.grid * options.grid))) {
        attributes.error_at("grid", options.materialised
                                        ? "only fused attention reads scores of rows and columns here"
                                        : fmt::format("{} positions are not {} squares with a side of {}", shape.keys,
                                                      options.documents, options.grid));
        return false;
    }
    if (options.documents > 1 && shape.keys > shape.queries) {
        attributes.error_at("documents", "packed documents have no memory before them");
        return false;
    }
    if (shape.queries < static_cast<double>(options.documents)) {
        attributes.error_at("documents",
                            fmt::format("{} documents in a sequence of {}", options.documents, shape.queries));
        return false;
    }
    return true;
}

}  // namespace

Nest build_attention(Attributes& attributes, std::span<const Tensor> inputs) {
    constexpr std::size_t kIndexed = 3;  // what an indexer reads, after the others
    const Options options = read(attributes);
    if (!are_sequences(attributes, inputs)) {
        return {};
    }
    const bool is_indexed = options.index_heads > 0;
    if (is_indexed != (inputs.size() > 4) || (is_indexed && inputs.size() < 3 + kIndexed)) {
        attributes.error_at("index_heads",
                            fmt::format("reads {} tensors, of which an indexer needs the last three: its "
                                        "queries, its key and its weights",
                                        inputs.size()));
        return {};
    }
    const std::span<const Tensor> indexed = inputs.last(is_indexed ? kIndexed : 0);
    inputs = inputs.first(inputs.size() - indexed.size());
    if (options.heads % options.key_heads != 0) {
        attributes.error_at("kv_heads", fmt::format("{} heads are not a multiple of {} key/value heads", options.heads,
                                                    options.key_heads));
        return {};
    }

    Nest nest;
    const auto found = inputs.size() == 1 ? one_operand(attributes, inputs[0], options, nest)
                                          : several_operands(attributes, inputs, options, nest);
    if (!found || !options_agree(attributes, options, *found)) {
        return {};
    }
    AttentionShape shape = *found;
    shape.causal = options.causal;
    shape.dropout = options.dropout;
    shape.window = static_cast<double>(options.window);
    shape.documents = static_cast<double>(options.documents);
    shape.key_share = static_cast<double>(options.key_heads) / static_cast<double>(options.heads);

    nest.output = nest.inputs[0];
    nest.result = inputs[0];
    nest.result.dimensions[2].extent = options.heads * static_cast<Extent>(shape.value_size);
    const Extent width = options.heads * static_cast<Extent>(shape.key_size);
    if (options.relative) {
        shape.width = static_cast<double>(width);
        add_position_weights(nest, shape, width);
    }
    if (options.disentangled > 0) {
        shape.rows = static_cast<double>(options.disentangled);
        shape.rows_width = static_cast<double>(width);
        if (!options.tied_distances) {
            add_distance_rows(nest, options.disentangled, width);
        }
    }
    shape.distances = options.distances > 0;
    shape.looks_up = shape.distances && !options.tied_distances;
    if (shape.looks_up) {
        nest.weights.push_back({.name = "distances",
                                .dimensions = {{"bucket", options.distances}, {"head", options.heads}},
                                .operand = {.loops = {kNoLoop, shape.head}}});
    }
    if (options.grid > 0) {
        shape.grid = static_cast<double>(options.grid);
        for (const char* name : {"rows", "columns"}) {
            nest.weights.push_back(
                {.name = name,
                 .dimensions = {{"distance", 2 * options.grid - 1}, {"feature", width / options.heads}},
                 .operand = {.loops = {kNoLoop, kNoLoop}}});
        }
        nest.saved.push_back({.what = Saved::What::internal,
                              .name = "scores of positions",
                              .loops = {0, shape.head, shape.query},
                              .factor = shape.grid * shape.grid});
    }
    if (options.sinks) {
        nest.weights.push_back(
            {.name = "sinks", .dimensions = {{"head", options.heads}}, .operand = {.loops = {shape.head}}});
    }
    add_saved(nest, shape, options.materialised);
    if (options.materialised) {
        nest.work = [shape](const LocalExtents& local) { return materialised_attention(local, shape); };
        nest.selective_work = [shape](const LocalExtents& local) {
            return materialised_attention_forward(local, shape);
        };
    } else {
        nest.work = [shape](const LocalExtents& local) { return fused_attention(local, shape); };
    }
    if (is_indexed) {
        add_indexer(attributes, indexed, options.index_heads, shape, nest);
    }
    return nest;
}

}  // namespace dodona::graph
