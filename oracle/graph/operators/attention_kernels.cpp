#include "graph/operators/attention_kernels.hpp"

#include <algorithm>

namespace dodona::graph {

namespace {

/// What one device has.
struct Local {
    double samples;
    double heads;      ///< heads of all its samples
    double key_heads;  ///< key/value heads of all its samples; at least one a sample
    double queries;
    double keys;
    double square;  ///< elements of S
};

Local local_sizes(const LocalExtents& local, const AttentionShape& shape) {
    const double samples = local[0];
    const double heads = samples * local[shape.head];
    const double queries = local[shape.query];
    const double keys = local[shape.key];
    return {.samples = samples,
            .heads = heads,
            .key_heads = samples * std::max(1.0, local[shape.head] * shape.key_share),
            .queries = queries,
            .keys = keys,
            .square = heads * queries * keys};
}

/// Pairs of the queries between positions `from` and `to` of one document under a causal mask.
double causal_pairs(const AttentionShape& shape, double from, double to) {
    const double memory = shape.keys - shape.queries;
    const auto triangle = [memory](double a, double b) { return memory * (b - a) + (b * b - a * a) / 2; };
    if (shape.window <= 0) {
        return triangle(from, to);
    }
    const double knee = std::clamp(shape.window - memory, from, to);  // from here on the window is full
    return triangle(from, knee) + shape.window * (to - knee);
}

Flop model_forward(const LocalExtents& extents, const AttentionShape& shape) {
    const Local local = local_sizes(extents, shape);
    const double positions = shape.width > 0 ? shape.key_size : 0;
    const double pairs = attention_pairs(extents, shape);
    const double of_rows = (local.queries + local.keys) * shape.rows * shape.key_size;
    return 2 * local.heads * (pairs * (shape.key_size + shape.value_size + positions) + of_rows) * unit::flop;
}

/// A pass over `squares` tensors of the size of S, and the dropout mask where `mask`.
Kernel pass(const Local& local, double squares, double flops, bool mask) {
    Kernel kernel = stream(squares * local.square, 0, mask ? local.square * unit::byte : Bytes{});
    kernel.flops = flops * local.square * unit::flop;
    return kernel;
}

/// huggingface/transformers: models/llama/modeling_llama.py, eager_attention_forward: a product by the scale, a sum with the
/// mask, a softmax into fp32 and a cast move 20 bytes a score forward and 20 backward, where one kernel moves 4 and 6.
Kernel of_softmax(Kernel kernel) {
    kernel.unfused = {.part = Unfused::Part::softmax, .kernels = 4, .traffic = 4};
    return kernel;
}

/// Scores of distances are the same for all samples.
double distances(const Local& local) { return local.square / local.samples; }

/// Looks them up once and adds them to S.
void add_distances(std::vector<Kernel>& kernels, const Local& local, const AttentionShape& shape) {
    if (shape.looks_up) {
        kernels.push_back(stream(2 * distances(local)));
    }
    Kernel sum = stream(2 * local.square + distances(local));
    sum.flops = local.square * unit::flop;
    kernels.push_back(sum);
}

/// Sums dS over the samples, onto what later layers have left; the first layer sums that over buckets.
void add_gradients_of_distances(std::vector<Kernel>& kernels, const Local& local, const AttentionShape& shape) {
    Kernel sum = stream(local.square + 2 * distances(local));
    sum.flops = local.square * unit::flop;
    kernels.push_back(sum);
    if (shape.looks_up) {
        kernels.push_back(stream(distances(local)));
    }
}

/// Queries by the keys of distances, keys by their queries, each gathered by an index of 8 bytes and added to S:
/// huggingface/transformers: models/deberta_v2/modeling_deberta_v2.py, disentangled_attention_bias.
void add_disentangled(std::vector<Kernel>& kernels, const Local& local, const AttentionShape& shape) {
    for (const double positions : {local.queries, local.keys}) {
        kernels.push_back(matmul(positions, shape.rows, shape.key_size, local.heads));
        Kernel gather = stream(5 * local.square, 0, 8 * local.square * unit::byte);
        gather.flops = 2 * local.square * unit::flop;
        kernels.push_back(gather);
    }
}

void add_disentangled_backward(std::vector<Kernel>& kernels, const Local& local, const AttentionShape& shape) {
    for (const double positions : {local.queries, local.keys}) {
        kernels.push_back(stream(2 * local.square, 0, 8 * local.square * unit::byte));  // scattered
        kernels.push_back(matmul(positions, shape.key_size, shape.rows, local.heads));  // of q or k
        kernels.push_back(matmul(shape.rows, shape.key_size, positions, local.heads));  // of the rows' k or q
    }
}

std::vector<Kernel> materialised_backward(const LocalExtents& extents, const AttentionShape& shape) {
    const Local local = local_sizes(extents, shape);
    std::vector<Kernel> kernels{matmul(local.queries, local.keys, shape.value_size, local.heads),   // dP = dO V^T
                                matmul(local.keys, shape.value_size, local.queries, local.heads)};  // dV = P^T dO
    if (shape.dropout) {
        kernels.push_back(pass(local, 2, 1, true));
    }
    kernels.push_back(of_softmax(pass(local, 3, 4, false)));                            // dS from P and dP
    kernels.push_back(matmul(local.queries, shape.key_size, local.keys, local.heads));  // dQ = dS K
    kernels.push_back(matmul(local.keys, shape.key_size, local.queries, local.heads));  // dK = dS^T Q
    if (shape.width > 0) {
        kernels.push_back(pass(local, 2, 1, false));                                        // shift back
        kernels.push_back(matmul(local.queries, shape.key_size, local.keys, local.heads));  // dQ += dB R
        kernels.push_back(matmul(local.keys, shape.key_size, local.queries, local.heads));  // dR = dB^T Q
    }
    if (shape.distances) {
        add_gradients_of_distances(kernels, local, shape);
    }
    if (shape.rows > 0) {
        add_disentangled_backward(kernels, local, shape);
    }
    return kernels;
}

}  // namespace

double attention_pairs(const LocalExtents& local, const AttentionShape& shape) {
    const double queries = local[shape.query];
    const double shards = local.shards(shape.query);
    if (!shape.causal) {
        const double seen = shape.keys / shape.documents;
        return queries * (shape.window > 0 ? std::min(seen, shape.window) : seen);
    }
    const double document = shape.queries / shape.documents;
    if (local.order == ShardOrder::contiguous && shards > 1 && queries < document) {
        return causal_pairs(shape, document - queries, document);
    }
    return queries / document * causal_pairs(shape, 0, document);
}

std::vector<Kernel> materialised_attention_forward(const LocalExtents& extents, const AttentionShape& shape) {
    const Local local = local_sizes(extents, shape);
    std::vector<Kernel> kernels{matmul(local.queries, local.keys, shape.key_size, local.heads)};
    if (shape.width > 0) {
        kernels.push_back(matmul(local.queries, local.keys, shape.key_size, local.heads));  // B = Q R^T
        kernels.push_back(pass(local, 3, 2, false));                                        // S += B, shifted
    }
    if (shape.distances) {
        add_distances(kernels, local, shape);
    }
    if (shape.rows > 0) {
        add_disentangled(kernels, local, shape);
    }
    kernels.push_back(of_softmax(pass(local, 2, 6, false)));  // scale, mask and softmax in one pass
    if (shape.dropout) {
        kernels.push_back(pass(local, 2, 1, true));
    }
    kernels.push_back(matmul(local.queries, shape.value_size, local.keys, local.heads));
    return kernels;
}

Work materialised_attention(const LocalExtents& extents, const AttentionShape& shape) {
    Work work{.forward = materialised_attention_forward(extents, shape),
              .backward_input = materialised_backward(extents, shape),
              .model_forward = model_forward(extents, shape)};
    if (shape.width > 0) {  // R = positions W: the same for every sample
        const double features = extents[shape.head] * shape.key_size;
        const Kernel positions = matmul(shape.keys, features, shape.width);
        work.forward.insert(work.forward.begin(), positions);
        work.backward_weight = {matmul(features, shape.width, shape.keys)};
    }
    if (shape.rows > 0) {  // keys and queries of the rows: the same for every sample
        const double features = extents[shape.head] * shape.key_size;
        work.forward.insert(work.forward.begin(), 2, matmul(shape.rows, features, shape.rows_width));
        work.backward_weight.insert(work.backward_weight.end(), 2, matmul(features, shape.rows_width, shape.rows));
        work.backward_weight.insert(work.backward_weight.end(), 2, matmul(shape.rows, shape.rows_width, features));
    }
    return work;
}

Work fused_attention(const LocalExtents& extents, const AttentionShape& shape) {
    const Local local = local_sizes(extents, shape);
    const double both = shape.key_size + shape.value_size;
    const double query_side = local.heads * local.queries * both;  // q and o
    const double key_side = local.key_heads * local.keys * (both - shape.shared_size) +
                            local.samples * local.keys * shape.shared_size;  // k and v
    const Bytes row = 4 * local.heads * local.queries * unit::byte;          // one fp32 number a query
    const Flop arithmetic = model_forward(extents, shape);
    const Kernel forward{.kind = KernelKind::attention,
                         .m = local.queries,
                         .n = local.keys,
                         .k = shape.key_size,
                         .batch = local.heads,
                         .flops = arithmetic,
                         .elements = query_side + key_side,
                         .fixed_bytes = row,
                         .causal = shape.causal};
    // S, dQ and dK are products over keys' features, dP and dV over values'. q, k, v, o and dO are read, dQ, dK and dV
    // written; log-sum-exp and the row sums of dO*O are read.
    Kernel backward = forward;
    backward.flops = arithmetic * ((3 * shape.key_size + 2 * shape.value_size) / both);
    backward.elements = 2 * (query_side + key_side);
    backward.fixed_bytes = 2 * row;
    if (shape.grid <= 0) {
        return {.forward = {forward}, .backward_input = {backward}, .model_forward = arithmetic};
    }
    // Products of queries with the positions of rows and of columns, whose sums are the scores that attention reads; backward
    // reads them again and writes their gradients, and sums these over columns and over rows.
    const double scores = local.heads * attention_pairs(extents, shape);
    const double sums = 2 * local.heads * local.queries * shape.grid;
    const Kernel product = matmul(local.queries, shape.grid, shape.key_size, local.heads);
    return {.forward = {product, product, stream(2 * scores + sums), forward},
            .backward_input = {backward, stream(4 * scores + sums),
                               matmul(local.queries, 2 * shape.key_size, shape.grid, local.heads),
                               matmul(2 * shape.grid, shape.key_size, local.queries, local.heads)},
            .model_forward = arithmetic + 2 * product.flops};
}

}  // namespace dodona::graph
