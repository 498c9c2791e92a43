// Normalisations: memory-bound, with statistics over the batch (batch norm) or over the features of one token.
//
//   y = (x - mean) / sqrt(variance + epsilon) * scale + bias;  rms_norm: y = x / sqrt(mean of squares) * scale
//
// They save their input; the statistics saved beside it (two numbers a channel or token) are left out.
// Sources: Ioffe and Szegedy, arXiv:1502.03167; Ba et al., arXiv:1607.06450; Zhang and Sennrich, arXiv:1910.07467.
#include <string_view>

#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

void add_weight(Nest& nest, const std::string& name, int loop) {
    const Loop& along = nest.loops[static_cast<std::size_t>(loop)];
    nest.weights.push_back({.name = name, .dimensions = {{along.name, along.extent}}, .operand = {.loops = {loop}}});
}

/// huggingface/transformers: models/llama/modeling_llama.py, LlamaRMSNorm: to, pow, mean, mul, to, mul move 36 bytes an
/// element forward and, as autograd derives them, some 76 backward, where a fused kernel moves 2 and 5 elements.
constexpr Unfused kRmsNormByOperators{.part = Unfused::Part::norms, .kernels = 8, .traffic = 4, .in_fp32 = true};

/// Weights that a norm over features learns.
struct TokenWeights {
    bool scale = true;
    bool bias = true;
};

/// Each run of `size` features by itself, with one scale for all runs (the heads of queries and keys), or one for each
/// feature. Shards are whole runs, so nothing is reduced; where there are more shards than runs, they are replicated as the
/// keys and values are that they normalise.
void normalise_runs(Nest& nest, int feature, Extent size, bool shared, TokenWeights weights) {
    nest.loops[static_cast<std::size_t>(feature)].granule = size;
    nest.loops[static_cast<std::size_t>(feature)].replicates = true;
    for (const char* name : {"scale", "bias"}) {
        if (!(std::string_view(name) == "scale" ? weights.scale : weights.bias)) {
            continue;
        }
        if (!shared) {
            add_weight(nest, name, feature);
        } else {
            nest.weights.push_back({.name = name, .dimensions = {{"feature", size}}, .operand = {.loops = {kNoLoop}}});
        }
    }
}

/// The statistics of one token are reduced when its features are split, `messages` numbers a token and pass.
/// Without a scale there is no bias either.
Nest token_norm(Attributes& attributes, const Tensor& x, TokenWeights weights, int messages, Primitive primitive,
                const Unfused& unfused) {
    const Extent size = attributes.not_negative("size", 0);
    const bool shared = attributes.flag("shared", true);
    if (!has_features(attributes, x)) {
        return {};
    }
    if (size > 0 && x.dimensions.back().extent % size != 0) {
        attributes.error_at("size",
                            fmt::format("{} features are not whole runs of {}", x.dimensions.back().extent, size));
        return {};
    }
    Nest nest = element_wise(x, 1);
    const int feature = static_cast<int>(nest.loops.size()) - 1;
    if (size > 0) {
        normalise_runs(nest, feature, size, shared, weights);
    } else {
        if (weights.scale) {
            add_weight(nest, "scale", feature);
        }
        if (weights.bias) {
            add_weight(nest, "bias", feature);
        }
        nest.statistics = {{.over = {feature},
                            .kept = all_loops(static_cast<std::size_t>(feature)),
                            .forward = messages,
                            .backward = messages}};
    }
    nest.saved = {{.what = Saved::What::input}};
    nest.work = [primitive, unfused, has_weights = weights.scale || weights.bias](const LocalExtents& local) {
        Work work = norm_work(local, 1);
        if (!has_weights) {
            work.backward_weight.clear();
        }
        return unfused_as(unfused, of_primitive(primitive, work));
    };
    return nest;
}

}  // namespace

Work norm_work(const LocalExtents& local, double forward_reads) {
    constexpr double kFlopsPerElement = 3;
    const double elements = volume(local);
    return {.forward = {stream((forward_reads + 1) * elements, kFlopsPerElement)},
            .backward_input = {stream(3 * elements, kFlopsPerElement)},
            .backward_weight = {stream(2 * elements, kFlopsPerElement)}};
}

/// Statistics per channel over batch and positions. Local to a device unless `synchronised`; then mean and mean of
/// squares are reduced forward, the two sums of the gradient backward.
Nest build_batch_norm(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const bool synchronised = attributes.flag("synchronised", false);
    if (!has_features(attributes, x)) {
        return {};
    }
    constexpr int kChannel = 1;
    Nest nest = element_wise(x, 1);
    add_weight(nest, "scale", kChannel);
    add_weight(nest, "bias", kChannel);
    nest.buffers = 2 * nest.weights.front().elements();  // running mean and variance
    if (synchronised) {
        Statistic statistic{.over = {kBatch}, .kept = {kChannel}, .forward = 2, .backward = 2};
        for (int loop = kChannel + 1; loop < static_cast<int>(nest.loops.size()); ++loop) {
            statistic.over.push_back(loop);
        }
        nest.statistics = {statistic};
    }
    nest.saved = {{.what = Saved::What::input}};
    nest.work = [](const LocalExtents& local) { return of_primitive(Primitive::batch_norm, norm_work(local, 2)); };
    return nest;
}

Nest build_layer_norm(Attributes& attributes, std::span<const Tensor> inputs) {
    const bool scale = attributes.flag("scale", true);
    const bool bias = attributes.flag("bias", scale);
    if (bias && !scale) {
        attributes.error_at("bias", "there is no bias without a scale");
    }
    return token_norm(attributes, inputs[0], {.scale = scale, .bias = bias}, 2, Primitive::layer_norm,
                      {.part = Unfused::Part::norms, .in_fp32 = true});
}

Nest build_rms_norm(Attributes& attributes, std::span<const Tensor> inputs) {
    const bool scale = attributes.flag("scale", true);
    return token_norm(attributes, inputs[0], {.scale = scale, .bias = false}, 1, Primitive::rms_norm,
                      kRmsNormByOperators);
}

/// y = x * scale, a learned factor of each feature (layer scale: Touvron et al., arXiv:2103.17239, equation 3), or one of
/// all (the gates of Flamingo: Alayrac et al., arXiv:2204.14198, section 2.2).
Nest build_layer_scale(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const bool shared = attributes.flag("shared", false);
    if (!has_features(attributes, x)) {
        return {};
    }
    Nest nest = element_wise(x, 1);
    add_weight(nest, "scale", static_cast<int>(nest.loops.size()) - 1);
    if (shared) {
        nest.weights.back().dimensions = {{"number", 1}};
        nest.weights.back().operand.loops = {kNoLoop};
    }
    nest.saved = {{.what = Saved::What::input}};
    nest.work = [](const LocalExtents& local) {
        const Kernel pass = stream(2 * volume(local));
        return Work{.forward = {pass}, .backward_input = {pass}, .backward_weight = {pass}};
    };
    return nest;
}

}  // namespace dodona::graph
