// Layers of rows of features: products, norms, embeddings, attention, recurrent layers.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/traced/layering.hpp"

namespace dodona::files {

// Rows of features.

TensorView Layering::product(const TensorView& x, std::int64_t out, bool has_bias) {
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

void Layering::add_linear() {
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

TensorId Layering::tied_table(TensorId weight, bool is_transposed) const {
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

bool Layering::are_transposed(const TracedTensor& a, const TracedTensor& b) {
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

void Layering::add_norm() {
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

bool Layering::has_heads(const TensorView& view, std::int64_t size) const {
    const auto& result = dimensions(view);
    return !result.empty() && result.back().name == "feature" && !view.axes.empty() &&
           is_dimension(view.axes.back(), static_cast<int>(result.size()), size);
}

void Layering::add_softmax() {
    const TensorView x = rows(view(0));
    set(0, moved(x, add_layer("softmax", {x.layer}, dimensions(x))));
}

void Layering::add_embedding() {
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

void Layering::add_pair() {
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

bool Layering::are_alike(const TensorView& a, const TensorView& b) const {
    return a.axes == b.axes && dimensions(a) == dimensions(b);
}

void Layering::add_scale(TensorView a, TensorView b) {
    if (elements_of(shape_of(a)) < elements_of(shape_of(b))) {
        std::swap(a, b);
    }
    if (is_image(a) && b.axes.size() == a.axes.size()) {
        b.axes.resize(2);
        b = rows(b);
    }
    set(0, moved(a, add_layer("multiply", {a.layer, b.layer}, dimensions(a))));
}

void Layering::add_constant(TensorId constant, std::size_t varying) {
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

void Layering::add_table(const TracedTensor& tensor, const TensorView& x) {
    const std::vector<TracedDimension> result = dimensions(x);
    const bool is_sequence = result.size() == 2;
    const std::int64_t features = is_sequence ? result.back().extent : 0;
    if (features < 1 || tensor.shape.empty() || tensor.shape.back() != features || tensor.weights % features != 0) {
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
    const std::size_t table = add_layer("embedding", {ids}, result,
                                        {{"vocabulary", std::to_string(rows)}, {"features", std::to_string(features)}});
    set(0, moved(x, add_layer("add", {x.layer, table}, result)));
}

void Layering::add_power() {
    const TensorView x = made_whole(view(0));
    TracedLayer& layer = result_.layers[x.layer];
    if (layer.op != "relu") {
        refuse_node("a power is no layer of dodona, but of a relu");
    }
    layer.op = "relu_squared";
    set(0, x);
}

void Layering::add_gated() {
    const TensorView gate = made_whole(view(0));
    const TensorView up = made_whole(view(1));
    if (!are_alike(gate, up)) {
        refuse_node("its two halves are not arranged alike");
    }
    const auto activation = static_cast<TracedOp>(node_->number("activation", 0));
    EntryAttributes attributes;
    for (const UnaryLayer& unary : kUnaryLayers) {
        if (unary.op == activation) {
            add_unless(attributes, "activation", std::string(unary.name), "silu");
        }
    }
    set(0, moved(gate, add_layer("gated", {gate.layer, up.layer}, dimensions(gate), attributes)));
}

// Attention.

void Layering::add_rotary() {
    const TensorView x = made_whole(view(0));
    const auto& result = dimensions(x);
    if (result.size() != 2 || result[1].name != "feature") {
        refuse_node("rotates something else than tokens");
    }
    set(0, moved(x, add_layer("rotary", {x.layer}, result)));
}

TensorView Layering::tokens(const TensorView& given) {
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

std::int64_t Layering::repeats(const TensorView& view) { return std::max<std::int64_t>(extent_in(view, kRepeated), 1); }

void Layering::add_attention() {
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
    if (heads < 1 || key_heads < 1) {
        refuse_node(fmt::format("{} has fewer heads than samples, or its keys", in_words(query)));
    }
    const bool are_parts =
        all_of(views, [&](const TensorView& part) { return part.is_part && part.layer == views[0].layer; });
    const std::int64_t parts = heads + 2 * key_heads;
    const std::int64_t size = query.back();
    std::vector<std::size_t> from;
    if (are_parts && dimensions(views[0]).back().extent == parts * size && value.back() == size) {
        from = {views[0].layer};
    } else {
        dodona::append(from, views, [&](const TensorView& part) { return made_whole(part).layer; });
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

void Layering::set_heads(std::size_t layer, std::int64_t heads, std::int64_t width) {
    const Shape& to = graph_.shape(node_->outputs[0]);
    const TensorView whole = whole_view(layer, extents(layer));
    const auto split = reshaped(whole, {graph_.batch, result_.layers[layer].result[0].extent, heads, width});
    set(0, split ? reshaped(transposed(*split, {0, 2, 1, 3}), to) : std::nullopt);
}

void Layering::add_recurrent() {
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

}  // namespace dodona::files
