#include "files/traced/traced_torch.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/blocks.hpp"
#include "files/traced/torch_operators.hpp"

namespace dodona::files {

namespace {

bool is_whole_type(const std::string& type) {
    return type.starts_with("int") || type.starts_with("uint") || type == "bool";
}

/// The module of a weight ("layers.0.q_proj.weight" is q_proj), if it has a name and not just a number.
std::string module_of(const std::string& weight) {
    const std::size_t end = weight.rfind('.');
    if (end == std::string::npos) {
        return {};
    }
    const std::size_t point = weight.rfind('.', end - 1);
    const std::size_t start = point == std::string::npos || end == 0 ? 0 : point + 1;
    const std::string module = weight.substr(start, end - start);
    const bool is_number = std::all_of(module.begin(), module.end(), [](char c) { return c >= '0' && c <= '9'; });
    return is_number ? std::string() : module;
}

class TorchTracer {
public:
    TorchTracer(const TorchGraph& graph, const Location& file) : graph_(graph) {
        traced_.where = file;
        traced_.name = file.source->name;
    }

    TracedGraph run() {
        for (const TorchNode& node : graph_.nodes) {
            switch (node.kind) {
                case TorchNode::Kind::placeholder: add_placeholder(node); break;
                case TorchNode::Kind::constant: ids_[node.name] = add_constant(node.shape); break;
                case TorchNode::Kind::call: add_call(node); break;
                case TorchNode::Kind::output: add_outputs(node.inputs); break;
            }
        }
        return std::move(traced_);
    }

private:
    using Arguments = std::vector<TorchArgument>;

    // Tensors.

    TensorId add_tensor(TracedTensor tensor) {
        traced_.tensors.push_back(std::move(tensor));
        return traced_.tensors.size() - 1;
    }

    TensorId add_constant(Shape shape) {
        return add_tensor({.name = "", .shape = std::move(shape), .is_constant = true});
    }

    void add_placeholder(const TorchNode& node) {
        const auto same = ids_.find(node.same_as);
        if (node.is_weight && same != ids_.end()) {
            ids_[node.name] = same->second;
        } else if (node.is_weight || !node.has_shape || node.shape.empty()) {
            const std::int64_t elements = std::min(elements_of(node.shape), kMaxWeights);
            ids_[node.name] = add_tensor({.name = node.weight,
                                          .shape = node.shape,
                                          .is_index = is_whole_type(node.type),
                                          .is_constant = true,
                                          .is_weight = node.is_learnt,
                                          .weights = node.is_learnt && elements > 1 ? elements : 0});
        } else {
            if (traced_.inputs.empty()) {
                traced_.batch = std::max<std::int64_t>(node.shape[0], 1);
            }
            const TensorId id =
                add_tensor({.name = node.name, .shape = node.shape, .is_index = is_whole_type(node.type)});
            ids_[node.name] = id;
            traced_.inputs.push_back({.tensor = id, .batch = 0, .symbols = {}});
        }
    }

    void add_outputs(const Arguments& arguments) {
        for (const TorchArgument& argument : arguments) {
            const auto found = argument.is(TorchArgument::Kind::node) ? ids_.find(argument.text) : ids_.end();
            if (found != ids_.end()) {
                traced_.outputs.push_back(found->second);
            }
            add_outputs(argument.items);
        }
    }

    [[nodiscard]] const Shape& shape(TensorId id) const { return traced_.shape(id); }

    // Arguments.

    [[nodiscard]] TensorId tensor(const TorchNode& node, std::size_t at) const {
        const bool is_node = at < node.inputs.size() && node.inputs[at].is(TorchArgument::Kind::node);
        const auto found = is_node ? ids_.find(node.inputs[at].text) : ids_.end();
        return found == ids_.end() ? kNoTensor : found->second;
    }

    /// An argument that has a name.
    [[nodiscard]] TensorId option(const TorchNode& node, const std::string& name) const {
        const auto found = node.options.find(name);
        const auto id = found == node.options.end() ? ids_.end() : ids_.find(found->second.text);
        return id == ids_.end() ? kNoTensor : id->second;
    }

    /// A tensor, or a number as one.
    TensorId operand(const TorchNode& node, std::size_t at) {
        const TensorId id = tensor(node, at);
        const bool is_number = at < node.inputs.size() && !node.inputs[at].is(TorchArgument::Kind::node);
        return id == kNoTensor && is_number ? add_constant({}) : id;
    }

    static std::optional<std::int64_t> whole_of(const TorchArgument& argument) {
        const bool is_whole =
            argument.is(TorchArgument::Kind::number) && std::trunc(argument.number) == argument.number;
        return is_whole ? std::optional(static_cast<std::int64_t>(std::clamp(argument.number, -1e15, 1e15)))
                        : std::nullopt;
    }

    static std::int64_t whole(const TorchNode& node, std::size_t at, std::int64_t usual) {
        return at < node.inputs.size() ? whole_of(node.inputs[at]).value_or(usual) : usual;
    }

    /// A list of whole numbers, or one; none where it is left out or has something else.
    static Shape list(const TorchNode& node, std::size_t at) {
        Shape numbers;
        if (at >= node.inputs.size()) {
            return numbers;
        }
        const TorchArgument& argument = node.inputs[at];
        if (const auto one = whole_of(argument)) {
            return {*one};
        }
        for (const TorchArgument& item : argument.items) {
            if (const auto one = whole_of(item)) {
                numbers.push_back(*one);
            }
        }
        return numbers.size() == argument.items.size() ? numbers : Shape();
    }

    /// A number for each of `count` axes, all at least `least`: PyTorch lets one stand for all.
    static std::optional<Shape> each(Shape numbers, std::size_t count, std::int64_t least) {
        if (numbers.size() == 1) {
            numbers.resize(count, numbers[0]);
        }
        const bool is_sane = std::all_of(numbers.begin(), numbers.end(),
                                         [&](std::int64_t number) { return number >= least && number <= kMaxExtent; });
        return numbers.size() == count && is_sane ? std::optional(numbers) : std::nullopt;
    }

    static std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
        const std::int64_t from_start = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
        const bool is_one = from_start >= 0 && from_start < static_cast<std::int64_t>(rank);
        return is_one ? std::optional(static_cast<std::size_t>(from_start)) : std::nullopt;
    }

    void collect(const Arguments& arguments, const TorchNode& node, std::vector<TensorId>& found) const {
        for (const TorchArgument& argument : arguments) {
            if (argument.is(TorchArgument::Kind::node)) {
                const auto id = ids_.find(argument.text);
                if (id == ids_.end() && !several_.contains(argument.text)) {
                    fail(node.where, fmt::format("node \"{}\" reads \"{}\", which nothing before it writes", node.name,
                                                 argument.text));
                }
                found.push_back(id == ids_.end() ? kNoTensor : id->second);
            }
            collect(argument.items, node, found);
        }
    }

    // Calls.

    void add_call(const TorchNode& node) {
        std::vector<TensorId> read;
        collect(node.inputs, node, read);
        if (node.target == "getitem") {
            take(node);
        } else if (node.has_shape) {
            ids_[node.name] = add(node, node.shape, node.type, read);
        } else {
            several_[node.name] = &node;
        }
    }

    /// One of several results: of a split a part, of other operators the first.
    void take(const TorchNode& node) {
        const auto several = node.inputs.empty() ? several_.end() : several_.find(node.inputs[0].text);
        const std::int64_t at = whole(node, 1, -1);
        if (several == several_.end()) {
            ids_[node.name] = unknown(node);
            return;
        }
        const TorchNode& of = *several->second;
        std::vector<TensorId> read;
        collect(of.inputs, of, read);
        if (are_constant(read)) {
            ids_[node.name] = add_computed(of, node.shape, node.type, read);
        } else if (torch_meaning(torch_type(of.target)) == TracedOp::split) {
            ids_[node.name] = add_part(of, node, at);
        } else if (at == 0) {
            const auto known = first_.find(of.name);
            ids_[node.name] = known != first_.end() ? known->second : add(of, node.shape, node.type, read);
            first_[of.name] = ids_[node.name];
        } else {
            ids_[node.name] = unknown(node);
        }
    }

    TensorId unknown(const TorchNode& node) {
        const TensorId id = add_tensor({.name = node.name, .shape = node.shape, .is_index = is_whole_type(node.type)});
        traced_.nodes.push_back({.op = TracedOp::unknown,
                                 .name = node.name,
                                 .type = torch_type(node.target),
                                 .inputs = {},
                                 .outputs = {id}});
        return id;
    }

    [[nodiscard]] bool are_constant(const std::vector<TensorId>& read) const {
        return std::all_of(read.begin(), read.end(), [&](TensorId id) { return traced_.is_constant(id); });
    }

    TensorId add(const TorchNode& node, const Shape& to, const std::string& type, const std::vector<TensorId>& read) {
        const std::string name = torch_type(node.target);
        const bool is_of_shape = reads_shapes_only(name);
        if (is_of_shape || are_constant(read)) {
            return add_computed(node, to, type, is_of_shape ? std::vector<TensorId>() : read);
        }
        TracedNode traced{.op = torch_meaning(name), .name = node.name, .type = name, .inputs = {}, .outputs = {}};
        const bool is_there = std::all_of(read.begin(), read.end(), [&](TensorId id) {
            return id != kNoTensor && (traced_.is_constant(id) || elements_of(shape(id)) > 0);
        });
        const TensorId x = tensor(node, node.target.starts_with("aten.addmm") ? 1 : 0);
        const bool has_first = x != kNoTensor || traced.op == TracedOp::concat || traced.op == TracedOp::where;
        if (!is_there || !has_first || elements_of(to) < 1 || !understood(node, to, traced)) {
            traced.op = TracedOp::unknown;
            traced.inputs = read;
        }
        for (const TensorId id : traced.inputs) {
            const std::string module =
                id == kNoTensor || !traced_.tensors[id].is_weight ? "" : module_of(traced_.tensors[id].name);
            if (!module.empty() && traced.name == node.name) {
                traced.name = fmt::format("/{}/{}", module, node.name);
            }
        }
        TracedTensor result{.name = node.name, .shape = to, .is_index = is_whole_type(type)};
        result.is_triangle = to.size() > 1 && to[to.size() - 1] == to[to.size() - 2] && any_of(read, [&](TensorId id) {
                                 return id != kNoTensor && traced_.tensors[id].is_triangle;
                             });
        traced.outputs = {add_tensor(std::move(result))};
        traced_.nodes.push_back(std::move(traced));
        return traced_.nodes.back().outputs[0];
    }

    /// A constant that is computed from others.
    TensorId add_computed(const TorchNode& node, const Shape& to, const std::string& type,
                          const std::vector<TensorId>& from) {
        const std::string name = torch_type(node.target);
        const TracedOp op = torch_meaning(name);
        const bool is_copy = op == TracedOp::same || ((op == TracedOp::reshape || op == TracedOp::expand) &&
                                                      from.size() == 1 && to == shape(from[0]));
        if (is_copy && from.size() == 1) {
            return from[0];
        }
        TracedTensor tensor{.name = node.name, .shape = to, .is_index = is_whole_type(type), .is_constant = true};
        tensor.is_triangle = name == "tril" || name == "triu";
        for (const TensorId id : from) {
            tensor.weights = std::min(tensor.weights + traced_.tensors[id].weights, kMaxWeights);
            tensor.is_weight = tensor.is_weight || traced_.tensors[id].is_weight;
            tensor.is_triangle = tensor.is_triangle || traced_.tensors[id].is_triangle;
        }
        if (from.size() == 1) {
            tensor.name = traced_.tensors[from[0]].name;
        }
        const TensorId id = add_tensor(tensor);
        if (op == TracedOp::transpose && to.size() == 2 && from.size() == 1) {
            turned_[id] = from[0];
        }
        return id;
    }

    /// Inputs and numbers of a node as its meaning has them; false: this use of it has none.
    bool understood(const TorchNode& node, const Shape& to, TracedNode& traced) {
        const TensorId x = tensor(node, 0);
        switch (traced.op) {
            case TracedOp::reshape:
            case TracedOp::expand:
            case TracedOp::same: return set_reshape(x, to, traced);
            case TracedOp::dropout: return set_dropout(node, x, traced);
            case TracedOp::transpose: return set_transpose(node, x, traced);
            case TracedOp::slice: return set_slice(node, x, to, traced);
            case TracedOp::concat: return set_concat(node, to, traced);
            case TracedOp::conv: return set_conv(node, to, traced);
            case TracedOp::linear:
            case TracedOp::matmul: return set_product(node, traced);
            case TracedOp::batch_norm:
            case TracedOp::instance_norm:
            case TracedOp::group_norm: return set_image_norm(node, traced);
            case TracedOp::layer_norm:
            case TracedOp::rms_norm: return set_norm(node, x, traced);
            case TracedOp::softmax: return set_softmax(node, x, traced);
            case TracedOp::add:
            case TracedOp::subtract:
            case TracedOp::multiply:
            case TracedOp::divide:
            case TracedOp::power: return set_pair(node, traced);
            case TracedOp::where: return set_where(node, traced);
            case TracedOp::mean: return set_mean(node, x, traced);
            case TracedOp::max_pool:
            case TracedOp::average_pool: return set_pool(node, x, to, traced);
            case TracedOp::embedding:
                traced.inputs = {x, tensor(node, 1)};
                return shape(x).size() == 2 && traced_.is_constant(x) && traced.inputs[1] != kNoTensor;
            case TracedOp::attention: return set_attention(node, traced);
            case TracedOp::lstm:
            case TracedOp::gru:
            case TracedOp::rnn: return set_recurrent(node, x, traced);
            case TracedOp::unknown: return false;
            default: traced.inputs = {x}; return true;
        }
    }

    bool set_reshape(TensorId x, const Shape& to, TracedNode& traced) const {
        traced.inputs = {x};
        const std::int64_t before = elements_of(shape(x));
        if (to == shape(x)) {
            traced.op = TracedOp::same;
        } else if (traced.op == TracedOp::expand) {  // `repeat` of an axis that is longer than 1 is none
            const std::size_t more = to.size() < shape(x).size() ? 0 : to.size() - shape(x).size();
            for (std::size_t i = 0; i < shape(x).size() && i + more < to.size(); ++i) {
                if (shape(x)[i] != 1 && shape(x)[i] != to[i + more]) {
                    return false;
                }
            }
        }
        return traced.op == TracedOp::expand || before == elements_of(to);
    }

    static bool set_dropout(const TorchNode& node, TensorId x, TracedNode& traced) {
        const bool trains = whole(node, 2, 1) != 0;
        traced.op = trains ? TracedOp::dropout : TracedOp::same;
        traced.inputs = {x};
        return true;
    }

    bool set_transpose(const TorchNode& node, TensorId x, TracedNode& traced) const {
        const std::size_t rank = shape(x).size();
        Shape axes(rank);
        for (std::size_t i = 0; i < rank; ++i) {
            axes[i] = static_cast<std::int64_t>(i);
        }
        if (traced.type == "permute") {
            const Shape given = list(node, 1);
            for (std::size_t i = 0; i < given.size() && i < rank; ++i) {
                axes[i] = static_cast<std::int64_t>(axis_of(given[i], rank).value_or(0));
            }
            Shape sorted = axes;
            std::sort(sorted.begin(), sorted.end());
            if (given.size() != rank || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
                return false;
            }
        } else {
            const auto first = axis_of(traced.type == "t" ? 0 : whole(node, 1, 0), rank);
            const auto second = axis_of(traced.type == "t" ? 1 : whole(node, 2, 0), rank);
            if (!first || !second) {
                return false;
            }
            std::swap(axes[*first], axes[*second]);
        }
        traced.inputs = {x};
        traced.numbers["axes"] = axes;
        return true;
    }

    bool set_slice(const TorchNode& node, TensorId x, const Shape& to, TracedNode& traced) const {
        const auto axis = axis_of(whole(node, 1, 0), shape(x).size());
        traced.inputs = {x};
        if (!axis || to.size() > shape(x).size()) {
            return false;
        }
        if (to == shape(x)) {
            traced.op = TracedOp::same;
            return true;
        }
        traced.numbers["axis"] = {static_cast<std::int64_t>(*axis)};
        return traced.type == "select" || (whole(node, 4, 1) == 1 && to.size() == shape(x).size());
    }

    /// A part of a split: `node` takes it.
    TensorId add_part(const TorchNode& split, const TorchNode& node, std::int64_t at) {
        const TensorId x = tensor(split, 0);
        const std::string type = torch_type(split.target);
        const bool drops_axis = type == "unbind";
        const auto axis = x == kNoTensor ? std::nullopt : axis_of(whole(split, drops_axis ? 1 : 2, 0), shape(x).size());
        const std::size_t rank = node.shape.size() + (drops_axis ? 1 : 0);
        if (!axis || at < 0 || rank != shape(x).size() || elements_of(node.shape) < 1) {
            return unknown(node);
        }
        TracedNode part{.op = TracedOp::slice, .name = node.name, .type = type, .inputs = {x}, .outputs = {}};
        part.numbers["axis"] = {static_cast<std::int64_t>(*axis)};
        const TensorId id = add_tensor({.name = node.name, .shape = node.shape, .is_index = is_whole_type(node.type)});
        part.outputs = {id};
        traced_.nodes.push_back(std::move(part));
        return id;
    }

    bool set_concat(const TorchNode& node, const Shape& to, TracedNode& traced) {
        const auto axis = axis_of(whole(node, 1, 0), to.size());
        if (!axis || node.inputs.empty()) {
            return false;
        }
        for (const TorchArgument& item : node.inputs[0].items) {
            const auto found = item.is(TorchArgument::Kind::node) ? ids_.find(item.text) : ids_.end();
            if (found == ids_.end() || shape(found->second).size() != to.size()) {
                return false;
            }
            traced.inputs.push_back(found->second);
        }
        traced.numbers["axis"] = {static_cast<std::int64_t>(*axis)};
        return !traced.inputs.empty();
    }

    // Convolutions and pooling.

    bool set_conv(const TorchNode& node, const Shape& to, TracedNode& traced) {
        const TensorId x = tensor(node, 0);
        const TensorId weight = tensor(node, 1);
        const std::size_t rank = to.size();
        if (weight == kNoTensor || rank < 3 || shape(x).size() != rank || shape(weight).size() != rank) {
            return false;
        }
        const std::size_t count = rank - 2;
        const bool is_general = traced.type == "convolution";  // says whether it is transposed
        const Shape kernel(shape(weight).begin() + 2, shape(weight).end());
        const auto stride = each(or_usual(list(node, 3), 1), count, 1);
        const auto dilation = each(or_usual(list(node, 5), 1), count, 1);
        const auto extra = each(or_usual(is_general ? list(node, 7) : Shape(), 0), count, 0);
        const auto pad = padding(node, kernel, dilation);
        if (!stride || !dilation || !extra || !pad || elements_of(kernel) < 1) {
            return false;
        }
        traced.op = is_general && whole(node, 6, 0) != 0 ? TracedOp::conv_transpose : TracedOp::conv;
        traced.inputs = {x, weight, tensor(node, 2)};
        traced.numbers["kernel"] = kernel;
        traced.numbers["stride"] = *stride;
        traced.numbers["pad"] = *pad;
        traced.numbers["dilation"] = *dilation;
        traced.numbers["output_pad"] = *extra;
        traced.numbers["groups"] = {std::clamp<std::int64_t>(whole(node, is_general ? 8 : 6, 1), 1, kMaxExtent)};
        return true;
    }

    /// One number where there is none.
    static Shape or_usual(Shape numbers, std::int64_t usual) {
        return numbers.empty() ? Shape{usual} : std::move(numbers);
    }

    /// Before each axis, then after each. PyTorch's "same" puts what is odd behind.
    static std::optional<Shape> padding(const TorchNode& node, const Shape& kernel,
                                        const std::optional<Shape>& dilation) {
        const std::size_t count = kernel.size();
        Shape both(2 * count, 0);
        const bool is_word = node.inputs.size() > 4 && node.inputs[4].is(TorchArgument::Kind::word);
        const auto given = each(or_usual(is_word ? Shape() : list(node, 4), 0), count, 0);
        if (!given || !dilation || (is_word && node.inputs[4].text != "same" && node.inputs[4].text != "valid")) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t all =
                is_word && node.inputs[4].text == "same" ? (*dilation)[i] * (kernel[i] - 1) : 2 * (*given)[i];
            both[i] = all / 2;
            both[i + count] = all - all / 2;
        }
        return both;
    }

    bool set_pool(const TorchNode& node, TensorId x, const Shape& to, TracedNode& traced) const {
        const Shape& from = shape(x);
        if (from.size() < 3 || to.size() != from.size()) {
            return false;
        }
        const std::size_t count = from.size() - 2;
        traced.inputs = {x};
        if (traced.type.find("adaptive") != std::string::npos) {
            return set_adaptive(from, to, traced);
        }
        const bool is_max = traced.op == TracedOp::max_pool;
        const auto kernel = each(list(node, 1), count, 1);
        const Shape steps = list(node, 2);
        const auto stride = each(steps.empty() ? list(node, 1) : steps, count, 1);
        const auto pad = each(or_usual(list(node, 3), 0), count, 0);
        const auto dilation = each(or_usual(is_max ? list(node, 4) : Shape(), 1), count, 1);
        if (!kernel || !stride || !pad || !dilation) {
            return false;
        }
        traced.numbers["kernel"] = *kernel;
        traced.numbers["stride"] = *stride;
        traced.numbers["pad"] = *pad;
        traced.numbers["pad"].insert(traced.numbers["pad"].end(), pad->begin(), pad->end());
        traced.numbers["dilation"] = *dilation;
        traced.numbers["ceil"] = {whole(node, is_max ? 5 : 4, 0)};
        return true;
    }

    /// To a given number of positions: windows, where they are all alike.
    static bool set_adaptive(const Shape& from, const Shape& to, TracedNode& traced) {
        if (std::all_of(to.begin() + 2, to.end(), [](std::int64_t extent) { return extent == 1; })) {
            traced.op = TracedOp::global_pool;
            return true;
        }
        Shape kernel;
        for (std::size_t i = 2; i < from.size(); ++i) {
            if (from[i] % to[i] != 0) {
                return false;
            }
            kernel.push_back(from[i] / to[i]);
        }
        traced.op = to == from ? TracedOp::same : TracedOp::average_pool;
        traced.numbers["kernel"] = kernel;
        traced.numbers["stride"] = kernel;
        traced.numbers["pad"] = Shape(2 * kernel.size(), 0);
        return true;
    }

    // Products, norms.

    bool set_product(const TorchNode& node, TracedNode& traced) const {
        const bool has_bias_first = traced.type == "addmm";
        const TensorId x = tensor(node, has_bias_first ? 1 : 0);
        const TensorId other = tensor(node, has_bias_first ? 2 : 1);
        const TensorId bias = has_bias_first                  ? tensor(node, 0)
                              : traced.op == TracedOp::linear ? tensor(node, 2)
                                                              : kNoTensor;
        if (other == kNoTensor || shape(x).empty()) {
            return false;
        }
        const bool is_weight = traced_.is_constant(other) && shape(other).size() == 2;
        if (!is_weight) {
            traced.inputs = {x, other};
            return traced.op == TracedOp::matmul && shape(x).size() > 1 && shape(other).size() > 1;
        }
        const auto turned = turned_.find(other);
        const bool is_as_stored = traced.type == "linear" || turned != turned_.end();
        traced.op = TracedOp::linear;
        traced.inputs = {x, traced.type != "linear" && turned != turned_.end() ? turned->second : other};
        if (bias != kNoTensor) {
            traced.inputs.push_back(bias);
        }
        traced.numbers["transposed"] = {is_as_stored ? 0 : 1};
        return !traced_.is_constant(x);
    }

    bool set_image_norm(const TorchNode& node, TracedNode& traced) const {
        const bool has_groups = traced.type == "group_norm";
        traced.inputs = {tensor(node, 0), tensor(node, has_groups ? 2 : 1), tensor(node, has_groups ? 3 : 2)};
        if (traced.op == TracedOp::group_norm) {
            traced.numbers["groups"] = {std::clamp<std::int64_t>(whole(node, has_groups ? 1 : 6, 1), 1, kMaxExtent)};
        }
        return shape(traced.inputs[0]).size() > 2;
    }

    bool set_norm(const TorchNode& node, TensorId x, TracedNode& traced) const {
        const Shape over = list(node, 1);
        const auto rank = static_cast<std::int64_t>(shape(x).size());
        traced.inputs = {x, tensor(node, 2)};
        if (traced.op == TracedOp::layer_norm) {
            traced.inputs.push_back(tensor(node, 3));
        }
        traced.numbers["axis"] = {rank - static_cast<std::int64_t>(over.size())};
        return !over.empty() && rank > 0;
    }

    bool set_softmax(const TorchNode& node, TensorId x, TracedNode& traced) const {
        const auto axis = axis_of(whole(node, 1, -1), shape(x).size());
        traced.inputs = {x};
        traced.numbers["axis"] = {static_cast<std::int64_t>(axis.value_or(0))};
        return axis && *axis + 1 == shape(x).size();
    }

    bool set_pair(const TorchNode& node, TracedNode& traced) {
        traced.inputs = {operand(node, 0), operand(node, 1)};
        if (traced.type == "rsub") {
            std::swap(traced.inputs[0], traced.inputs[1]);
        }
        return traced.inputs[0] != kNoTensor && traced.inputs[1] != kNoTensor;
    }

    bool set_where(const TorchNode& node, TracedNode& traced) {
        const bool is_fill = traced.type == "masked_fill";
        const TensorId mask = tensor(node, is_fill ? 1 : 0);
        traced.inputs = {mask, operand(node, is_fill ? 0 : 1), operand(node, 2)};
        return std::find(traced.inputs.begin(), traced.inputs.end(), kNoTensor) == traced.inputs.end();
    }

    bool set_mean(const TorchNode& node, TensorId x, TracedNode& traced) const {
        Shape axes;
        for (const std::int64_t axis : list(node, 1)) {
            const auto found = axis_of(axis, shape(x).size());
            if (!found) {
                return false;
            }
            axes.push_back(static_cast<std::int64_t>(*found));
        }
        traced.inputs = {x};
        traced.numbers["axes"] = axes;
        return !axes.empty();
    }

    // Attention and recurrent layers.

    bool set_attention(const TorchNode& node, TracedNode& traced) const {
        traced.inputs = {tensor(node, 0), tensor(node, 1), tensor(node, 2)};
        for (const TensorId id : traced.inputs) {
            if (id == kNoTensor || shape(id).size() < 3) {
                return false;
            }
        }
        const bool is_flash = traced.type.find("flash") != std::string::npos;  // has no mask before is_causal
        const bool is_efficient = traced.type.find("efficient") != std::string::npos;
        const TensorId mask = is_flash ? option(node, "attn_mask") : tensor(node, 3);
        const bool is_masked = mask != kNoTensor && traced_.tensors[mask].is_triangle;
        const bool is_causal = whole(node, is_flash ? 4 : is_efficient ? 6 : 5, 0) != 0;
        traced.numbers["causal"] = {is_causal || is_masked ? 1 : 0};
        const Shape& query = shape(traced.inputs[0]);
        const Shape& key = shape(traced.inputs[1]);
        if (key[key.size() - 3] != query[query.size() - 3]) {
            traced.numbers["key_heads"] = {key[key.size() - 3]};
        }
        return true;
    }

    /// x, (states), weights, has biases, layers, dropout, trains, is bidirectional, has the batch first.
    bool set_recurrent(const TorchNode& node, TensorId x, TracedNode& traced) const {
        traced.inputs = {x};
        for (const TorchArgument& weight : node.inputs.size() > 2 ? node.inputs[2].items : Arguments()) {
            const auto found = weight.is(TorchArgument::Kind::node) ? ids_.find(weight.text) : ids_.end();
            if (found == ids_.end()) {
                return false;
            }
            traced.inputs.push_back(found->second);
        }
        if (traced.inputs.size() < 3 || shape(traced.inputs[2]).size() != 2 || shape(x).size() != 3) {
            return false;
        }
        traced.numbers["hidden"] = {shape(traced.inputs[2])[1]};
        traced.numbers["bias"] = {whole(node, 3, 1)};
        traced.numbers["layers"] = {std::clamp<std::int64_t>(whole(node, 4, 1), 1, kMaxExtent)};
        traced.numbers["directions"] = {whole(node, 7, 0) != 0 ? 2 : 1};
        traced.numbers["sequence_first"] = {whole(node, 8, 0) != 0 ? 0 : 1};
        return true;
    }

    const TorchGraph& graph_;
    TracedGraph traced_;
    std::unordered_map<std::string, TensorId> ids_;
    std::unordered_map<std::string, const TorchNode*> several_;  ///< calls with several results
    std::unordered_map<std::string, TensorId> first_;            ///< the first result of each, once it is taken
    std::unordered_map<TensorId, TensorId> turned_;              ///< constants that are others transposed
};

}  // namespace

TracedGraph traced_torch(const TorchGraph& graph, const Location& file) { return TorchTracer(graph, file).run(); }

}  // namespace dodona::files
