// A mixture of experts: each token is routed to k of E experts.
//
//   scores = softmax(X G);  D[t, e] = X[t] for the k best experts e of token t;  Y[t] = sum over e of scores[t, e]
//   F_e(D[t, e])
//
// The dispatched tokens are a tensor over (token, expert) of density k / E: its whole size is k copies of every token,
// and where it lies on the mesh follows from its two dimensions like any other layout. Tokens over ranks to experts
// over ranks is an all-to-all. With `capacity` c each expert takes c * k / E of the tokens, padded or dropped; without,
// none is dropped and the most loaded rank has `imbalance` times the mean, or what measured loads say
// (graph/expert_loads.hpp). With `groups` the k experts of a token are in `top_groups` of so many groups of consecutive
// experts, which limits the nodes that it is sent to. Sources: Shazeer et al., arXiv:1701.06538; Lepikhin et al. (GShard),
// arXiv:2006.16668, algorithm 1; grouped products without dropping: Gale et al. (MegaBlocks), arXiv:2211.15841.
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr int kSequence = 1;

bool are_dispatched(Attributes& attributes, const Tensor& x) {
    if (x.dimensions.size() == 4 && x.dimensions[2].name == "expert" && x.dimensions[3].name == "feature") {
        return true;
    }
    attributes.error(fmt::format("reads {}, but needs sequence, expert and feature", x.shape()),
                     "put a dispatch before it");
    return false;
}

bool are_scores(Attributes& attributes, const Tensor& x) {
    if (x.dimensions.size() == 3 && x.dimensions[2].name == "expert") {
        return true;
    }
    attributes.error(fmt::format("reads {} as scores, but needs sequence and expert", x.shape()),
                     "its second input is a router");
    return false;
}

double tokens_of(const LocalExtents& local) { return local[kBatch] * local[kSequence]; }

constexpr int kCopyExpert = 2, kCopyFeature = 3;  // loops of what reads or writes copies

bool is_routable(Attributes& attributes, const Routing& routing) {
    const Extent of_group = routing.experts / routing.groups;
    if (routing.chosen > routing.experts) {
        attributes.error_at("top_k", fmt::format("{} of {} experts", routing.chosen, routing.experts));
    } else if (routing.experts % routing.groups != 0) {
        attributes.error_at("groups",
                            fmt::format("{} experts do not divide into {} groups", routing.experts, routing.groups));
    } else if (routing.chosen_groups > routing.groups) {
        attributes.error_at("top_groups", fmt::format("{} of {} groups", routing.chosen_groups, routing.groups));
    } else if (routing.chosen > of_group * routing.chosen_groups) {
        attributes.error_at("top_groups", fmt::format("{} groups of {} experts have fewer than the {} of a token",
                                                      routing.chosen_groups, of_group, routing.chosen));
    } else {
        return true;
    }
    return false;
}

/// Rows copied to experts or back: `copies` times all copies and `once` times all tokens are read or written.
Kernel rows(const LocalExtents& local, double copies, double once, double flops_per_element) {
    const double tokens = tokens_of(local);
    const double copied = tokens * local[kCopyExpert] * local[kCopyFeature];
    return {.kind = KernelKind::gather,
            .m = tokens * local[kCopyExpert],
            .n = local[kCopyFeature],
            .flops = flops_per_element * copied * unit::flop,
            .elements = copies * copied + once * tokens * local[kCopyFeature],
            .fixed_bytes = 8 * tokens * local[kCopyExpert] * unit::byte};
}

}  // namespace

/// scores[t, e] = softmax over e of sum over i of X[t, i] W[e, i]. The experts of the router itself are never split: it
/// is small, and every rank needs all scores of its tokens.
Nest build_router(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent experts = attributes.positive("experts");
    const bool bias = attributes.flag("bias", false);
    if (!is_sequence(attributes, x)) {
        return {};
    }
    constexpr int kIn = 2, kExpert = 3;
    const Extent in = x.dimensions[2].extent;
    Nest nest;
    nest.loops = {loop_of(x.dimensions[0]),
                  loop_of(x.dimensions[1]),
                  {.name = "in_feature", .extent = in},
                  {.name = "expert", .extent = experts, .can_split = false}};
    nest.inputs = {{.loops = {kBatch, kSequence, kIn}}};
    nest.output = {.loops = {kBatch, kSequence, kExpert}};
    nest.weights = {{.name = "weight",
                     .dimensions = {{"expert", experts}, {"in_feature", in}},
                     .operand = {.loops = {kExpert, kIn}},
                     .form = MatrixForm::flat}};
    if (bias) {
        nest.weights.push_back({.name = "bias", .dimensions = {{"expert", experts}}, .operand = {.loops = {kExpert}}});
    }
    nest.result = x;
    nest.result.dimensions[2] = {"expert", experts};
    nest.saved = {{.what = Saved::What::input}, {.what = Saved::What::output}};
    nest.work = [](const LocalExtents& local) {
        const double tokens = tokens_of(local);
        const Kernel product = matmul(tokens, local[kExpert], local[kIn]);
        const Kernel choose = stream(2 * tokens * local[kExpert], 6);  // softmax, and the choice of the best
        return Work{.forward = {product, choose},
                    .backward_input = {choose, matmul(tokens, local[kIn], local[kExpert])},
                    .backward_weight = {matmul(local[kExpert], local[kIn], tokens)},
                    .model_forward = product.flops};
    };
    return nest;
}

/// D[t, e, f] = X[t, f] where e is one of token t's experts. Backward adds the copies' gradients.
Nest build_dispatch(Attributes& attributes, std::span<const Tensor> inputs) {
    const Extent top_k = attributes.positive("top_k");
    const Extent groups = attributes.positive("groups", 1);
    const Extent chosen_groups = attributes.positive("top_groups", groups);
    const double capacity = attributes.decimal("capacity", 0, 0);
    const double imbalance = attributes.decimal("imbalance", 1, 1);
    if (!is_sequence(attributes, inputs[0]) || !are_scores(attributes, inputs[1])) {
        return {};
    }
    const Extent experts = inputs[1].dimensions[2].extent;
    const Routing routing{.experts = experts, .chosen = top_k, .groups = groups, .chosen_groups = chosen_groups};
    if (!is_routable(attributes, routing)) {
        return {};
    }
    if (capacity > 0 && imbalance > 1) {
        attributes.error_at("imbalance", "experts with a capacity all work on equally many tokens, padded or dropped",
                            "give one of capacity and imbalance");
        return {};
    }
    constexpr int kExpert = kCopyExpert, kFeature = kCopyFeature;
    const double copies = static_cast<double>(top_k) * (capacity > 0 ? capacity : 1);
    Nest nest;
    Tensor& result = nest.result;
    result = inputs[0];
    result.dimensions.insert(result.dimensions.begin() + kExpert, {.name = "expert",
                                                                   .extent = experts,
                                                                   .density = copies / static_cast<double>(experts),
                                                                   .imbalance = imbalance,
                                                                   .routing = routing});
    if (capacity > 0) {
        result.dimensions[kExpert].fullest = {1};
    }
    append(nest.loops, result.dimensions, [](const TensorDimension& dimension) { return loop_of(dimension); });
    nest.inputs = {{.loops = {kBatch, kSequence, kFeature}}, {.loops = {kBatch, kSequence, kExpert}}};
    nest.output = {.loops = {kBatch, kSequence, kExpert, kFeature}};
    nest.saved = {{.what = Saved::What::internal,
                   .name = "places",
                   .element = Element::index,
                   .loops = {kBatch, kSequence, kExpert}}};
    nest.follows = true;
    nest.work = [](const LocalExtents& local) {
        return Work{.forward = {rows(local, 2, 0, 0)}, .backward_input = {rows(local, 1, 1, 1)}};
    };
    return nest;
}

/// Y[t, e, o] = sum over i of X[t, e, i] W[e, o, i] + bias[e, o]: a grouped product, one group an expert.
Nest build_expert_linear(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent out = attributes.positive("out");
    const bool bias = attributes.flag("bias", false);
    if (!are_dispatched(attributes, x)) {
        return {};
    }
    constexpr int kExpert = 2, kIn = 3, kOut = 4;
    const TensorDimension& expert = x.dimensions[2];
    const Extent in = x.dimensions[3].extent;
    Nest nest;
    for (int d = 0; d < kIn; ++d) {
        nest.loops.push_back(loop_of(x.dimensions[static_cast<std::size_t>(d)]));
    }
    nest.loops.push_back({.name = "in_feature", .extent = in});
    nest.loops.push_back({.name = "out_feature", .extent = out});
    nest.inputs = {{.loops = {kBatch, kSequence, kExpert, kIn}}};
    nest.output = {.loops = {kBatch, kSequence, kExpert, kOut}};
    nest.weights = {{.name = "weight",
                     .dimensions = {{"expert", expert.extent}, {"out_feature", out}, {"in_feature", in}},
                     .operand = {.loops = {kExpert, kOut, kIn}},
                     .form = MatrixForm::stacked}};
    if (bias) {
        nest.weights.push_back({.name = "bias",
                                .dimensions = {{"expert", expert.extent}, {"out_feature", out}},
                                .operand = {.loops = {kExpert, kOut}}});
    }
    nest.result = x;
    nest.result.dimensions[3] = {"feature", out};
    nest.saved = {{.what = Saved::What::input, .for_weights = true}};
    nest.linear = true;
    nest.work = [experts = static_cast<double>(expert.extent)](const LocalExtents& local) {
        const double here = std::ceil(experts / local.shards(kExpert));
        const double tokens = tokens_of(local) * local[kExpert] / here;  // of one expert
        const Kernel forward = matmul(tokens, local[kOut], local[kIn], here);
        return Work{.forward = {forward},
                    .backward_input = {matmul(tokens, local[kIn], local[kOut], here)},
                    .backward_weight = {matmul(local[kOut], local[kIn], tokens, here)},
                    .model_forward = forward.flops};
    };
    return nest;
}

/// Y[t, f] = sum over e of scores[t, e] X[t, e, f]. Scores and the last product commute, and Megatron Core multiplies
/// the scores into the activation before it (TEGroupedMLP, WeightedSwiGLUFunction): the experts' results, the largest
/// tensor of a layer, need not be kept for the scores' gradients, only the scores are.
Nest build_combine(Attributes& attributes, std::span<const Tensor> inputs) {
    if (!are_dispatched(attributes, inputs[0]) || !are_scores(attributes, inputs[1])) {
        return {};
    }
    constexpr int kExpert = kCopyExpert, kFeature = kCopyFeature;
    Nest nest;
    append(nest.loops, inputs[0].dimensions, [](const TensorDimension& dimension) { return loop_of(dimension); });
    nest.inputs = {{.loops = {kBatch, kSequence, kExpert, kFeature}}, {.loops = {kBatch, kSequence, kExpert}}};
    nest.output = {.loops = {kBatch, kSequence, kFeature}};
    nest.result = inputs[0];
    nest.result.dimensions.erase(nest.result.dimensions.begin() + kExpert);
    nest.saved = {{.what = Saved::What::input, .operand = 1}};
    nest.follows = true;
    nest.work = [](const LocalExtents& local) {
        // Copies' gradients are written; the scores' gradients run in the pass over the activation.
        const Kernel sum = rows(local, 1, 1, 2);
        return Work{.forward = {sum}, .backward_input = {sum}};
    };
    return nest;
}

}  // namespace dodona::graph
