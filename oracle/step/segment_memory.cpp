#include "step/segment_memory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "graph/operators.hpp"
#include "graph/shared_by_instances.hpp"
#include "plan/operands.hpp"
#include "plan/optimizer.hpp"
#include "plan/rules.hpp"

namespace dodona::step {

using graph::Element;
using graph::Layer;
using graph::Vertex;
using plan::MemoryAction;
using plan::MemoryTensors;

namespace {

constexpr Bytes kSingle = Bytes::of_base(4);

const plan::SavedTensor* logits_of(const plan::ShardedLayer& layer) {
    return found_in(layer.saved, [](const plan::SavedTensor& saved) { return saved.logits; });
}

/// The axes over which devices share what a layer takes statistics over, as a loss its vocabulary.
plan::Atoms splits_statistics(const Layer& layer, const plan::ShardedLayer& sharded) {
    plan::Atoms over = 0;
    for (const auto& statistics : layer.nest.statistics) {
        for (const int loop : statistics.over) {
            over |= sharded.loops[static_cast<std::size_t>(loop)];
        }
    }
    return over;
}

/// Whether a layer is a product with trained weight matrices.
bool is_product(const Layer& layer) { return layer.trains() && layer.nest.linear; }

}  // namespace

Bytes peak_after_freeing(Bytes earlier, Bytes kept, Bytes transient) { return max(earlier - kept, transient); }

Bytes element_bytes(Element element, Precision precision) {
    switch (element) {
        case Element::activation: return stored_bytes(precision);
        case Element::index: return Bytes::of_base(8);
        case Element::mask: return Bytes::of_base(1);
        case Element::single: return kSingle;
    }
    throw InternalError("an element without a size");
}

Bytes quantised_bytes(Precision precision) {
    switch (precision) {
        case Precision::fp8: return Bytes::of_base(1);
        case Precision::mxfp8: return Bytes::of_base(33.0 / 32);
        case Precision::nvfp4: return Bytes::of_base(9.0 / 16);
        case Precision::fp32:
        case Precision::tf32:
        case Precision::fp16:
        case Precision::bf16: return stored_bytes(precision);
    }
    throw InternalError("a precision without a size");
}

SegmentMemories::SegmentMemories(const graph::Graph& graph, const plan::ShardedGraph& sharded, const plan::Mesh& mesh,
                                 const plan::Plan& plan, std::vector<bool> repeated)
    : graph_(graph),
      sharded_(sharded),
      mesh_(mesh),
      profile_(plan.memory),
      precision_(plan.precision),
      repeated_(std::move(repeated)) {
    for (Vertex v = 0; v < graph.layers.size(); ++v) {
        if (is_shared_by_instances(graph, v)) {
            shared_by_instances_.insert(v);
        }
    }
    find_rules();
    for (Vertex v = 0; v < rules_.size(); ++v) {
        if (const plan::SavedTensor* saved = logits_of(sharded.layers[v])) {
            find_chunks(v, *saved);
        }
    }
    if (profile_.has(plan::MemoryAction::cast, MemoryTensors::shared_inputs) && is_narrow(precision_)) {
        find_shared();
    }
    find_waiting();
    if (profile_.has(plan::MemoryAction::cast, MemoryTensors::results) && stored_bytes(precision_) < kSingle &&
        plan::optimizer(plan.optimizer).dense.master) {
        find_autocasts();
    }
}

void SegmentMemories::find_rules() {
    const bool any = std::any_of(profile_.rules.begin(), profile_.rules.end(),
                                 [](const plan::MemoryRule& rule) { return plan::is_of_layers(rule.tensors); });
    rules_.resize(any ? graph_.layers.size() : 0);
    for (Vertex v = 0; v < rules_.size(); ++v) {
        for (const plan::MemoryRule& rule : profile_.rules) {
            if (plan::is_of_layers(rule.tensors) && matches(rule.match, graph_.layer(v))) {
                const plan::MemoryRule*& first = rules_[v][static_cast<std::size_t>(rule.tensors)];
                first = first == nullptr ? &rule : first;
            }
        }
    }
}

const plan::MemoryRule* SegmentMemories::rule(Vertex v, MemoryAction action, MemoryTensors tensors) const {
    const plan::MemoryRule* first = rules_.empty() ? nullptr : rules_[v][static_cast<std::size_t>(tensors)];
    return first == nullptr || first->action != action ? nullptr : first;
}

bool SegmentMemories::casts_to(Vertex v, MemoryTensors tensors, plan::CastTo to) const {
    const plan::MemoryRule* cast = rule(v, MemoryAction::cast, tensors);
    return cast != nullptr && cast->to == to;
}

/// Logits that come in chunks, from the product that writes them to the loss `v`. Where the loss computes gradients in
/// forward, in Liger's chunks: of as many tokens, rounded up to a power of two, that logits are as large as the product's
/// input (linkedin/Liger-Kernel: src/liger_kernel/ops/fused_linear_cross_entropy.py).
void SegmentMemories::find_chunks(Vertex v, const plan::SavedTensor& saved) {
    const plan::MemoryRule* temporaries = rule(v, MemoryAction::keep, MemoryTensors::loss_temporaries);
    const bool fused = rule(v, MemoryAction::free, MemoryTensors::logits) != nullptr;
    const bool chunked = temporaries != nullptr && temporaries->chunks > 1 &&
                         rule(v, MemoryAction::keep, MemoryTensors::loss_inputs) == nullptr;
    std::vector<Vertex> read{v};  // from the loss to the product
    while (!graph_.layer(read.back()).nest.linear || graph_.layer(read.back()).nest.weights.empty()) {
        const std::vector<Vertex>& producers = graph_.layer(read.back()).producers;
        if (!(fused || chunked) || producers.size() != 1 || graph_.layer(producers.front()).consumers.size() != 1) {
            return;
        }
        read.push_back(producers.front());
    }
    const plan::ShardedLayer& head = sharded_.layers[read.back()];
    double share = chunked ? 1 / static_cast<double>(temporaries->chunks) : 1;
    if (fused) {
        double classes = 1;
        for (const auto& statistics : graph_.layer(v).nest.statistics) {
            for (const int loop : statistics.over) {
                classes *= sharded_.layers[v].local[loop];
            }
        }
        const double tokens = saved.elements / classes;
        const double inputs = head.transient_elements - head.output_elements;
        const auto chunk =
            std::bit_ceil(static_cast<std::uint64_t>(std::ceil(tokens / std::ceil(saved.elements / inputs))));
        share = std::min(1.0, static_cast<double>(chunk) / tokens);
        fused_.insert({read.back(), v});
    }
    for (std::size_t i = 1; i < read.size(); ++i) {
        chunks_[read[i]] = share;
    }
}

double SegmentMemories::share_of_result(Vertex v) const {
    const auto found = chunks_.find(v);
    return found == chunks_.end() ? 1 : found->second;
}

void SegmentMemories::find_autocasts() {
    for (Vertex v = 0; v < graph_.layers.size(); ++v) {
        const Layer& layer = graph_.layer(v);
        const graph::OperatorKind* kind = graph::find_operator(layer.kind);
        // A network input is in 16 bits.
        const graph::Autocast autocast = kind == nullptr                                      ? graph::Autocast::narrow
                                         : has(v, MemoryAction::cast, MemoryTensors::results) ? kind->autocast
                                                                                              : graph::Autocast::widest;
        const bool reads_wide = std::any_of(layer.producers.begin(), layer.producers.end(),
                                            [&](Vertex producer) { return is_wide_[producer]; });
        casts_.push_back(autocast == graph::Autocast::narrow);
        // Frozen weights are in 16 bits.
        is_wide_.push_back((autocast == graph::Autocast::single && !layer.frozen) ||
                           (autocast != graph::Autocast::narrow && reads_wide));
    }
}

/// In backward the last reader of a result is reached first; its gradient waits for the other readers and the producer.
void SegmentMemories::find_waiting() {
    std::vector<double> reached(graph_.layers.size());  // by last reader
    double waiting = 0;
    for (Vertex v = 0; v < graph_.layers.size(); ++v) {
        waiting -= reached[v];
        waiting_.push_back(waiting);
        const Layer& layer = graph_.layer(v);
        if (layer.goes_backward() && !layer.consumers.empty()) {
            const Vertex last = *std::max_element(layer.consumers.begin(), layer.consumers.end());
            waiting += sharded_.layers[v].output_elements;
            reached[last] += sharded_.layers[v].output_elements;
        }
    }
}

void SegmentMemories::find_shared() {
    std::set<Vertex> by_products;
    std::set<Vertex> by_others;
    for (Vertex v = 0; v < graph_.layers.size(); ++v) {
        for (const plan::SavedTensor& saved : sharded_.layers[v].saved) {
            if (saved.slot == 0 && in_block(v)) {
                (saved.for_weights ? by_products : by_others).insert(saved.tensor);
            }
        }
    }
    std::set_intersection(by_products.begin(), by_products.end(), by_others.begin(), by_others.end(),
                          std::inserter(shared_, shared_.end()));
}

void SegmentMemories::add(Vertex v, double count, SegmentMemory& segment) {
    const Bytes before = segment.saved;
    add_saved(v, count, segment);
    // In backward, the layers before this one run when what it keeps is free.
    segment.transient = peak_after_freeing(segment.transient, segment.saved - before, Bytes{});
    add_for_weights(v, count, segment);
    if (is_repeated(v)) {
        add_recompute_inputs(v, count, segment);
    }
    add_transient(v, segment);
    add_placeholders(v, count, segment);
}

std::vector<KeptTensor> SegmentMemories::add_listed(Vertex v, double count, SegmentMemory& segment) {
    std::vector<KeptTensor> listed;
    listed_ = &listed;
    add(v, count, segment);
    listed_ = nullptr;
    return listed;
}

void SegmentMemories::keep(const KeptTensor& tensor, SegmentMemory& segment) const {
    segment.saved += tensor.bytes;
    segment.dropped += tensor.dropped ? tensor.bytes : Bytes{};
    if (listed_ != nullptr) {
        listed_->push_back(tensor);
    }
}

bool SegmentMemories::first(const Tensor& tensor, Vertex v) {
    if (graph_.layer(tensor.first.first).segment == graph_.layer(v).segment) {
        return at_home_.insert(tensor).second;
    }
    return at_home_.count(tensor) == 0 && elsewhere_.insert({tensor, graph_.instances(v)}).second;
}

void SegmentMemories::add_saved(Vertex v, double count, SegmentMemory& segment) {
    for (const plan::SavedTensor& saved : sharded_.layers[v].saved) {
        if (saved.gathered && has(v, MemoryAction::gather, MemoryTensors::inputs)) {
            continue;  // add_gathered
        }
        if (is_fused(v)) {
            continue;  // add_fused_gradients
        }
        const bool quantised = is_quantised(saved, v);
        if (reads_shared(saved.tensor, v)) {
            Bytes& kept = segment.shared_by_instances[saved.tensor];
            kept = max(kept, saved.elements * width(saved, v));
            continue;
        }
        const bool repeated = saved.repeated > 0 && has(v, MemoryAction::repeat, MemoryTensors::keys);
        if (saved.slot == 0 && !repeated && !is_cast(saved, v) &&
            !first({{saved.tensor, quantised}, saved.sharding}, v)) {
            continue;
        }
        const bool dropped = repeated_.empty() ? saved.selective : repeated_[saved.tensor];
        const double elements = repeated ? saved.repeated : saved.logits ? logits(v, saved) : saved.elements;
        const Bytes bytes = count * elements * width(saved, v);
        keep({.saved = &saved, .bytes = bytes, .dropped = dropped}, segment);
    }
    if (!graph_.layer(v).goes_backward()) {
        return;  // what software keeps in addition is for a backward pass, too
    }
    add_gate_result(v, count, segment);
    add_norm_result(v, count, segment);
    add_probabilities(v, count, segment);
    add_gathered(v, count, segment);
    add_fused_gradients(v, count, segment);
}

/// As wide as the product's input and, under autocast in fp32, its weights.
void SegmentMemories::add_fused_gradients(Vertex v, double count, SegmentMemory& segment) const {
    if (fused_.count(v) == 0) {
        return;
    }
    const plan::ShardedLayer& head = sharded_.layers[v];
    const Layer& layer = graph_.layer(v);
    const Bytes wide = is_wide(layer.producers.front()) ? kSingle : stored_bytes(precision_);
    keep({.copy = "gradient of the logits' product's input",
          .bytes = count * (head.transient_elements - head.output_elements) * wide},
         segment);
    for (std::size_t w = 0; w < head.weights.size() && layer.trains(); ++w) {
        keep({.copy = "gradient of the logits' product's weights",
              .bytes = count * head.weights[w].elements * (is_wide_.empty() ? stored_bytes(precision_) : kSingle)},
             segment);
    }
}

void SegmentMemories::add_gathered(Vertex v, double count, SegmentMemory& segment) const {
    if (!has(v, MemoryAction::gather, MemoryTensors::inputs)) {
        return;
    }
    for (const plan::LayerTransfer& transfer : sharded_.layers[v].transfers) {
        if (transfer.purpose == plan::Purpose::regather) {
            const Bytes bytes = count * transfer.transfer.elements * element_bytes(transfer.element, precision_);
            keep({.copy = "gathered input", .bytes = bytes, .dropped = is_repeated(v)}, segment);
        }
    }
}

/// The result of the function is as large as either of the two tensors that a gated activation reads.
void SegmentMemories::add_gate_result(Vertex v, double count, SegmentMemory& segment) const {
    const auto& read = sharded_.layers[v].saved;
    const auto gate = find_if(read, [](const plan::SavedTensor& saved) { return saved.gated; });
    if (gate == read.end() || !has(v, MemoryAction::keep, MemoryTensors::gate_results)) {
        return;
    }
    const Bytes bytes = count * gate->elements * element_bytes(gate->element, precision_);
    keep({.copy = "result of the gate's function", .bytes = bytes, .dropped = is_repeated(v)}, segment);
}

/// In addition to the result, without autocast the fp32 copy of an input in 16 bits.
void SegmentMemories::add_norm_result(Vertex v, double count, SegmentMemory& segment) const {
    const plan::MemoryRule* kept = rule(v, MemoryAction::keep, MemoryTensors::normalised_inputs);
    if (kept == nullptr) {
        return;
    }
    const bool casts = stored_bytes(precision_) < kSingle && is_wide_.empty();
    const Bytes element = kept->element > Bytes{} ? kept->element
                          : casts                 ? stored_bytes(precision_) + kSingle
                                                  : kSingle;
    const Bytes bytes = count * sharded_.layers[v].output_elements * element;
    keep({.copy = "normalised input", .bytes = bytes, .dropped = is_repeated(v)}, segment);
}

/// Without dropout the 16-bit copy that the product reads is what attention keeps, with it what dropout leaves of them.
void SegmentMemories::add_probabilities(Vertex v, double count, SegmentMemory& segment) const {
    if (stored_bytes(precision_) == kSingle || !has(v, MemoryAction::cast, MemoryTensors::probabilities)) {
        return;
    }
    std::vector<const plan::SavedTensor*> squares;
    for (const plan::SavedTensor& saved : sharded_.layers[v].saved) {
        if (saved.slot > 0 && saved.selective && saved.element == Element::activation) {
            squares.push_back(&saved);
        }
    }
    if (!squares.empty()) {
        const Bytes element = squares.size() > 1 ? kSingle - stored_bytes(precision_) : kSingle;
        keep({.copy = "probabilities in fp32",
              .bytes = count * squares.front()->elements * element,
              .dropped = repeated_.empty() || repeated_[v]},
             segment);
    }
}

/// An input that several products of a segment read, such as that of queries, keys and values, is there once. Once dX is
/// there, only dW reads the gradient of a product's result.
void SegmentMemories::add_for_weights(Vertex v, double count, SegmentMemory& segment) {
    const plan::ShardedLayer& sharded = sharded_.layers[v];
    bool is_product = false;
    for (const plan::SavedTensor& saved : sharded.saved) {
        if (!saved.for_weights || is_fused(v)) {
            continue;
        }
        is_product = true;
        const bool quantised = is_quantised(saved, v);
        const Tensor tensor{{saved.tensor, quantised}, saved.sharding};
        if (saved.slot > 0 || for_weights_.insert({tensor, graph_.layer(v).segment}).second) {
            segment.for_weights += count * saved.elements * width(saved, v);
        }
    }
    if (is_product) {
        const bool quantised =
            casts_to(v, MemoryTensors::product_inputs, plan::CastTo::products) && is_narrow(precision_) && in_block(v);
        segment.for_weights +=
            count * sharded.output_elements * (quantised ? quantised_bytes(precision_) : stored_bytes(precision_));
    }
}

bool SegmentMemories::is_quantised(const plan::SavedTensor& saved, Vertex v) const {
    if (!is_narrow(precision_) || saved.slot > 0 || !in_block(v) || is_shared(saved)) {
        return false;
    }
    return (saved.for_weights && casts_to(v, MemoryTensors::product_inputs, plan::CastTo::products)) ||
           (saved.gated && casts_to(v, MemoryTensors::gate_inputs, plan::CastTo::products));
}

bool SegmentMemories::is_shared(const plan::SavedTensor& saved) const {
    return saved.slot == 0 && shared_.count(saved.tensor) > 0;
}

/// A recomputed layer starts from its inputs as it keeps them.
void SegmentMemories::add_recompute_inputs(Vertex v, double count, SegmentMemory& segment) {
    for (const Vertex producer : graph_.layer(v).producers) {
        const plan::ShardedLayer& source = sharded_.layers[producer];
        const plan::SavedTensor kept = kept_input(v, producer);
        if (reads_shared(producer, v)) {
            Bytes& once = segment.shared_by_instances[producer];
            once = max(once, source.output_elements * width(kept, v));
            continue;
        }
        if (!is_repeated(producer) && first({{producer, is_quantised(kept, v)}, source.output}, v)) {
            segment.recompute_inputs += count * source.output_elements * width(kept, v);
        }
    }
}

/// What a layer keeps of a producer's result, or would keep.
plan::SavedTensor SegmentMemories::kept_input(Vertex v, Vertex producer) const {
    for (const plan::SavedTensor& saved : sharded_.layers[v].saved) {
        if (saved.tensor == producer) {
            return saved;
        }
    }
    plan::SavedTensor whole{};
    whole.tensor = producer;
    whole.element = graph_.layer(producer).nest.result.element;
    return whole;
}

void SegmentMemories::add_transient(Vertex v, SegmentMemory& segment) const {
    const Bytes element = stored_bytes(precision_);
    const plan::ShardedLayer& sharded = sharded_.layers[v];
    double elements = sharded.transient_elements + waiting_[v] - (1 - share_of_result(v)) * sharded.output_elements;
    for (const Vertex producer : graph_.layer(v).producers) {
        elements -= (1 - share_of_result(producer)) * sharded_.layers[producer].output_elements;
    }
    Bytes transient = elements * element;
    if (const plan::SavedTensor* saved = logits_of(sharded)) {
        segment.results += has(v, MemoryAction::keep, MemoryTensors::pipeline_results)
                               ? share_of_result(graph_.layer(v).producers.front()) * logits(v, *saved) * element
                               : Bytes{};
        const auto temporaries = loss_temporaries(v, *saved);
        const Bytes whole = keeps_loss_inputs(v) ? logits(v, *saved) * element : Bytes{};
        transient = has(v, MemoryAction::cast, MemoryTensors::logits)
                        ? Bytes{}
                        : max(transient, std::accumulate(temporaries.begin(), temporaries.end(), whole));
        segment.loss = max(segment.loss, transient);
    }
    if (has(v, MemoryAction::keep, MemoryTensors::placeholders) && is_product(graph_.layer(v)) && !in_block(v)) {
        for (const plan::WeightShard& weight : sharded.weights) {
            transient += weight.elements * element;
        }
    }
    for (const plan::WeightShard& weight : sharded.weights) {
        const bool is_copied = graph::is_dequantised(weight.storage, is_narrow(precision_) && in_block(v));
        transient += is_copied ? weight.elements * element : Bytes{};
    }
    segment.transient = max(segment.transient, transient);
}

void SegmentMemories::add_placeholders(Vertex v, double count, SegmentMemory& segment) const {
    const Layer& layer = graph_.layer(v);
    for (std::size_t w = 0; w < layer.nest.weights.size() && layer.trains(); ++w) {
        const bool matrices = layer.nest.weights[w].dimensions.size() > 1;
        if (!matrices) {
            continue;
        }
        segment.widest_weight = max(segment.widest_weight, sharded_.layers[v].weights[w].elements * kSingle);
        if (has(v, MemoryAction::keep, MemoryTensors::placeholders) && layer.nest.linear && in_block(v)) {
            segment.placeholders.insert(segment.placeholders.end(), static_cast<std::size_t>(count),
                                        matrix(v, w) * stored_bytes(precision_));
        }
    }
}

Bytes SegmentMemories::width(const plan::SavedTensor& saved, Vertex v) const {
    if (saved.logits) {
        return has(v, MemoryAction::cast, MemoryTensors::logits) ? stored_bytes(precision_) : kSingle;
    }
    if (is_shared(saved)) {
        return profile_.rule(plan::MemoryAction::cast, MemoryTensors::shared_inputs)->element;
    }
    if (saved.slot == 0 && !is_cast(saved, v) && is_wide(saved.tensor)) {
        return kSingle;
    }
    if (is_quantised(saved, v)) {
        return quantised_bytes(precision_);
    }
    const bool wide =
        saved.element == Element::activation && casts_to(v, MemoryTensors::activations, plan::CastTo::fp32);
    return wide ? kSingle : element_bytes(saved.element, precision_);
}

bool SegmentMemories::is_wide(Vertex tensor) const { return !is_wide_.empty() && is_wide_[tensor]; }

bool SegmentMemories::is_cast(const plan::SavedTensor& saved, Vertex v) const {
    return saved.slot == 0 && is_wide(saved.tensor) && casts_[v];
}

double SegmentMemories::logits(Vertex v, const plan::SavedTensor& saved) const {
    const plan::Atoms over = splits_statistics(graph_.layer(v), sharded_.layers[v]);
    return has(v, MemoryAction::gather, MemoryTensors::logits) ? static_cast<double>(mesh_.ways(over)) * saved.elements
                                                               : saved.elements;
}

std::vector<Bytes> SegmentMemories::loss_temporaries(Vertex v, const plan::SavedTensor& saved) const {
    const bool split = splits_statistics(graph_.layer(v), sharded_.layers[v]) != 0 &&
                       !has(v, MemoryAction::gather, MemoryTensors::logits);
    const plan::MemoryRule* kept = rule(v, MemoryAction::keep, MemoryTensors::loss_temporaries);
    const plan::MemoryRule* of_split = rule(v, MemoryAction::keep, MemoryTensors::split_loss_temporaries);
    kept = split && of_split != nullptr ? of_split : kept;
    if (kept == nullptr || is_fused(v)) {
        return {};
    }
    return std::vector<Bytes>(static_cast<std::size_t>(kept->element / kSingle),
                              logits(v, saved) / static_cast<double>(kept->chunks) * kSingle);
}

bool SegmentMemories::keeps_loss_inputs(Vertex v) const {
    return has(v, MemoryAction::keep, MemoryTensors::loss_inputs) && !is_fused(v);
}

bool SegmentMemories::is_fused(Vertex v) const {
    return any_of(fused_, [v](const auto& pair) { return pair.first == v || pair.second == v; });
}

Bytes SegmentMemories::result(Vertex v) const {
    return share_of_result(v) * sharded_.layers[v].output_elements *
           (is_wide(v) ? kSingle : element_bytes(graph_.layer(v).nest.result.element, precision_));
}

bool SegmentMemories::reads_shared(Vertex tensor, Vertex v) const {
    return graph_.layer(tensor).segment != graph_.layer(v).segment && in_block(v) &&
           shared_by_instances_.count(tensor) > 0;
}

bool SegmentMemories::in_block(Vertex v) const { return graph_.segments[graph_.layer(v).segment].is_block(); }

double SegmentMemories::matrix(Vertex v, std::size_t weight) const {
    const graph::Nest& nest = graph_.layer(v).nest;
    const graph::Weight& whole = nest.weights[weight];
    double elements = sharded_.layers[v].weights[weight].elements;
    if (whole.dimensions.size() == 3) {  // one matrix per expert
        const int loop = whole.operand.loops.front();
        const double ways =
            loop == graph::kNoLoop
                ? 1
                : static_cast<double>(mesh_.ways(sharded_.layers[v].loops[static_cast<std::size_t>(loop)]));
        elements /= std::ceil(static_cast<double>(whole.dimensions.front().extent) / ways);
    }
    return elements;
}

}  // namespace dodona::step
