// Additive attention: a learned score of the sum of query and key, instead of their product.
//
//   S[i, j] = v . tanh(q[i] + k[j] + b);  P = softmax(S);  O = P V             per sample; v = scale * v' / |v'|
//
// Source: Bahdanau et al., arXiv:1409.0473, appendix A.1.2; with the learned scale and bias that TensorFlow and NVIDIA's
// GNMT have (NVIDIA/DeepLearningExamples: PyTorch/Translation/GNMT/seq2seq/models/attention.py).
//
// The sums are a tensor of their own, n features for each pair of a query and a key: forward writes tanh(...) and reads
// it for the scores, backward reads it twice (for the gradients of v and of the sums), writes the sums' gradient and
// reads that for q, k and b. Arithmetic forward 2*i*j*(n + e), e features of a value. tanh(...), P and V are kept.
// Queries and the features of values may be split; every query needs every key, and a score every feature.
#include <utility>

#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr int kAddedQuery = 1, kAddedKey = 2, kScoreFeature = 3, kAddedValue = 4;

Work additive_attention_work(const LocalExtents& local) {
    const double samples = local[kBatch];
    const double pairs = samples * local[kAddedQuery] * local[kAddedKey];
    const double sums = pairs * local[kScoreFeature];
    const Kernel outputs = matmul(local[kAddedQuery], local[kAddedValue], local[kAddedKey], samples);
    return {
        .forward = {stream(sums, 3), stream(sums, 2), stream(2 * pairs, 5), outputs},
        .backward_input = {matmul(local[kAddedQuery], local[kAddedKey], local[kAddedValue], samples),  // dP = dO V^T
                           matmul(local[kAddedKey], local[kAddedValue], local[kAddedQuery], samples),  // dV = P^T dO
                           stream(3 * pairs, 4),  // dS from P and dP
                           stream(2 * sums, 3), stream(sums, 1)},
        .backward_weight = {stream(sums, 2)},
        .model_forward = outputs.flops + 2 * sums * unit::flop};
}

bool pairs_agree(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& query = inputs[0];
    const Tensor& key = inputs[1];
    const Tensor& value = inputs[2];
    if (query.dimensions[2].extent != key.dimensions[2].extent) {
        attributes.error(fmt::format("reads queries {} and keys {} of different features", query.shape(), key.shape()));
        return false;
    }
    if (key.dimensions[1].extent != value.dimensions[1].extent) {
        attributes.error(fmt::format("reads keys {} and values {} of different lengths", key.shape(), value.shape()));
        return false;
    }
    return true;
}

}  // namespace

Nest build_additive_attention(Attributes& attributes, std::span<const Tensor> inputs) {
    for (const Tensor& x : inputs) {
        if (!is_sequence(attributes, x)) {
            return {};
        }
    }
    if (!pairs_agree(attributes, inputs)) {
        return {};
    }
    const Extent keys = inputs[1].dimensions[1].extent;
    const Extent features = inputs[0].dimensions[2].extent;
    Nest nest;
    nest.loops = {{.name = "batch"},
                  {.name = "query", .extent = inputs[0].dimensions[1].extent},
                  {.name = "key", .extent = keys, .can_split = false},
                  {.name = "score_feature", .extent = features, .can_split = false},
                  {.name = "feature", .extent = inputs[2].dimensions[2].extent}};
    nest.inputs = {{.loops = {kBatch, kAddedQuery, kScoreFeature}},
                   {.loops = {kBatch, kAddedKey, kScoreFeature}},
                   {.loops = {kBatch, kAddedKey, kAddedValue}}};
    for (const char* name : {"score", "bias"}) {
        nest.weights.push_back(
            {.name = name, .dimensions = {{"feature", features}}, .operand = {.loops = {kScoreFeature}}});
    }
    nest.weights.push_back({.name = "scale", .dimensions = {{"feature", 1}}, .operand = {.loops = {kNoLoop}}});
    nest.output = {.loops = {kBatch, kAddedQuery, kAddedValue}};
    nest.result = inputs[0];
    nest.result.dimensions[2].extent = inputs[2].dimensions[2].extent;
    nest.saved = {{.what = Saved::What::input, .operand = 2}};
    // Keys and the features of scores are never split, so their counts are factors.
    for (const auto& [name, each] : {std::pair{"sums", keys * features}, std::pair{"probabilities", keys}}) {
        nest.saved.push_back({.what = Saved::What::internal,
                              .name = name,
                              .loops = {kBatch, kAddedQuery},
                              .factor = static_cast<double>(each),
                              .selective = true});
    }
    nest.work = additive_attention_work;
    nest.selective_work = [](const LocalExtents& local) { return additive_attention_work(local).forward; };
    return nest;
}

}  // namespace dodona::graph
