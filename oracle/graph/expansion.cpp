#include "graph/expansion.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/check.hpp"
#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr std::size_t kMaxLayers = 20'000;
constexpr Extent kLargestExtent = 1'000'000'000;
constexpr double kMaxElements = 1e15;
constexpr const char* kNameHelp = "a name is a word without / [ ] *";

/// Dimension names of network inputs; strategies refer to them as loops.
const std::vector<std::string>& input_dimensions() {
    static const std::vector<std::string> names{"channel",  "depth",   "height", "width", "length",
                                                "sequence", "feature", "table",  "lookup"};
    return names;
}

std::string tensors(std::size_t count) { return fmt::format("{} tensor{}", count, count == 1 ? "" : "s"); }

std::string operands_text(const OperatorKind& kind) {
    if (kind.least_inputs == kind.most_inputs) {
        return tensors(kind.least_inputs);
    }
    return kind.most_inputs > 3 ? fmt::format("{} or more", tensors(kind.least_inputs))
                                : fmt::format("{} to {}", kind.least_inputs, tensors(kind.most_inputs));
}

}  // namespace

Expansion::Expansion(const NetworkSpec& spec) : spec_(&spec) {
    graph_.name = spec.name;
    graph_.source = spec.source;
    graph_.left_out = spec.left_out;
    graph_.dataset = spec.dataset;
    graph_.published = spec.published;
    graph_.post_training = spec.post_training;
}

Graph Expansion::run() {
    Scope scope{.entries = &spec_->entries, .outputs = {}, .previous = {}};
    if (spec_->inputs.empty()) {
        diagnostics_.error(spec_->where, "the network has no input");
    }
    if (spec_->entries.empty()) {
        diagnostics_.error(spec_->where, "the network has no layers");
    }
    for (const InputSpec& input : spec_->inputs) {
        add_input(input, scope);
    }
    if (!spec_->inputs.empty()) {
        scope.previous = scope.outputs.at(spec_->inputs.front().name);
    }
    expand(scope, {});
    if (!diagnostics_.has_errors()) {  // after errors a tied layer may be missing only because of its own fault
        tie_weights();
        share_weights();
    }
    diagnostics_.throw_if_errors();
    return std::move(graph_);
}

void Expansion::add_input(const InputSpec& input, Scope& scope) {
    const auto& dimensions = input.tensor.dimensions;
    check(!dimensions.empty() && dimensions[0].name == "batch" && dimensions[0].extent == 1,
          "a network input starts with one sample of the batch");
    const std::size_t errors = diagnostics_.all().size();
    if (input.name.empty() || input.name.find_first_of("/[]*") != std::string::npos) {
        diagnostics_.error(input.where, fmt::format("\"{}\" cannot be a name", input.name), kNameHelp);
    }
    if (scope.outputs.contains(input.name)) {
        diagnostics_.error(input.where, fmt::format("{}: a second input of this name", input.name));
    }
    const std::vector<std::string>& known = input_dimensions();
    for (std::size_t i = 1; i < dimensions.size(); ++i) {
        const TensorDimension& dimension = dimensions[i];
        if (std::find(known.begin(), known.end(), dimension.name) == known.end()) {
            diagnostics_.error(input.where,
                               fmt::format("{}.{}: unknown dimension{}", input.name, dimension.name,
                                           did_you_mean(dimension.name, known)),
                               fmt::format("accepted here: {}", join(known)));
        }
        if (dimension.extent < 1 || dimension.extent > kLargestExtent) {
            diagnostics_.error(input.where,
                               fmt::format("{}.{}: {} is out of range", input.name, dimension.name, dimension.extent),
                               fmt::format("give a whole number from 1 to {}", kLargestExtent));
        }
        if (input.tensor.find(dimension.name) != i) {
            diagnostics_.error(input.where, fmt::format("{}.{}: named twice", input.name, dimension.name));
        }
    }
    if (input.tensor.elements() > kMaxElements) {
        diagnostics_.error(input.where, fmt::format("{}: more than {:g} elements a sample", input.name, kMaxElements));
    }
    if (diagnostics_.all().size() > errors) {
        scope.outputs.emplace(input.name, std::nullopt);
        return;
    }
    Layer layer{.name = input.name, .kind = std::string(kNetworkInput), .role = {}, .block = {}, .where = input.where};
    layer.nest = element_wise(input.tensor, 0);
    layer.nest.follows = false;
    layer.nest.work = [](const LocalExtents&) { return Work{}; };
    scope.outputs.emplace(input.name, insert(std::move(layer), {}));
}

void Expansion::expand(Scope& scope, const Place& place) {
    for (const Entry& entry : *scope.entries) {
        const bool named = check_name(entry, scope);
        const std::vector<Output> inputs = resolve(entry, scope);
        const Output output = entry.op.empty() ? add_block(entry, inputs, place) : add_layer(entry, inputs, place);
        if (named) {
            scope.outputs.emplace(entry.name, output);
        }
        scope.previous = output;
    }
}

bool Expansion::check_name(const Entry& entry, const Scope& scope) {
    if (entry.name.empty() || entry.name.find_first_of("/[]*") != std::string::npos) {
        diagnostics_.error(entry.where, fmt::format("\"{}\" cannot be a name", entry.name), kNameHelp);
        return false;
    }
    if (scope.outputs.contains(entry.name)) {
        const bool reserved = entry.name == "input" && scope.entries != &spec_->entries;
        diagnostics_.error(entry.where, reserved ? "input: this name is the block's input"
                                                 : fmt::format("{}: a second entry of this name", entry.name));
        return false;
    }
    return true;
}

std::vector<Expansion::Output> Expansion::resolve(const Entry& entry, const Scope& scope) {
    if (entry.from.empty()) {
        return {scope.previous};
    }
    std::vector<Output> inputs;
    for (const std::string& name : entry.from) {
        const auto found = scope.outputs.find(name);
        if (found != scope.outputs.end()) {
            inputs.push_back(found->second);
            continue;
        }
        inputs.emplace_back();
        if (std::any_of(scope.entries->begin(), scope.entries->end(),
                        [&](const Entry& other) { return other.name == name; })) {
            diagnostics_.error(entry.where, fmt::format("{}.from: \"{}\" does not come before it", entry.name, name),
                               "an entry reads only entries before it");
            continue;
        }
        std::vector<std::string> known;
        for (const auto& [other, output] : scope.outputs) {
            known.push_back(other);
        }
        diagnostics_.error(
            entry.where, fmt::format("{}.from: nothing is named \"{}\"{}", entry.name, name, did_you_mean(name, known)),
            "an entry reads entries before it in its own list, and the list's input");
    }
    return inputs;
}

Expansion::Output Expansion::add_layer(const Entry& entry, const std::vector<Output>& inputs, const Place& place) {
    const OperatorKind* kind = find_operator(entry.op);
    if (kind == nullptr) {
        const std::vector<std::string>& known = operator_names();
        diagnostics_.error(
            entry.where,
            fmt::format("{}.op: unknown operator \"{}\"{}", entry.name, entry.op, did_you_mean(entry.op, known)),
            fmt::format("accepted here: {}", join(known)));
        return std::nullopt;
    }
    std::vector<Tensor> read;
    for (const Output& input : inputs) {
        if (!input) {
            return std::nullopt;
        }
        read.push_back(graph_.layer(*input).nest.result);
    }
    if (!check_inputs(entry, *kind, read)) {
        return std::nullopt;
    }

    Layer layer{.name = place.prefix + entry.name,
                .kind = entry.op,
                .role = entry.role,
                .block = place.block,
                .where = entry.where,
                .count = place.count,
                .frozen = entry.frozen || place.frozen,
                .forward_only = entry.forward_only || place.forward_only};
    const std::size_t errors = diagnostics_.all().size();
    Attributes attributes(layer.name, entry.where, entry.attributes, diagnostics_);
    layer.nest = kind->build(attributes, read);
    layer.nest_number = nest_number(entry, read);
    attributes.report_unread();
    const bool by_task = layer.forward_only || (spec_->adapters_only && !entry.adapter);
    layer.frozen = layer.frozen || (by_task && !layer.nest.weights.empty());
    if (diagnostics_.all().size() == errors && entry.frozen && layer.nest.weights.empty()) {
        diagnostics_.error(entry.where, fmt::format("{}.frozen: {} has no weights", layer.name, entry.op),
                           "freeze layers with weights, or the block around them");
    }
    if (diagnostics_.all().size() > errors || !check_sizes(entry, layer.nest)) {
        return std::nullopt;
    }
    layer.storage = entry.storage != WeightStorage::full ? entry.storage : place.storage;
    if (entry.storage != WeightStorage::full && !layer.frozen) {
        diagnostics_.error(entry.where, fmt::format("{}.stored: its weights are trained", layer.name),
                           "only frozen weights are kept in fewer bits: add `frozen: true`");
        return std::nullopt;
    }
    layer.storage = layer.frozen ? layer.storage : WeightStorage::full;
    if (place.depth == 0) {
        start_segment(layer.name, {}, 1);
    }
    const Vertex vertex = insert(std::move(layer), inputs);
    if (auto owner = owner_of(entry, place, {})) {
        readings_.push_back({vertex, *std::move(owner)});
    }
    return vertex;
}

bool Expansion::check_inputs(const Entry& entry, const OperatorKind& kind, const std::vector<Tensor>& inputs) {
    if (inputs.size() < kind.least_inputs || inputs.size() > kind.most_inputs) {
        diagnostics_.error(entry.where, fmt::format("{}.from: {} reads {}, not {}", entry.name, kind.name,
                                                    operands_text(kind), inputs.size()));
        return false;
    }
    for (const Tensor& input : inputs) {
        if (input.element != kind.reads) {
            const bool wants_ids = kind.reads == Element::index;
            diagnostics_.error(
                entry.where,
                fmt::format("{}: {} reads {}, but is given {}", entry.name, kind.name, wants_ids ? "ids" : "numbers",
                            wants_ids ? "numbers" : "ids"),
                wants_ids ? "an input of ids says `element: index`" : "look ids up in an embedding first");
            return false;
        }
    }
    return true;
}

bool Expansion::check_sizes(const Entry& entry, const Nest& nest) {
    check(!nest.loops.empty() && nest.loops[0].name == "batch" && nest.work != nullptr,
          "a builder returned no nest and reported nothing");
    double most = nest.result.elements();
    for (const Weight& weight : nest.weights) {
        most = std::max(most, weight.elements());
    }
    for (const Saved& saved : nest.saved) {
        const auto whole = nest.whole();
        const double elements = std::accumulate(saved.loops.begin(), saved.loops.end(), saved.factor,
                                                [&](double product, int loop) { return product * whole[loop]; });
        most = std::max(most, elements);
    }
    if (most > kMaxElements) {
        diagnostics_.error(entry.where, fmt::format("{}: a tensor of {:g} elements; at most {:g} are allowed",
                                                    entry.name, most, kMaxElements));
        return false;
    }
    return true;
}

std::size_t Expansion::nest_number(const Entry& entry, const std::vector<Tensor>& inputs) {
    const auto same_value = [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.value == b.second.value;
    };
    const auto found = std::find_if(nests_.begin(), nests_.end(), [&](const NestSource& known) {
        return known.entry->op == entry.op && known.inputs == inputs &&
               std::equal(known.entry->attributes.begin(), known.entry->attributes.end(), entry.attributes.begin(),
                          entry.attributes.end(), same_value);
    });
    const auto number = static_cast<std::size_t>(found - nests_.begin()) + 1;
    if (found == nests_.end()) {
        nests_.push_back({&entry, inputs});
    }
    return number;
}

Vertex Expansion::insert(Layer layer, const std::vector<Output>& inputs) {
    if (graph_.layers.size() >= kMaxLayers) {
        diagnostics_.error(spec_->where, fmt::format("more than {} distinct layers", kMaxLayers),
                           "write layers that are alike as one block with repeat:");
        diagnostics_.throw_if_errors();
    }
    layer.segment = graph_.segments.empty() ? 0 : graph_.segments.size() - 1;
    for (const Output& input : inputs) {
        layer.input_gradient = layer.input_gradient || graph_.layer(*input).goes_backward();
        layer.producers.push_back(*input);
    }
    const Vertex vertex = graph_.add(std::move(layer));
    if (!graph_.segments.empty()) {
        graph_.segments.back().layers.push_back(vertex);
    }
    by_path_.emplace(graph_.layer(vertex).name, vertex);
    return vertex;
}

}  // namespace dodona::graph
