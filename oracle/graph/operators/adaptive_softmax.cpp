// Adaptive softmax: cross-entropy over a vocabulary in clusters, most tokens needing only the first.
//
// The head scores the most frequent words, up to the first cutoff, and one number a further cluster; a token whose
// target lies in cluster i is also scored there, after a projection to in / divide^i features. Parameters as
// torch.nn.AdaptiveLogSoftmaxWithLoss without head bias; its div_value is 4, here 1 unless given. `tied`: all words are
// rows of one embedding's table and tails have no projection, as Transformer-XL does (arXiv:1901.02860); with `bias`
// one number a word and cluster. How many tokens fall into a cluster is the data's: `tail_percent`. Source: Grave et
// al., arXiv:1609.04309, sections 4.2 and 4.3.
//
// Each cluster is a cross-entropy of its own (see cross_entropy): logits read for maximum and sum, fp32 probabilities
// written and kept. Rows of a tail are gathered, their gradients added back. Not modelled: splitting of its classes.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

struct Tail {
    double classes = 0;
    double features = 0;  ///< of the projection
    double share = 0;     ///< of the tokens
};

struct Clusters {
    double in = 1;
    double head = 1;       ///< classes and clusters
    bool projects = true;  ///< the tails' rows, before they are scored
    std::vector<Tail> tails;
};

void add_loss(Work& work, double logits) {
    const Bytes single = 4 * logits * unit::byte;
    work.forward.push_back(stream(logits, 3));
    work.forward.push_back(stream(logits, 2, single));
    work.backward_input.push_back(stream(logits, 1, single));
}

void add_product(Work& work, double tokens, double out, double in) {
    work.forward.push_back(matmul(tokens, out, in));
    work.backward_input.push_back(matmul(tokens, in, out));
    work.backward_weight.push_back(matmul(out, in, tokens));
    work.model_forward += work.forward.back().flops;
}

Work work_of(double tokens, const Clusters& clusters) {
    Work work;
    add_product(work, tokens, clusters.head, clusters.in);
    add_loss(work, tokens * clusters.head);
    for (const Tail& tail : clusters.tails) {
        const double met = tokens * tail.share;
        Kernel rows{.kind = KernelKind::gather, .m = met, .n = clusters.in, .flops = Flop{}};
        rows.elements = 2 * met * clusters.in;
        work.forward.push_back(rows);
        rows.elements = 3 * met * clusters.in;
        work.backward_input.push_back(rows);
        if (clusters.projects) {
            add_product(work, met, tail.features, clusters.in);
        }
        add_product(work, met, tail.classes, tail.features);
        add_loss(work, met * tail.classes);
    }
    return work;
}

/// The clusters that the attributes describe; nothing where they do not fit together.
std::optional<Clusters> clusters_of(Attributes& attributes, Extent in) {
    const Extent vocabulary = attributes.positive("vocabulary");
    const std::vector<Extent> cutoffs = attributes.list("cutoffs", 1);
    const Extent divide = attributes.positive("divide", 1);
    const std::vector<Extent> percent = attributes.list("tail_percent", 0);
    if (cutoffs.empty() || percent.empty()) {
        return std::nullopt;
    }
    if (percent.size() != cutoffs.size()) {
        attributes.error_at("tail_percent", fmt::format("a list of {} for {} clusters", percent.size(), cutoffs.size()),
                            "give the share of the tokens in each cluster after the head, one for each cutoff");
        return std::nullopt;
    }
    Clusters clusters{.in = static_cast<double>(in),
                      .head = static_cast<double>(cutoffs[0]) + static_cast<double>(cutoffs.size()),
                      .tails = {}};
    Extent features = in;
    Extent tokens = 0;
    for (std::size_t i = 0; i < cutoffs.size(); ++i) {
        const Extent end = i + 1 < cutoffs.size() ? cutoffs[i + 1] : vocabulary;
        features /= divide;
        tokens += percent[i];
        if (end <= cutoffs[i]) {
            attributes.error_at("cutoffs", fmt::format("{} is not before {}", cutoffs[i], end),
                                "they grow and end before the vocabulary");
            return std::nullopt;
        }
        if (features < 1) {
            attributes.error_at("divide", fmt::format("{} leaves no feature of {} in cluster {}", divide, in, i + 1));
            return std::nullopt;
        }
        clusters.tails.push_back({.classes = static_cast<double>(end - cutoffs[i]),
                                  .features = static_cast<double>(features),
                                  .share = static_cast<double>(percent[i]) / 100});
    }
    if (tokens > 100) {
        attributes.error_at("tail_percent", fmt::format("{} % of the tokens", tokens), "at most 100 % in all");
        return std::nullopt;
    }
    return clusters;
}

void add_weight(Nest& nest, const std::string& name, double out, double in) {
    nest.weights.push_back({.name = name,
                            .dimensions = {{"class", static_cast<Extent>(out)}, {"feature", static_cast<Extent>(in)}},
                            .operand = {.loops = {kNoLoop, kNoLoop}}});
}

void add_weights(Nest& nest, const Clusters& clusters, const std::string& tied, bool bias) {
    const auto count = static_cast<double>(clusters.tails.size());
    double words = clusters.head - count;
    for (const Tail& tail : clusters.tails) {
        words += tail.classes;
    }
    if (clusters.projects) {
        add_weight(nest, "head", clusters.head, clusters.in);
        for (const Tail& tail : clusters.tails) {
            add_weight(nest, "projection", tail.features, clusters.in);
            add_weight(nest, "tail", tail.classes, tail.features);
        }
    } else {
        add_weight(nest, "weight", words, clusters.in);
        nest.weights.back().tied_to = tied;
        add_weight(nest, "clusters", count, clusters.in);
    }
    if (bias) {
        add_weight(nest, "bias", words + count, 1);
    }
}

}  // namespace

Nest build_adaptive_softmax(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const bool features = x.dimensions.size() >= 2 && x.dimensions.back().name == "feature";
    auto clusters = clusters_of(attributes, features ? x.dimensions.back().extent : 1);
    const std::string tied = attributes.text("tied");
    const bool bias = attributes.flag("bias", false);
    if (!features) {
        attributes.error(fmt::format("reads {}, whose last dimension is not feature", x.shape()));
    }
    if (!features || !clusters) {
        return {};
    }
    Nest nest;
    nest.result = x;
    nest.result.dimensions.pop_back();
    for (const TensorDimension& dimension : nest.result.dimensions) {
        nest.loops.push_back({.name = dimension.name, .extent = dimension.extent});
    }
    const std::vector<int> leading = all_loops(nest.loops.size());
    nest.inputs = {{.loops = leading}};
    nest.inputs[0].loops.push_back(kNoLoop);
    nest.output = {.loops = leading};
    clusters->projects = tied.empty();
    if (!tied.empty() && clusters->tails.back().features != clusters->in) {
        attributes.error_at("divide", "a tied table's rows are as long in every cluster", "leave it out");
        return {};
    }
    add_weights(nest, *clusters, tied, bias);
    double logits = clusters->head;
    double rows = 0;  // gathered and projected
    for (const Tail& tail : clusters->tails) {
        logits += tail.share * tail.classes;
        rows += tail.share * (clusters->in + (clusters->projects ? tail.features : 0));
    }
    nest.saved = {{.what = Saved::What::input},
                  {.what = Saved::What::internal,
                   .name = "probabilities",
                   .element = Element::single,
                   .loops = leading,
                   .factor = logits},
                  {.what = Saved::What::internal, .name = "rows", .loops = leading, .factor = rows}};
    nest.work = [clusters = *clusters](const LocalExtents& local) { return work_of(volume(local), clusters); };
    return nest;
}

}  // namespace dodona::graph
