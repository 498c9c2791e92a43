// Matrix products, and attention out of them, as a framework without fused kernels runs both.

#include "calibrate/cpu/benchmarks.hpp"
#include "calibrate/cpu/sgemm.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

/// The row-major products of a linear layer, as benchmark_case.hpp has them.
Product product_of(const Case& asked) {
    const Pass pass = direction_of(asked);
    return {.transpose_a = pass == Pass::backward_weight,
            .transpose_b = pass == Pass::forward,
            .m = count(asked, "m"),
            .n = count(asked, "n"),
            .k = count(asked, "k")};
}

struct AttentionShape {
    std::int64_t batch, heads, shared, queries, keys, head;  ///< shared: heads that read the same keys
    [[nodiscard]] std::int64_t all() const { return batch * heads; }
};

/// Tensors of an attention; scores and probabilities are [batch * heads, queries, keys].
struct AttentionTensors {
    Floats queries, keys, values, scores, result, result_gradient, query_gradient, key_gradient, value_gradient;
};

AttentionTensors tensors_of(const AttentionShape& shape, bool backward, const TensorFactory& factory) {
    const std::int64_t at_queries = shape.all() * shape.queries * shape.head;
    const std::int64_t at_keys = shape.all() / shape.shared * shape.keys * shape.head;
    AttentionTensors tensors{.queries = factory.random(at_queries),
                             .keys = factory.random(at_keys),
                             .values = factory.random(at_keys),
                             .scores = factory.random(shape.all() * shape.queries * shape.keys),
                             .result = factory.random(at_queries)};
    if (backward) {
        tensors.result_gradient = factory.random(at_queries);
        tensors.query_gradient = factory.random(at_queries);
        tensors.key_gradient = factory.random(at_keys);
        tensors.value_gradient = factory.random(at_keys);
    }
    return tensors;
}

void attention_forward(const AttentionShape& shape, const AttentionTensors& t, const Job& softmax, Laps& laps) {
    const std::int64_t scores = shape.queries * shape.keys;
    for (std::int64_t at = 0; at < shape.all(); ++at) {
        sgemm({.transpose_b = true, .m = shape.queries, .n = shape.keys, .k = shape.head},
              t.queries.get() + at * shape.queries * shape.head,
              t.keys.get() + at / shape.shared * shape.keys * shape.head, t.scores.get() + at * scores);
    }
    laps.lap("products");
    softmax.run(laps);
    laps.lap("softmax");
    for (std::int64_t at = 0; at < shape.all(); ++at) {
        sgemm({.m = shape.queries, .n = shape.head, .k = shape.keys}, t.scores.get() + at * scores,
              t.values.get() + at / shape.shared * shape.keys * shape.head,
              t.result.get() + at * shape.queries * shape.head);
    }
    laps.lap("products");
}

void attention_backward(const AttentionShape& shape, const AttentionTensors& t, const Job& softmax, Laps& laps) {
    const std::int64_t scores = shape.queries * shape.keys;
    const auto query = [&](std::int64_t at) { return at * shape.queries * shape.head; };
    const auto key = [&](std::int64_t at) { return at / shape.shared * shape.keys * shape.head; };
    for (std::int64_t at = 0; at < shape.all(); ++at) {
        sgemm({.transpose_a = true, .m = shape.keys, .n = shape.head, .k = shape.queries}, t.scores.get() + at * scores,
              t.result_gradient.get() + query(at), t.value_gradient.get() + key(at));
        sgemm({.transpose_b = true, .m = shape.queries, .n = shape.keys, .k = shape.head},
              t.result_gradient.get() + query(at), t.values.get() + key(at), t.scores.get() + at * scores);
    }
    laps.lap("products");
    softmax.run(laps);
    laps.lap("softmax");
    for (std::int64_t at = 0; at < shape.all(); ++at) {
        sgemm({.m = shape.queries, .n = shape.head, .k = shape.keys}, t.scores.get() + at * scores,
              t.keys.get() + key(at), t.query_gradient.get() + query(at));
        sgemm({.transpose_a = true, .m = shape.keys, .n = shape.head, .k = shape.queries}, t.scores.get() + at * scores,
              t.queries.get() + query(at), t.key_gradient.get() + key(at));
    }
    laps.lap("products");
}

}  // namespace

Job matmul(const Case& asked, const TensorFactory& factory) {
    const Product product = product_of(asked);
    const std::int64_t batch = count(asked, "batch", 1);
    const Precision precision = precision_of(asked);
    if (precision != Precision::fp32) {
        return onednn_matmul(product, batch, precision, factory);
    }
    const std::int64_t a_size = product.m * product.k;
    const std::int64_t b_size = product.k * product.n;
    const std::int64_t c_size = product.m * product.n;
    TensorFactory::expect(batch * (a_size + b_size + c_size));
    const Floats a = factory.random(batch * a_size);
    const Floats b = factory.random(batch * b_size);
    const Floats c = factory.random(batch * c_size);
    return {.run =
                [=](Laps&) {
                    for (std::int64_t at = 0; at < batch; ++at) {
                        sgemm(product, a.get() + at * a_size, b.get() + at * b_size, c.get() + at * c_size);
                    }
                },
            .own_threads = blas_has_own_threads(),
            .values = {},
            .words = {{"implementation", blas_name()}}};
}

Job attention(const Case& asked, const TensorFactory& factory) {
    const std::int64_t heads = count(asked, "heads", 1);
    const std::int64_t kv_heads = count(asked, "kv_heads", heads);
    const std::int64_t queries = count(asked, "queries");
    if (heads % kv_heads != 0) {
        throw CannotMeasure("kv_heads must divide heads; correct the case");
    }
    if (precision_of(asked) != Precision::fp32) {
        throw CannotMeasure("the CPU back end measures attention in fp32 only; leave `precision` out");
    }
    const AttentionShape shape{.batch = count(asked, "batch", 1),
                               .heads = heads,
                               .shared = heads / kv_heads,
                               .queries = queries,
                               .keys = count(asked, "keys", queries),
                               .head = count(asked, "head")};
    const bool backward = direction_of(asked) != Pass::forward;
    const AttentionTensors tensors = tensors_of(shape, backward, factory);
    const Job softmax = onednn_softmax(shape.all() * shape.queries, shape.keys, backward, Precision::fp32, factory);
    return {
        .run = [=](Laps& laps) { (backward ? attention_backward : attention_forward)(shape, tensors, softmax, laps); },
        .values = {},
        .words = {{"implementation", "two products a head and a softmax, no mask left out: " + blas_name()}}};
}

}  // namespace dodona::calibrate::cpu
