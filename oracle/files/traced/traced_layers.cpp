#include "files/traced/traced_layers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "files/traced/view.hpp"

namespace dodona::files {

namespace {

constexpr std::array<std::string_view, 3> kSpatial{"depth", "height", "width"};

struct Unary {
    TracedOp op;
    std::string_view name;
};

/// Operators with one input that change no shape.
constexpr std::array kUnary{Unary{TracedOp::relu, "relu"},       Unary{TracedOp::gelu, "gelu"},
                            Unary{TracedOp::silu, "silu"},       Unary{TracedOp::sigmoid, "sigmoid"},
                            Unary{TracedOp::tanh, "tanh"},       Unary{TracedOp::leaky_relu, "leaky_relu"},
                            Unary{TracedOp::dropout, "dropout"}, Unary{TracedOp::error_function, "sigmoid"}};

std::string list_of(const Shape& numbers) {
    if (std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) == numbers.end()) {
        return std::to_string(numbers.empty() ? 1 : numbers.front());
    }
    std::vector<std::string> words;
    for (const std::int64_t number : numbers) {
        words.push_back(std::to_string(number));
    }
    return "[" + join(words) + "]";
}

class Layering {
public:
    explicit Layering(const TracedGraph& graph) : graph_(graph), views_(graph.tensors.size()) {}

    TracedLayers run() {
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

private:
    // Inputs.

    /// The first node that reads a tensor.
    [[nodiscard]] const TracedNode* reader_of(TensorId id) const {
        for (const TracedNode& node : graph_.nodes) {
            if (std::find(node.inputs.begin(), node.inputs.end(), id) != node.inputs.end()) {
                return &node;
            }
        }
        return nullptr;
    }

    void add_input(const TracedInput& input) {
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
            fail(graph_.where, fmt::format("input \"{}\" is {}, without a batch of {}", tensor.name,
                                           in_words(tensor.shape), graph_.batch));
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

    static std::string name_of_axis(std::size_t at, std::size_t count, bool is_image, bool is_index) {
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

    static std::string cleaned(std::string name) {
        for (char& c : name) {
            c = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
        }
        return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "input_" + name : name;
    }

    // Layers.

    std::size_t append(TracedLayer layer) {
        result_.layers.push_back(std::move(layer));
        return result_.layers.size() - 1;
    }

    /// The last part of a node's scope ("/encoder/layer.0/attention/query/MatMul" is query), else its operator.
    [[nodiscard]] std::string label(const std::string& op) const {
        const std::string& name = node_->name;
        const std::size_t end = name.rfind('/');
        if (end == std::string::npos || end == 0) {
            return op;
        }
        const std::size_t start = name.rfind('/', end - 1);
        std::string scope =
            name.substr(start == std::string::npos ? 0 : start + 1, end - (start == std::string::npos ? 0 : start + 1));
        const bool is_plain = std::all_of(scope.begin(), scope.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
        });
        const std::size_t point = scope.rfind('.');  // of a list of modules: layer.0
        const bool is_counted = point != std::string::npos && point + 1 < scope.size() &&
                                std::all_of(scope.begin() + static_cast<std::ptrdiff_t>(point) + 1, scope.end(),
                                            [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
        return !is_plain || scope.empty() || is_counted || is_shared(op) ? op : scope;
    }

    /// Operators that stand in a module beside others: the module's name would not tell them apart.
    static bool is_shared(const std::string& op) {
        constexpr std::array<std::string_view, 12> kShared{"add",         "concat",  "attention", "rotary",
                                                           "gated",       "slice",   "flatten",   "multiply",
                                                           "to_sequence", "softmax", "gelu",      "position_embedding"};
        return std::find(kShared.begin(), kShared.end(), op) != kShared.end();
    }

    using EntryAttributes = std::vector<std::pair<std::string, std::string>>;

    std::size_t add_layer(const std::string& op, std::vector<std::size_t> from, std::vector<TracedDimension> result,
                          EntryAttributes attributes = {}) {
        for (TracedDimension& dimension : result) {
            dimension.symbol.clear();
        }
        if (node_ != nullptr && op == own_op_ && !node_->is_fused && op != type_in_lower_case()) {
            note_taken(op);
        }
        return append({.name = node_ == nullptr ? op : label(op),
                       .op = op,
                       .attributes = std::move(attributes),
                       .from = std::move(from),
                       .result = std::move(result)});
    }

    [[nodiscard]] std::string type_in_lower_case() const {
        std::string type;
        for (const char c : node_->type) {
            type += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        return type;
    }

    /// An activation that is taken as another one.
    void note_taken(const std::string& op) {
        const std::string text = fmt::format("{} as {}", node_->type, op);
        if (std::find(result_.taken.begin(), result_.taken.end(), text) == result_.taken.end()) {
            result_.taken.push_back(text);
        }
    }

    [[nodiscard]] const std::vector<TracedDimension>& dimensions(const TensorView& view) const {
        return result_.layers[view.layer].result;
    }

    [[nodiscard]] Shape extents(std::size_t layer) const {
        Shape all{graph_.batch};
        for (const TracedDimension& dimension : result_.layers[layer].result) {
            all.push_back(dimension.extent);
        }
        return all;
    }

    void count_weights(std::size_t first_input) {
        for (std::size_t i = first_input; i < node_->inputs.size(); ++i) {
            if (node_->inputs[i] != kNoTensor) {
                result_.parameters += graph_.tensors[node_->inputs[i]].weights;
            }
        }
    }

    // Views.

    [[noreturn]] void refuse_node(const std::string& what, const std::string& help = {}) const {
        refuse(graph_, *node_, what, help);
    }

    /// What an input of the node is.
    [[nodiscard]] const TensorView& view(std::size_t input) const {
        const TensorId id = input < node_->inputs.size() ? node_->inputs[input] : kNoTensor;
        if (id == kNoTensor || !views_[id]) {
            const std::string what =
                id == kNoTensor
                    ? "an input is left out"
                    : fmt::format("reads \"{}\", which is a constant or no result of a layer", graph_.tensors[id].name);
            refuse_node(what, "write the layer in a model file by hand: docs/files.md");
        }
        return *views_[id];
    }

    void set(std::size_t output, std::optional<TensorView> view) {
        if (!view) {
            refuse_node(fmt::format("its {} is split and joined again in a way that no layer is of",
                                    in_words(graph_.shape(node_->inputs[0]))));
        }
        views_[node_->outputs[output]] = std::move(*view);
    }

    /// The same axes of another layer, whose dimension `changed` may have another extent.
    static TensorView moved(TensorView view, std::size_t layer) {
        view.layer = layer;
        return view;
    }

    /// A part of a layer's result as a layer of its own.
    TensorView made_whole(const TensorView& view) {
        if (!view.is_part) {
            return view;
        }
        TensorView now = view;
        std::vector<TracedDimension> result = dimensions(view);
        std::size_t layer = view.layer;
        for (std::size_t i = 0; i < result.size(); ++i) {
            const int dimension = static_cast<int>(i) + 1;
            const std::int64_t extent = extent_in(now, dimension);
            if (extent != result[i].extent) {
                result[i].extent = extent;
                layer = add_layer("slice", {layer}, result,
                                  {{"along", quoted_name(result[i].name)}, {"size", std::to_string(extent)}});
                renumber(now, dimension);
            }
        }
        now.layer = layer;
        now.is_part = false;
        return now;
    }

    static std::string quoted_name(const std::string& name) { return '"' + name + '"'; }

    /// Steps of a dimension whose factors were cut, from its inner ones.
    static void renumber(TensorView& view, int dimension) {
        std::vector<AxisFactor*> own;
        for (AxisFactors& axis : view.axes) {
            for (AxisFactor& factor : axis) {
                if (factor.dimension == dimension) {
                    own.push_back(&factor);
                }
            }
        }
        std::sort(own.begin(), own.end(), [](const AxisFactor* a, const AxisFactor* b) { return a->step < b->step; });
        std::int64_t step = 1;
        for (AxisFactor* factor : own) {
            factor->step = step;
            step *= factor->extent;
        }
    }

    /// Whether the last axis is the last dimension, as rows of products and norms are.
    [[nodiscard]] bool has_rows(const TensorView& view) const {
        const auto& result = dimensions(view);
        return !view.axes.empty() && !result.empty() && result.back().name == "feature" &&
               is_dimension(view.axes.back(), static_cast<int>(result.size()), result.back().extent);
    }

    /// A view whose last axis is all features of a layer: an image becomes tokens or one row first.
    TensorView rows(const TensorView& given) {
        const TensorView view = made_whole(given);
        if (has_rows(view)) {
            return view;
        }
        const auto& result = dimensions(view);
        const bool is_image = !result.empty() && result.front().name == "channel";
        const bool is_last = !view.axes.empty() && is_dimension(view.axes.back(), 1, result.front().extent);
        std::int64_t positions = 1;
        for (std::size_t i = 1; i < result.size(); ++i) {
            positions *= result[i].extent;
        }
        if (is_image && is_last && positions > 1) {
            return as_tokens(view, positions);
        }
        const AxisFactors all = whole_row(result);
        if (!view.axes.empty() && view.axes.back() == all) {
            return flattened(view);
        }
        refuse_node(fmt::format("reads {} of \"{}\", whose features are not its last axis", in_words(shape_of(view)),
                                result_.layers[view.layer].name),
                    "write the layer in a model file by hand: docs/files.md");
    }

    /// All dimensions beside the batch, as one axis has them.
    static AxisFactors whole_row(const std::vector<TracedDimension>& result) {
        AxisFactors all;
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (result[i].extent > 1) {
                all.push_back({.dimension = static_cast<int>(i) + 1, .step = 1, .extent = result[i].extent});
            }
        }
        return all;
    }

    TensorView flattened(const TensorView& view) {
        std::int64_t features = 1;
        for (const TracedDimension& dimension : dimensions(view)) {
            features *= dimension.extent;
        }
        const std::size_t layer = add_layer("flatten", {view.layer}, {{"feature", features}});
        TensorView flat = moved(view, layer);
        flat.axes.back() = {{.dimension = 1, .step = 1, .extent = features}};
        if (features == 1) {
            flat.axes.back().clear();
        }
        return flat;
    }

    /// Positions of an image as tokens.
    TensorView as_tokens(const TensorView& view, std::int64_t positions) {
        const std::vector<TracedDimension> image = dimensions(view);
        const std::size_t layer =
            add_layer("to_sequence", {view.layer}, {{"sequence", positions}, {"feature", image.front().extent}});
        TensorView tokens = moved(view, layer);
        for (AxisFactors& axis : tokens.axes) {
            for (AxisFactor& factor : axis) {
                if (factor.dimension == 1) {
                    factor.dimension = 2;
                } else if (factor.dimension > 1) {
                    for (auto i = static_cast<std::size_t>(factor.dimension); i < image.size(); ++i) {
                        factor.step *= image[i].extent;
                    }
                    factor.dimension = 1;
                }
            }
            axis = factors_of({.layer = 0, .axes = {axis}});
        }
        return tokens;
    }

    /// Whether axes are batch, channels in any order, positions.
    [[nodiscard]] bool is_image(const TensorView& view) const {
        const auto& result = dimensions(view);
        if (result.empty() || result.front().name != "channel" || view.axes.size() != result.size() + 1) {
            return false;
        }
        for (std::size_t i = 1; i < result.size(); ++i) {
            if (!is_dimension(view.axes[i + 1], static_cast<int>(i) + 1, result[i].extent)) {
                return false;
            }
        }
        return extent_in({.layer = 0, .axes = {view.axes[1]}}, 1) == result.front().extent;
    }

    TensorView image(std::size_t input) {
        const TensorView found = made_whole(view(input));
        if (!is_image(found)) {
            refuse_node(fmt::format("reads {} of \"{}\" as an image", in_words(shape_of(found)),
                                    result_.layers[found.layer].name),
                        "write the layer in a model file by hand: docs/files.md");
        }
        return found;
    }

    void check_shapes(const TracedNode& node) const {
        for (const TensorId output : node.outputs) {
            if (views_[output] && shape_of(*views_[output]) != graph_.shape(output)) {
                refuse(graph_, node,
                       fmt::format("its result is {}, but follows as {}", in_words(graph_.shape(output)),
                                   in_words(shape_of(*views_[output]))));
            }
        }
    }

    // Nodes.

    void add(const TracedNode& node) {
        own_op_.clear();
        for (const Unary& unary : kUnary) {
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

    [[noreturn]] void refuse_operator() const {
        const bool has_shape = node_->outputs.empty() || !graph_.shape(node_->outputs[0]).empty();
        refuse_node(
            has_shape ? "no layer of dodona does this" : "no layer of dodona does this, or its shape is not known",
            "docs/files.md lists the operators; the network may be written by hand from them");
    }

    void add_unary(const std::string& op) {
        const TensorView x = made_whole(view(0));
        own_op_ = op;
        set(0, moved(x, add_layer(op, {x.layer}, dimensions(x))));
    }

    void add_slice() {
        const auto axis = static_cast<std::size_t>(node_->number("axis", 0));
        const Shape& from = graph_.shape(node_->inputs[0]);
        const Shape& to = graph_.shape(node_->outputs[0]);
        const bool is_dropped = to.size() < from.size();
        const auto part = sliced(view(0), axis, is_dropped ? 1 : to[axis]);
        set(0, part && is_dropped ? reshaped(*part, to) : part);
    }

    void add_split() {
        const auto axis = static_cast<std::size_t>(node_->number("axis", 0));
        for (std::size_t i = 0; i < node_->outputs.size(); ++i) {
            const Shape& to = graph_.shape(node_->outputs[i]);
            const bool is_known = axis < to.size();
            set(i, is_known ? sliced(view(0), axis, to[axis]) : std::nullopt);
        }
    }

    void add_concat() {
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

    void prepend(const std::vector<TensorView>& parts, std::size_t axis, std::int64_t tokens) {
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

    // Convolutions and pooling.

    [[nodiscard]] Shape numbers(const std::string& key) const {
        const auto found = node_->numbers.find(key);
        return found == node_->numbers.end() ? Shape() : found->second;
    }

    /// One number of padding a dimension, with which the window has as many positions as the result.
    Shape padding(const Shape& from, const Shape& to, bool is_transposed) const {
        const Shape both = numbers("pad");
        const Shape kernel = numbers("kernel");
        const Shape stride = numbers("stride");
        const Shape dilation = numbers("dilation");
        const std::size_t count = kernel.size();
        Shape result;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t all = both[i] + both[i + count];
            if (all % 2 == 0 || is_transposed) {
                result.push_back(all / 2);
                continue;
            }
            const std::int64_t span = (kernel[i] - 1) * (dilation.empty() ? 1 : dilation[i]) + 1;
            const auto positions = [&](std::int64_t pad) { return (from[i + 2] + 2 * pad - span) / stride[i] + 1; };
            const std::int64_t more = (all + 1) / 2;
            const bool ceil = node_->number("ceil", 0) != 0;
            if (!ceil && positions(more) != to[i + 2] && positions(all / 2) != to[i + 2]) {
                refuse_node(fmt::format("padding of {} and {} on its sides is not modelled", both[i], both[i + count]));
            }
            result.push_back(positions(more) == to[i + 2] ? more : all / 2);
        }
        return result;
    }

    void add_conv() {
        const Shape& weight = graph_.shape(node_->inputs.at(1));
        const bool is_transposed = node_->op == TracedOp::conv_transpose;
        const std::int64_t groups = node_->number("groups", 1);
        const std::int64_t filters = is_transposed ? weight[1] * groups : weight[0];
        const bool has_bias = node_->inputs.size() > 2 && node_->inputs[2] != kNoTensor;
        if (is_pixelwise(weight) && !is_image(view(0))) {
            add_pixelwise(filters, has_bias);
            return;
        }
        const TensorView x = image(0);
        const Shape& from = graph_.shape(node_->inputs[0]);
        const Shape& to = graph_.shape(node_->outputs[0]);
        const Shape pad = padding(from, to, is_transposed);
        EntryAttributes attributes{{"filters", std::to_string(filters)}, {"kernel", list_of(numbers("kernel"))}};
        add_unless(attributes, "stride", list_of(numbers("stride")), "1");
        add_unless(attributes, "pad", list_of(pad), "0");
        add_unless(attributes, is_transposed ? "output_pad" : "dilation",
                   list_of(numbers(is_transposed ? "output_pad" : "dilation")), is_transposed ? "0" : "1");
        add_unless(attributes, "groups", std::to_string(groups), "1");
        add_unless(attributes, "bias", has_bias ? "true" : "false", "true");
        std::vector<TracedDimension> result = dimensions(x);
        result[0].extent = filters;
        for (std::size_t i = 1; i < result.size(); ++i) {
            result[i].extent = to[i + 1];
        }
        count_weights(1);
        const std::size_t layer = add_layer(is_transposed ? "conv_transpose" : "conv", {x.layer}, result, attributes);
        set(0, whole_view(layer, extents(layer)));
    }

    static void add_unless(EntryAttributes& attributes, const std::string& key, const std::string& value,
                           const std::string& usual) {
        if (value != usual) {
            attributes.emplace_back(key, value);
        }
    }

    /// A convolution of single pixels, whose channels may be the features of a row (squeeze and excitation).
    [[nodiscard]] bool is_pixelwise(const Shape& weight) const {
        const Shape& to = graph_.shape(node_->outputs[0]);
        return node_->op == TracedOp::conv && node_->number("groups", 1) == 1 &&
               std::all_of(weight.begin() + 2, weight.end(), [](std::int64_t extent) { return extent == 1; }) &&
               std::all_of(to.begin() + 2, to.end(), [](std::int64_t extent) { return extent == 1; });
    }

    void add_pixelwise(std::int64_t filters, bool has_bias) {
        TensorView x = made_whole(view(0));
        const std::size_t positions = x.axes.size() - 2;
        x.axes.resize(2);
        x = rows(x);
        count_weights(1);
        x = product(x, filters, has_bias);
        x.axes.resize(2 + positions);
        set(0, x);
    }

    void add_pool() {
        const TensorView x = image(0);
        const Shape& from = graph_.shape(node_->inputs[0]);
        const Shape& to = graph_.shape(node_->outputs[0]);
        EntryAttributes attributes{{"kernel", list_of(numbers("kernel"))}};
        add_unless(attributes, "stride", list_of(numbers("stride")), list_of(numbers("kernel")));
        add_unless(attributes, "pad", list_of(padding(from, to, false)), "0");
        add_unless(attributes, "ceil", node_->number("ceil", 0) != 0 ? "true" : "false", "false");
        std::vector<TracedDimension> result = dimensions(x);
        for (std::size_t i = 1; i < result.size(); ++i) {
            result[i].extent = to[i + 1];
        }
        const std::size_t layer =
            add_layer(node_->op == TracedOp::max_pool ? "max_pool" : "average_pool", {x.layer}, result, attributes);
        set(0, whole_view(layer, extents(layer)));
    }

    void add_global_pool() {
        const Shape& from = graph_.shape(node_->inputs[0]);
        Shape axes = numbers("axes");
        for (std::int64_t& axis : axes) {
            axis += axis < 0 ? static_cast<std::int64_t>(from.size()) : 0;
        }
        std::sort(axes.begin(), axes.end());
        const bool is_spatial = node_->op == TracedOp::global_pool ||
                                (axes.size() + 2 == from.size() && !axes.empty() && axes.front() == 2);
        if (!is_spatial || !is_image(view(0))) {
            refuse_node("a mean over something else than the positions of an image is no layer of dodona");
        }
        const TensorView x = image(0);
        const std::int64_t channels = dimensions(x).front().extent;
        const std::size_t layer = add_layer("global_pool", {x.layer}, {{"feature", channels}});
        TensorView pooled = whole_view(layer, extents(layer));
        pooled.axes.resize(graph_.shape(node_->outputs[0]).size());
        set(0, pooled);
    }

    void add_image_norm() {
        const TensorView x = image(0);
        const bool has_scale = node_->inputs.size() > 1 && node_->inputs[1] != kNoTensor;
        EntryAttributes attributes;
        std::string op = "batch_norm";
        if (node_->op == TracedOp::group_norm) {
            op = "group_norm";
            attributes.emplace_back("groups", std::to_string(node_->number("groups", 1)));
            add_unless(attributes, "affine", has_scale ? "true" : "false", "true");
        } else if (node_->op == TracedOp::instance_norm) {
            op = "instance_norm";
            add_unless(attributes, "affine", has_scale ? "true" : "false", "false");
        } else if (node_->op == TracedOp::local_response_norm) {
            op = "local_response_norm";
            attributes.emplace_back("size", std::to_string(node_->number("size", 1)));
        }
        for (std::size_t i = 1; i < node_->inputs.size() && i < 3; ++i) {  // scale and bias; the rest are statistics
            result_.parameters += node_->inputs[i] == kNoTensor ? 0 : graph_.tensors[node_->inputs[i]].weights;
        }
        set(0, moved(x, add_layer(op, {x.layer}, dimensions(x), attributes)));
    }

    // Rows of features.

    TensorView product(const TensorView& x, std::int64_t out, bool has_bias) {
        EntryAttributes attributes{{"out", std::to_string(out)}};
        add_unless(attributes, "bias", has_bias ? "true" : "false", "true");
        std::vector<TracedDimension> result = dimensions(x);
        result.back().extent = out;
        TensorView now = moved(x, add_layer("linear", {x.layer}, result, attributes));
        now.axes.back() = whole_view(0, {1, out}).axes.back();
        for (AxisFactor& factor : now.axes.back()) {
            factor.dimension = static_cast<int>(result.size());
        }
        return now;
    }

    void add_linear() {
        const Shape& weight = graph_.shape(node_->inputs.at(1));
        const bool is_transposed = node_->number("transposed", 0) != 0;
        if (weight.size() != 2) {
            refuse_node(fmt::format("its weight is {}, not a matrix", in_words(weight)));
        }
        const TensorView x = rows(view(0));
        const bool has_bias = node_->inputs.size() > 2 && node_->inputs[2] != kNoTensor;
        count_weights(2);
        const TensorId table = tied_table(node_->inputs[1], is_transposed);
        result_.parameters += table == kNoTensor ? graph_.tensors[node_->inputs[1]].weights : 0;
        const TensorView y = product(x, weight[is_transposed ? 1 : 0], has_bias);
        if (table != kNoTensor) {
            result_.layers[y.layer].attributes.emplace_back("tied", tables_.at(table));
        }
        set(0, y);
    }

    /// The table of an embedding that a product shares: the same tensor, or one of the same numbers transposed, which
    /// exporters write out a second time.
    [[nodiscard]] TensorId tied_table(TensorId weight, bool is_transposed) const {
        const TracedTensor& own = graph_.tensors[weight];
        for (const auto& [table, layer] : tables_) {
            const TracedTensor& other = graph_.tensors[table];
            const Shape turned{own.shape[1], own.shape[0]};
            if (table == weight || (is_transposed && other.shape == turned && are_transposed(own, other))) {
                return table;
            }
        }
        return kNoTensor;
    }

    /// Compares some hundred numbers of the two.
    static bool are_transposed(const TracedTensor& a, const TracedTensor& b) {
        const auto count = static_cast<std::size_t>(elements_of(a.shape));
        if (a.bytes.size() != b.bytes.size() || count == 0 || a.bytes.size() % count != 0 || a.bytes.empty()) {
            return false;
        }
        const std::size_t width = a.bytes.size() / count;
        const auto rows = static_cast<std::size_t>(a.shape[0]);
        const auto columns = static_cast<std::size_t>(a.shape[1]);
        const std::size_t steps = std::max<std::size_t>(1, count / 256);
        bool varies = false;
        for (std::size_t at = 0; at < count; at += steps) {
            const std::size_t turned = (at % columns) * rows + at / columns;
            if (a.bytes.substr(at * width, width) != b.bytes.substr(turned * width, width)) {
                return false;
            }
            varies = varies || a.bytes.substr(at * width, width) != a.bytes.substr(0, width);
        }
        return varies;
    }

    void add_norm() {
        const Shape& shape = graph_.shape(node_->inputs[0]);
        const std::int64_t axis = node_->number("axis", -1);
        if (axis != -1 && axis + 1 != static_cast<std::int64_t>(shape.size())) {
            refuse_node("a norm over more than the last axis is no layer of dodona");
        }
        const bool is_layer_norm = node_->op == TracedOp::layer_norm;
        const TensorView given = made_whole(view(0));
        const bool is_of_heads = !has_rows(given) && has_heads(given, shape.back());
        const TensorView x = is_of_heads ? given : rows(given);
        EntryAttributes attributes;
        const auto has = [&](std::size_t at) { return node_->inputs.size() > at && node_->inputs[at] != kNoTensor; };
        if (is_layer_norm) {
            add_unless(attributes, has(1) ? "bias" : "scale", has(1) && has(2) ? "true" : "false", "true");
        } else if (!has(1)) {
            refuse_node("a norm by the root mean square without a scale is no layer of dodona");
        }
        if (is_of_heads) {
            attributes.emplace_back("size", std::to_string(shape.back()));
        }
        count_weights(1);
        set(0, moved(x, add_layer(is_layer_norm ? "layer_norm" : "rms_norm", {x.layer}, dimensions(x), attributes)));
    }

    /// Whether the last axis is the inner part of the features, as of queries of one head.
    [[nodiscard]] bool has_heads(const TensorView& view, std::int64_t size) const {
        const auto& result = dimensions(view);
        return !result.empty() && result.back().name == "feature" && !view.axes.empty() &&
               is_dimension(view.axes.back(), static_cast<int>(result.size()), size);
    }

    void add_softmax() {
        const TensorView x = rows(view(0));
        set(0, moved(x, add_layer("softmax", {x.layer}, dimensions(x))));
    }

    void add_embedding() {
        const Shape& table = graph_.shape(node_->inputs[0]);
        const TensorView ids = made_whole(view(1));
        std::vector<TracedDimension> result = dimensions(ids);
        result.push_back({"feature", table[1]});
        const TensorId weight = node_->inputs[0];
        const auto known = tables_.find(weight);
        EntryAttributes attributes{{"vocabulary", std::to_string(table[0])}, {"features", std::to_string(table[1])}};
        if (known != tables_.end()) {
            attributes.emplace_back("tied", known->second);
        } else {
            result_.parameters += graph_.tensors[weight].weights;
        }
        const std::size_t layer = add_layer("embedding", {ids.layer}, result, attributes);
        if (known == tables_.end()) {
            tables_[weight] = fmt::format("#{}", layer);  // its name is not settled yet
        }
        TensorView y = moved(ids, layer);
        y.axes.push_back(whole_view(0, {1, table[1]}).axes.back());
        for (AxisFactor& factor : y.axes.back()) {
            factor.dimension = static_cast<int>(result.size());
        }
        set(0, y);
    }

    // Two tensors, element by element.

    void add_pair() {
        const bool first = graph_.is_constant(node_->inputs.at(0));
        const bool second = graph_.is_constant(node_->inputs.at(1));
        if (first || second) {
            add_constant(node_->inputs[first ? 0 : 1], first ? 1 : 0);
            return;
        }
        TensorView a = made_whole(view(0));
        TensorView b = made_whole(view(1));
        if (node_->op == TracedOp::divide) {
            refuse_node("a quotient of two tensors is no layer of dodona");
        }
        if (!are_alike(a, b) && graph_.shape(node_->inputs[0]) == graph_.shape(node_->inputs[1])) {
            a = rows(a);
            b = rows(b);
        }
        const bool is_product = node_->op == TracedOp::multiply;
        if (!are_alike(a, b)) {
            if (!is_product) {
                refuse_node(fmt::format("joins {} and {}, which are not arranged alike", in_words(shape_of(a)),
                                        in_words(shape_of(b))));
            }
            add_scale(a, b);
            return;
        }
        set(0, moved(a, add_layer(is_product ? "multiply" : "add", {a.layer, b.layer}, dimensions(a))));
    }

    [[nodiscard]] bool are_alike(const TensorView& a, const TensorView& b) const {
        return a.axes == b.axes && dimensions(a) == dimensions(b);
    }

    /// An image and a number a channel, or tokens and a number a token.
    void add_scale(TensorView a, TensorView b) {
        if (elements_of(shape_of(a)) < elements_of(shape_of(b))) {
            std::swap(a, b);
        }
        if (is_image(a) && b.axes.size() == a.axes.size()) {
            b.axes.resize(2);
            b = rows(b);
        }
        set(0, moved(a, add_layer("multiply", {a.layer, b.layer}, dimensions(a))));
    }

    void add_constant(TensorId constant, std::size_t varying) {
        const TracedTensor& tensor = graph_.tensors[constant];
        const TensorView& x = view(varying);
        if (tensor.weights <= 1) {
            ++result_.left_out;
            set(0, expanded(x, graph_.shape(node_->outputs[0])));
            return;
        }
        if (node_->op != TracedOp::add) {
            refuse_node(fmt::format("\"{}\" is a learned factor, which no layer of dodona is of", tensor.name));
        }
        add_table(tensor, rows(x));
    }

    /// A learned table of positions.
    void add_table(const TracedTensor& tensor, const TensorView& x) {
        const std::vector<TracedDimension> result = dimensions(x);
        const bool is_sequence = result.size() == 2;
        const std::int64_t features = result.back().extent;
        if (!is_sequence || tensor.weights % features != 0 || tensor.shape.back() != features) {
            refuse_node(
                fmt::format("\"{}\" is learned, {}, and no table of positions", tensor.name, in_words(tensor.shape)));
        }
        const std::int64_t rows = tensor.weights / features;
        result_.parameters += tensor.weights;
        if (rows >= result[0].extent) {
            set(0, moved(x, add_layer("position_embedding", {x.layer}, result, {{"positions", std::to_string(rows)}})));
            return;
        }
        // Fewer rows than positions: kinds of tokens, which are the same in all samples here.
        TracedLayer kinds{.name = "kinds", .op = "", .result = {result[0]}, .is_index = true};
        const std::size_t ids = append(std::move(kinds));
        const std::size_t table = add_layer(
            "embedding", {ids}, result, {{"vocabulary", std::to_string(rows)}, {"features", std::to_string(features)}});
        set(0, moved(x, add_layer("add", {x.layer, table}, result)));
    }

    void add_power() {
        const TensorView x = made_whole(view(0));
        TracedLayer& layer = result_.layers[x.layer];
        if (layer.op != "relu") {
            refuse_node("a power is no layer of dodona, but of a relu");
        }
        layer.op = "relu_squared";
        set(0, x);
    }

    void add_gated() {
        const TensorView gate = made_whole(view(0));
        const TensorView up = made_whole(view(1));
        if (!are_alike(gate, up)) {
            refuse_node("its two halves are not arranged alike");
        }
        const auto activation = static_cast<TracedOp>(node_->number("activation", 0));
        EntryAttributes attributes;
        for (const Unary& unary : kUnary) {
            if (unary.op == activation) {
                add_unless(attributes, "activation", std::string(unary.name), "silu");
            }
        }
        set(0, moved(gate, add_layer("gated", {gate.layer, up.layer}, dimensions(gate), attributes)));
    }

    // Attention.

    void add_rotary() {
        const TensorView x = made_whole(view(0));
        const auto& result = dimensions(x);
        if (result.size() != 2 || result[1].name != "feature") {
            refuse_node("rotates something else than tokens");
        }
        set(0, moved(x, add_layer("rotary", {x.layer}, result)));
    }

    /// What an input of attention is of: (sequence, feature).
    TensorView tokens(const TensorView& given) {
        const auto& result = dimensions(given);
        if (!result.empty() && result.front().name == "channel") {
            std::int64_t positions = 1;
            for (std::size_t i = 1; i < result.size(); ++i) {
                positions *= result[i].extent;
            }
            return as_tokens(made_whole(given), positions);
        }
        return given;
    }

    [[nodiscard]] static std::int64_t repeats(const TensorView& view) {
        return std::max<std::int64_t>(extent_in(view, kRepeated), 1);
    }

    void add_attention() {
        std::array<TensorView, 3> views{tokens(view(0)), tokens(view(1)), tokens(view(2))};
        const Shape& query = graph_.shape(node_->inputs[0]);
        const Shape& value = graph_.shape(node_->inputs[2]);
        std::int64_t heads = 1;
        for (std::size_t i = 0; i + 2 < query.size(); ++i) {
            heads *= query[i];
        }
        heads /= graph_.batch;
        std::int64_t key_heads = heads / repeats(views[1]);
        if (node_->numbers.contains("key_heads")) {
            key_heads = node_->number("key_heads", heads);
        }
        const bool are_parts = std::all_of(views.begin(), views.end(), [&](const TensorView& part) {
            return part.is_part && part.layer == views[0].layer;
        });
        const std::int64_t parts = heads + 2 * key_heads;
        const std::int64_t size = query.back();
        std::vector<std::size_t> from;
        if (are_parts && dimensions(views[0]).back().extent == parts * size && value.back() == size) {
            from = {views[0].layer};
        } else {
            for (const TensorView& part : views) {
                from.push_back(made_whole(part).layer);
            }
        }
        std::vector<TracedDimension> result = result_.layers[from[0]].result;
        const std::int64_t features = from.size() == 1 ? parts * size : heads * size;
        if (result.size() != 2 || result.back().extent != features) {
            refuse_node(
                fmt::format("{} heads of {} are not the features of \"{}\"", heads, size, result_.layers[from[0]].name),
                "attention over parts of a sequence (windows) is not modelled");
        }
        const std::int64_t width = value.back();
        result.back().extent = heads * width;
        EntryAttributes attributes{{"heads", std::to_string(heads)}};
        add_unless(attributes, "kv_heads", std::to_string(key_heads), std::to_string(heads));
        add_unless(attributes, "causal", node_->number("causal", 0) != 0 ? "true" : "false", "false");
        attributes.emplace_back("implementation", "attention");
        result_.has_attention = true;
        set_heads(add_layer("attention", from, result, attributes), heads, width);
    }

    /// (batch, head, position, feature of a head), or with the first two in one axis.
    void set_heads(std::size_t layer, std::int64_t heads, std::int64_t width) {
        const Shape& to = graph_.shape(node_->outputs[0]);
        const TensorView whole = whole_view(layer, extents(layer));
        const auto split = reshaped(whole, {graph_.batch, result_.layers[layer].result[0].extent, heads, width});
        set(0, split ? reshaped(transposed(*split, {0, 2, 1, 3}), to) : std::nullopt);
    }

    void add_recurrent() {
        const bool sequence_first = node_->number("sequence_first", 0) != 0;
        const std::int64_t hidden = node_->number("hidden", 1);
        const std::int64_t directions = node_->number("directions", 1);
        const std::int64_t layers = node_->number("layers", 1);
        TensorView x = rows(view(0));
        const auto& from = dimensions(x);
        if (from.size() != 2) {
            refuse_node("reads something else than a sequence");
        }
        const bool has_weight = node_->inputs.size() > 3 && node_->inputs[3] != kNoTensor;
        const bool has_bias = node_->number("bias", has_weight ? 1 : 0) != 0;
        for (std::size_t i = 1; i < node_->inputs.size(); ++i) {
            const bool is_weight = node_->inputs[i] != kNoTensor && (i < 4 || node_->numbers.contains("layers"));
            result_.parameters += is_weight ? graph_.tensors[node_->inputs[i]].weights : 0;
        }
        EntryAttributes attributes{{"hidden", std::to_string(hidden)}};
        add_unless(attributes, "layers", std::to_string(layers), "1");
        add_unless(attributes, "bidirectional", directions > 1 ? "true" : "false", "false");
        add_unless(attributes, "bias", has_bias ? "true" : "false", "true");
        const std::string op = node_->op == TracedOp::lstm ? "lstm" : node_->op == TracedOp::gru ? "gru" : "rnn";
        const std::int64_t steps = from[0].extent;
        const std::size_t layer =
            add_layer(op, {x.layer}, {{"sequence", steps}, {"feature", directions * hidden}}, attributes);
        const auto split = reshaped(whole_view(layer, extents(layer)), {graph_.batch, steps, directions, hidden});
        const Shape& to = graph_.shape(node_->outputs[0]);
        std::vector<std::int64_t> order =
            sequence_first ? std::vector<std::int64_t>{1, 2, 0, 3} : std::vector<std::int64_t>{0, 1, 2, 3};
        if (to.size() == 3) {  // PyTorch joins directions and features
            order = sequence_first ? std::vector<std::int64_t>{1, 0, 2, 3} : std::vector<std::int64_t>{0, 1, 2, 3};
        }
        const TensorView all = transposed(*split, order);
        set(0, to.size() == 3 ? reshaped(all, to) : std::optional(all));
        if (node_->outputs.size() > 1 && !graph_.shape(node_->outputs[1]).empty()) {
            TensorView last = transposed(*split, {1, 2, 0, 3});
            const auto end = sliced(last, 0, 1);
            set(1, end ? reshaped(*end, graph_.shape(node_->outputs[1])) : std::nullopt);
        }
    }

    // The end.

    /// Results that nothing reads get the loss that their layer asks for.
    void add_losses() {
        node_ = nullptr;
        std::vector<std::size_t> ends;
        for (const TensorId output : graph_.outputs) {
            if (views_[output] && !result_.layers[views_[output]->layer].is_input()) {
                ends.push_back(views_[output]->layer);
            }
        }
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        for (const std::size_t end : ends) {
            const bool is_read =
                std::any_of(result_.layers.begin(), result_.layers.end(), [&](const TracedLayer& layer) {
                    return std::find(layer.from.begin(), layer.from.end(), end) != layer.from.end();
                });
            if (!is_read) {
                add_loss(end);
            }
        }
        if (result_.layers.empty() || result_.layers.back().is_input()) {
            fail(graph_.where, "no result of the network is one of a layer");
        }
    }

    void add_loss(std::size_t end) {
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

    const TracedGraph& graph_;
    std::vector<std::optional<TensorView>> views_;
    TracedLayers result_;
    std::map<TensorId, std::string> tables_;  ///< of embeddings: what `tied` names
    const TracedNode* node_ = nullptr;
    std::string own_op_;
};

}  // namespace

TracedLayers layers_of(const TracedGraph& graph) { return Layering(graph).run(); }

}  // namespace dodona::files
