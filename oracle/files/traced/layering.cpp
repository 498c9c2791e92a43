#include "files/traced/layering.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::files {

// Layers.

std::size_t Layering::append(TracedLayer layer) {
    result_.layers.push_back(std::move(layer));
    return result_.layers.size() - 1;
}

std::string Layering::label(const std::string& op) const {
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

bool Layering::is_shared(const std::string& op) {
    constexpr std::array<std::string_view, 12> kShared{"add",         "concat",  "attention", "rotary",
                                                       "gated",       "slice",   "flatten",   "multiply",
                                                       "to_sequence", "softmax", "gelu",      "position_embedding"};
    return std::find(kShared.begin(), kShared.end(), op) != kShared.end();
}

std::size_t Layering::add_layer(const std::string& op, std::vector<std::size_t> from,
                                std::vector<TracedDimension> result, EntryAttributes attributes) {
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

std::string Layering::type_in_lower_case() const {
    return concatenated(node_->type,
                        [](const char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
}

void Layering::note_taken(const std::string& op) {
    const std::string text = fmt::format("{} as {}", node_->type, op);
    if (std::find(result_.taken.begin(), result_.taken.end(), text) == result_.taken.end()) {
        result_.taken.push_back(text);
    }
}

const std::vector<TracedDimension>& Layering::dimensions(const TensorView& view) const {
    return result_.layers[view.layer].result;
}

Shape Layering::extents(std::size_t layer) const {
    Shape all{graph_.batch};
    dodona::append(all, result_.layers[layer].result, &TracedDimension::extent);
    return all;
}

void Layering::count_weights(std::size_t first_input) {
    for (std::size_t i = first_input; i < node_->inputs.size(); ++i) {
        if (node_->inputs[i] != kNoTensor) {
            result_.parameters += graph_.tensors[node_->inputs[i]].weights;
        }
    }
}

// Views.

void Layering::refuse_node(const std::string& what, const std::string& help) const {
    refuse(graph_, *node_, what, help);
}

const TensorView& Layering::view(std::size_t input) const {
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

void Layering::set(std::size_t output, std::optional<TensorView> view) {
    if (!view) {
        refuse_node(fmt::format("its {} is split and joined again in a way that no layer is of",
                                in_words(graph_.shape(node_->inputs[0]))));
    }
    views_[node_->outputs[output]] = std::move(*view);
}

TensorView Layering::moved(TensorView view, std::size_t layer) {
    view.layer = layer;
    return view;
}

TensorView Layering::made_whole(const TensorView& view) {
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

void Layering::renumber(TensorView& view, int dimension) {
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

bool Layering::has_rows(const TensorView& view) const {
    const auto& result = dimensions(view);
    return !view.axes.empty() && !result.empty() && result.back().name == "feature" &&
           is_dimension(view.axes.back(), static_cast<int>(result.size()), result.back().extent);
}

TensorView Layering::rows(const TensorView& given) {
    const TensorView view = made_whole(given);
    if (has_rows(view)) {
        return view;
    }
    const auto& result = dimensions(view);
    const bool is_image = !result.empty() && result.front().name == "channel";
    const bool is_last = is_image && !view.axes.empty() && is_dimension(view.axes.back(), 1, result.front().extent);
    std::int64_t positions = 1;
    for (std::size_t i = 1; i < result.size(); ++i) {
        positions *= result[i].extent;
    }
    if (is_last && positions > 1) {
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

AxisFactors Layering::whole_row(const std::vector<TracedDimension>& result) {
    AxisFactors all;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i].extent > 1) {
            all.push_back({.dimension = static_cast<int>(i) + 1, .step = 1, .extent = result[i].extent});
        }
    }
    return all;
}

TensorView Layering::flattened(const TensorView& view) {
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

TensorView Layering::as_tokens(const TensorView& view, std::int64_t positions) {
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

bool Layering::is_image(const TensorView& view) const {
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

TensorView Layering::image(std::size_t input) {
    const TensorView found = made_whole(view(input));
    if (!is_image(found)) {
        refuse_node(
            fmt::format("reads {} of \"{}\" as an image", in_words(shape_of(found)), result_.layers[found.layer].name),
            "write the layer in a model file by hand: docs/files.md");
    }
    return found;
}

void Layering::check_shapes(const TracedNode& node) const {
    for (const TensorId output : node.outputs) {
        if (views_[output] && shape_of(*views_[output]) != graph_.shape(output)) {
            refuse(graph_, node,
                   fmt::format("its result is {}, but follows as {}", in_words(graph_.shape(output)),
                               in_words(shape_of(*views_[output]))));
        }
    }
}

}  // namespace dodona::files
