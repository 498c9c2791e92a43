#include "files/traced/traced_layers.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/traced/layering.hpp"

namespace dodona::files {

namespace {

constexpr std::array<std::string_view, 3> kSpatial{"depth", "height", "width"};

}  // namespace

TracedLayers Layering::run() {
    for (const TracedInput& input : graph_.inputs) {
        add_input(input);
    }
    for (const TracedNode& node : graph_.nodes) {
        node_ = &node;
        add(node);
        check_shapes(node);
    }
    add_losses();
    return std::move(result_);
}

// Inputs.

const TracedNode* Layering::reader_of(TensorId id) const {
    for (const TracedNode& node : graph_.nodes) {
        if (std::find(node.inputs.begin(), node.inputs.end(), id) != node.inputs.end()) {
            return &node;
        }
    }
    return nullptr;
}

void Layering::add_input(const TracedInput& input) {
    const TracedNode* reader = reader_of(input.tensor);
    if (reader == nullptr) {
        return;
    }
    const TracedTensor& tensor = graph_.tensors[input.tensor];
    const bool is_recurrent =
        reader->op == TracedOp::lstm || reader->op == TracedOp::gru || reader->op == TracedOp::rnn;
    const std::size_t rank = tensor.shape.size();
    const bool is_turned = is_recurrent && rank == 3 && reader->number("sequence_first", 0) != 0;
    const std::size_t batch = is_turned ? 1 : input.batch;
    if (rank <= batch || tensor.shape[batch] != graph_.batch) {
        fail(
            graph_.where,
            fmt::format("input \"{}\" is {}, without a batch of {}", tensor.name, in_words(tensor.shape), graph_.batch),
            "weights among the inputs have none: export the network with its weights");
    }
    const bool is_image = rank > 3 || reader->op == TracedOp::conv || reader->op == TracedOp::conv_transpose;
    TracedLayer layer{.name = tensor.name, .op = "", .is_index = tensor.is_index};
    Shape extents{graph_.batch};
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (axis != batch) {
            axes.push_back(axis);
        }
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t extent = tensor.shape[axes[i]];
        layer.result.push_back({name_of_axis(i, axes.size(), is_image, tensor.is_index), extent,
                                axes[i] < input.symbols.size() ? input.symbols[axes[i]] : ""});
        extents.push_back(extent);
    }
    layer.name = cleaned(tensor.name);
    std::vector<std::int64_t> order;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        order.push_back(static_cast<std::int64_t>(axis == batch ? 0 : axis < batch ? axis + 1 : axis));
    }
    views_[input.tensor] = transposed(whole_view(append(std::move(layer)), extents), order);
}

std::string Layering::name_of_axis(std::size_t at, std::size_t count, bool is_image, bool is_index) {
    if (is_image) {
        const std::size_t spatial = count - 1;
        return at == 0                ? "channel"
               : spatial == 1         ? "length"
               : at - 1 + 3 < spatial ? fmt::format("axis{}", at)
                                      : std::string(kSpatial[at - 1 + 3 - spatial]);
    }
    if (is_index) {
        return at == 0 ? "sequence" : fmt::format("axis{}", at);
    }
    return at + 1 == count ? "feature" : at == 0 ? "sequence" : fmt::format("axis{}", at);
}

std::string Layering::cleaned(std::string name) {
    for (char& c : name) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
    }
    return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "input_" + name : name;
}

// Nodes.

void Layering::add(const TracedNode& node) {
    own_op_.clear();
    for (const UnaryLayer& unary : kUnaryLayers) {
        if (unary.op == node.op) {
            add_unary(std::string(unary.name));
            return;
        }
    }
    switch (node.op) {
        case TracedOp::reshape: set(0, reshaped(view(0), graph_.shape(node.outputs[0]))); break;
        case TracedOp::transpose: set(0, transposed(view(0), node.numbers.at("axes"))); break;
        case TracedOp::expand: set(0, expanded(view(0), graph_.shape(node.outputs[0]))); break;
        case TracedOp::slice: add_slice(); break;
        case TracedOp::split: add_split(); break;
        case TracedOp::concat: add_concat(); break;
        case TracedOp::conv:
        case TracedOp::conv_transpose: add_conv(); break;
        case TracedOp::linear: add_linear(); break;
        case TracedOp::batch_norm:
        case TracedOp::group_norm:
        case TracedOp::instance_norm:
        case TracedOp::local_response_norm: add_image_norm(); break;
        case TracedOp::layer_norm:
        case TracedOp::rms_norm: add_norm(); break;
        case TracedOp::softmax: add_softmax(); break;
        case TracedOp::add:
        case TracedOp::subtract:
        case TracedOp::multiply:
        case TracedOp::divide: add_pair(); break;
        case TracedOp::power: add_power(); break;
        case TracedOp::gated: add_gated(); break;
        case TracedOp::mean:
        case TracedOp::global_pool: add_global_pool(); break;
        case TracedOp::max_pool:
        case TracedOp::average_pool: add_pool(); break;
        case TracedOp::embedding: add_embedding(); break;
        case TracedOp::attention: add_attention(); break;
        case TracedOp::rotary: add_rotary(); break;
        case TracedOp::lstm:
        case TracedOp::gru:
        case TracedOp::rnn: add_recurrent(); break;
        default: refuse_operator();
    }
}

void Layering::refuse_operator() const {
    const bool has_shape = node_->outputs.empty() || !graph_.shape(node_->outputs[0]).empty();
    refuse_node(has_shape ? "no layer of dodona does this" : "no layer of dodona does this, or its shape is not known",
                "docs/files.md lists the operators; the network may be written by hand from them");
}

void Layering::add_unary(const std::string& op) {
    const TensorView x = made_whole(view(0));
    own_op_ = op;
    set(0, moved(x, add_layer(op, {x.layer}, dimensions(x))));
}

void Layering::add_slice() {
    const auto axis = static_cast<std::size_t>(node_->number("axis", 0));
    const Shape& from = graph_.shape(node_->inputs[0]);
    const Shape& to = graph_.shape(node_->outputs[0]);
    const bool is_dropped = to.size() < from.size();
    const auto part = sliced(view(0), axis, is_dropped ? 1 : to[axis]);
    set(0, part && is_dropped ? reshaped(*part, to) : part);
}

void Layering::add_split() {
    const auto axis = static_cast<std::size_t>(node_->number("axis", 0));
    for (std::size_t i = 0; i < node_->outputs.size(); ++i) {
        const Shape& to = graph_.shape(node_->outputs[i]);
        const bool is_known = axis < to.size();
        set(i, is_known ? sliced(view(0), axis, to[axis]) : std::nullopt);
    }
}

void Layering::add_concat() {
    const auto axis = static_cast<std::size_t>(node_->number("axis", 0));
    std::vector<TensorView> parts;
    std::int64_t tokens = 0;  // learned ones in front
    for (std::size_t i = 0; i < node_->inputs.size(); ++i) {
        const TracedTensor& tensor = graph_.tensors[node_->inputs[i]];
        if (tensor.is_constant && tensor.weights > 0) {
            tokens += tensor.shape[axis];
            result_.parameters += tensor.weights;
        } else {
            parts.push_back(made_whole(view(i)));
        }
    }
    if (parts.empty()) {
        refuse_node("joins constants only");
    }
    if (tokens > 0) {
        prepend(parts, axis, tokens);
        return;
    }
    TensorView whole = parts.front();
    if (parts.size() == 1) {
        set(0, whole);
        return;
    }
    std::vector<std::size_t> from;
    std::vector<TracedDimension> result = dimensions(whole);
    const int dimension = whole.axes[axis].empty() ? 0 : whole.axes[axis].front().dimension;
    if (dimension < 1) {
        refuse_node("joins tensors along an axis that is no dimension of a layer");
    }
    const auto at = static_cast<std::size_t>(dimension) - 1;
    result[at].extent = 0;
    for (const TensorView& part : parts) {
        const std::vector<TracedDimension> own = dimensions(part);
        const bool is_whole = own.size() == result.size() &&
                              extent_in({.layer = 0, .axes = {part.axes[axis]}}, dimension) == own[at].extent;
        if (!is_whole || shape_of(part)[axis] != own[at].extent) {
            refuse_node("joins tensors whose axes are not the same dimensions of their layers");
        }
        result[at].extent += own[at].extent;
        from.push_back(part.layer);
    }
    whole.axes[axis] = {{.dimension = dimension, .step = 1, .extent = result[at].extent}};
    const std::string along = result[at].name;
    whole.layer = add_layer("concat", from, result, {{"along", quoted_name(along)}});
    set(0, whole);
}

void Layering::prepend(const std::vector<TensorView>& parts, std::size_t axis, std::int64_t tokens) {
    const TensorView x = parts.size() == 1 ? rows(parts.front()) : parts.front();
    std::vector<TracedDimension> result = dimensions(x);
    const bool is_sequence = parts.size() == 1 && result.size() == 2 && x.axes.size() == 3 && axis == 1 &&
                             is_dimension(x.axes[1], 1, result[0].extent);
    if (!is_sequence) {
        refuse_node("joins a constant with something else than a sequence");
    }
    result[0].extent += tokens;
    const std::size_t layer = add_layer("prepend_tokens", {x.layer}, result, {{"count", std::to_string(tokens)}});
    set(0, whole_view(layer, extents(layer)));
}

// The end.

void Layering::add_losses() {
    node_ = nullptr;
    auto ends = mapped_where<std::size_t>(
        graph_.outputs,
        [&](const TensorId output) { return views_[output] && !result_.layers[views_[output]->layer].is_input(); },
        [&](const TensorId output) { return views_[output]->layer; });
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    for (const std::size_t end : ends) {
        const bool is_read = std::any_of(result_.layers.begin(), result_.layers.end(),
                                         [&](const TracedLayer& layer) { return contains(layer.from, end); });
        if (!is_read) {
            add_loss(end);
        }
    }
    if (result_.layers.empty() || result_.layers.back().is_input()) {
        fail(graph_.where, "no result of the network is one of a layer");
    }
}

void Layering::add_loss(std::size_t end) {
    TracedLayer& layer = result_.layers[end];
    if (layer.op == "softmax") {
        layer.op = "cross_entropy";
        layer.name = "loss";
        return;
    }
    const bool has_classes = layer.op == "linear" || layer.op == "conv" || layer.result.size() == 1;
    TracedLayer loss{.name = "loss", .op = "cross_entropy", .from = {end}, .result = layer.result};
    if (!has_classes) {  // states, whose task is not in the graph
        TracedLayer target{.name = "target", .op = "", .result = layer.result};
        loss.op = "mean_squared_error";
        loss.from.push_back(append(std::move(target)));
    }
    append(std::move(loss));
}

TracedLayers layers_of(const TracedGraph& graph) { return Layering(graph).run(); }

}  // namespace dodona::files
