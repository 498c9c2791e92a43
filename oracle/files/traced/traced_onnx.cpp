#include "files/traced/traced_onnx.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/traced/onnx_inference.hpp"
#include "files/traced/operator_meaning.hpp"

namespace dodona::files {

namespace {

/// ONNX's operators that one of ours does the work of. Activations that are none of ours move the same bytes as the one
/// they are taken as. Source: onnx/onnx: docs/Operators.md.
constexpr std::array kMeanings{
    OperatorMeaning{"Add", TracedOp::add},
    OperatorMeaning{"AveragePool", TracedOp::average_pool},
    OperatorMeaning{"BatchNormalization", TracedOp::batch_norm},
    OperatorMeaning{"Cast", TracedOp::same},
    OperatorMeaning{"CastLike", TracedOp::same},
    OperatorMeaning{"Celu", TracedOp::silu},
    OperatorMeaning{"Clip", TracedOp::relu},
    OperatorMeaning{"Concat", TracedOp::concat},
    OperatorMeaning{"Conv", TracedOp::conv},
    OperatorMeaning{"ConvTranspose", TracedOp::conv_transpose},
    OperatorMeaning{"Div", TracedOp::divide},
    OperatorMeaning{"Dropout", TracedOp::same},
    OperatorMeaning{"Elu", TracedOp::silu},
    OperatorMeaning{"Erf", TracedOp::error_function},
    OperatorMeaning{"Expand", TracedOp::expand},
    OperatorMeaning{"FastGelu", TracedOp::gelu},
    OperatorMeaning{"Flatten", TracedOp::reshape},
    OperatorMeaning{"GRU", TracedOp::gru},
    OperatorMeaning{"Gelu", TracedOp::gelu},
    OperatorMeaning{"GlobalAveragePool", TracedOp::global_pool},
    OperatorMeaning{"GlobalMaxPool", TracedOp::max_pool},
    OperatorMeaning{"GroupNormalization", TracedOp::group_norm},
    OperatorMeaning{"HardSigmoid", TracedOp::sigmoid},
    OperatorMeaning{"HardSwish", TracedOp::silu},
    OperatorMeaning{"Identity", TracedOp::same},
    OperatorMeaning{"InstanceNormalization", TracedOp::instance_norm},
    OperatorMeaning{"LRN", TracedOp::local_response_norm},
    OperatorMeaning{"LSTM", TracedOp::lstm},
    OperatorMeaning{"LayerNormalization", TracedOp::layer_norm},
    OperatorMeaning{"LeakyRelu", TracedOp::leaky_relu},
    OperatorMeaning{"LogSoftmax", TracedOp::softmax},
    OperatorMeaning{"MatMul", TracedOp::matmul},
    OperatorMeaning{"MaxPool", TracedOp::max_pool},
    OperatorMeaning{"Mish", TracedOp::silu},
    OperatorMeaning{"Mul", TracedOp::multiply},
    OperatorMeaning{"Neg", TracedOp::negate},
    OperatorMeaning{"Pow", TracedOp::power},
    OperatorMeaning{"RMSNormalization", TracedOp::rms_norm},
    OperatorMeaning{"RNN", TracedOp::rnn},
    OperatorMeaning{"Reciprocal", TracedOp::reciprocal},
    OperatorMeaning{"ReduceMean", TracedOp::mean},
    OperatorMeaning{"Relu", TracedOp::relu},
    OperatorMeaning{"Reshape", TracedOp::reshape},
    OperatorMeaning{"Selu", TracedOp::silu},
    OperatorMeaning{"Sigmoid", TracedOp::sigmoid},
    OperatorMeaning{"SimplifiedLayerNormalization", TracedOp::rms_norm},
    OperatorMeaning{"Softmax", TracedOp::softmax},
    OperatorMeaning{"Softplus", TracedOp::silu},
    OperatorMeaning{"Split", TracedOp::split},
    OperatorMeaning{"Sqrt", TracedOp::square_root},
    OperatorMeaning{"Squeeze", TracedOp::reshape},
    OperatorMeaning{"Sub", TracedOp::subtract},
    OperatorMeaning{"Tanh", TracedOp::tanh},
    OperatorMeaning{"Transpose", TracedOp::transpose},
    OperatorMeaning{"Unsqueeze", TracedOp::reshape},
    OperatorMeaning{"Where", TracedOp::where},
};
static_assert(std::is_sorted(kMeanings.begin(), kMeanings.end()));

TracedOp meaning_of(const OnnxNode& node) {
    if (!node.domain.empty() && node.domain != "ai.onnx" && node.domain != "com.microsoft") {
        return TracedOp::unknown;
    }
    return meaning_in(kMeanings, node.type);
}

bool mentions(std::string text, std::string_view word) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find(word) != std::string::npos;
}

std::string identifier(std::string text) {
    for (char& c : text) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0 ? "extent_" + text : text;
}

/// Lower triangular and square in its last two axes: later positions are hidden.
bool hides_later(const OnnxTensor& tensor) {
    const std::size_t rank = tensor.shape.size();
    const bool is_mask = tensor.type == OnnxTensor::kBool || tensor.type == OnnxTensor::kUint8;
    if (!is_mask || rank < 2 || tensor.shape[rank - 1] != tensor.shape[rank - 2]) {
        return false;
    }
    const auto side = static_cast<std::size_t>(tensor.shape.back());
    if (tensor.bytes.size() != side * side || side < 2) {
        return false;
    }
    return tensor.bytes[1] == 0 && tensor.bytes[side] != 0 && tensor.bytes[side * side - 1] != 0;
}

class OnnxTracer {
public:
    OnnxTracer(const OnnxGraph& graph, const Location& file, const GivenExtents& given) : graph_(graph), given_(given) {
        traced_.where = file;
        traced_.name = file.source->name;
    }

    TracedGraph run() {
        read_inputs();
        for (const OnnxTensor& weight : graph_.weights) {
            add_weight(weight);
        }
        for (const OnnxValue& value : graph_.values) {
            values_[value.name] = &value;
        }
        for (const OnnxValue& value : graph_.outputs) {
            values_[value.name] = &value;
        }
        for (const OnnxNode& node : graph_.nodes) {
            add(node);
        }
        for (const OnnxValue& output : graph_.outputs) {
            if (const auto found = ids_.find(output.name); found != ids_.end()) {
                traced_.outputs.push_back(found->second);
            }
        }
        return std::move(traced_);
    }

private:
    void read_inputs() {
        std::vector<std::string> faults;
        bool has_batch = false;
        for (const OnnxValue& input : graph_.inputs) {
            if (!has_batch && !input.extents.empty() && input.extents[0].extent > 0) {
                traced_.batch = input.extents[0].extent;
            }
            has_batch = has_batch || !input.extents.empty();
        }
        for (const OnnxValue& input : graph_.inputs) {
            TracedInput traced;
            OnnxKnown known{.has_shape = true, .is_index = is_whole(input.type)};
            for (std::size_t axis = 0; axis < input.extents.size(); ++axis) {
                const OnnxExtent& extent = input.extents[axis];
                const std::string symbol =
                    identifier(extent.symbol.empty() ? fmt::format("{}_{}", input.name, axis) : extent.symbol);
                traced.symbols.emplace_back();
                if (extent.extent > 0) {
                    known.shape.push_back(extent.extent);
                } else if (is_batch(input, axis)) {
                    known.shape.push_back(traced_.batch);
                    traced.batch = axis;
                } else if (const auto found = given_.find(symbol); found != given_.end()) {
                    known.shape.push_back(found->second);
                    traced.symbols.back() = symbol;
                    note_symbol(symbol, found->second);
                } else {
                    known.shape.push_back(1);
                    faults.push_back(symbol);
                }
            }
            traced.tensor = add_tensor(input.name, known);
            traced_.inputs.push_back(std::move(traced));
        }
        std::sort(faults.begin(), faults.end());
        faults.erase(std::unique(faults.begin(), faults.end()), faults.end());
        if (!faults.empty()) {
            fail(traced_.where, fmt::format("leaves extents of its inputs open: {}", join(faults)),
                 fmt::format("give each: --set {}=512; for `check` import the file first", faults.front()));
        }
    }

    void note_symbol(const std::string& name, std::int64_t extent) {
        const bool is_new = std::none_of(traced_.symbols.begin(), traced_.symbols.end(),
                                         [&](const TracedSymbol& symbol) { return symbol.name == name; });
        if (is_new) {
            traced_.symbols.push_back({name, extent});
        }
    }

    /// An open extent is that of the batch where it is called so, or stands first and nothing else is called so.
    static bool is_batch(const OnnxValue& input, std::size_t axis) {
        if (mentions(input.extents[axis].symbol, "batch")) {
            return true;
        }
        const bool is_elsewhere =
            any_of(input.extents, [](const OnnxExtent& extent) { return mentions(extent.symbol, "batch"); });
        return axis == 0 && !is_elsewhere && !mentions(input.extents[0].symbol, "seq");
    }

    TensorId add_tensor(const std::string& name, const OnnxKnown& known) {
        traced_.tensors.push_back({.name = name,
                                   .shape = known.shape,
                                   .is_index = known.is_index,
                                   .is_constant = known.is_constant,
                                   .is_weight = known.is_weight,
                                   .weights = known.weights,
                                   .is_triangle = known.is_triangle,
                                   .bytes = known.bytes});
        known_.push_back(known);
        ids_[name] = traced_.tensors.size() - 1;
        return traced_.tensors.size() - 1;
    }

    void add_weight(const OnnxTensor& weight) {
        OnnxKnown known{
            .has_shape = true, .shape = weight.shape, .is_index = is_whole(weight.type), .is_constant = true};
        known.numbers = few_numbers(weight);
        known.is_weight = !known.is_index;
        const std::int64_t elements = std::min(elements_of(weight.shape), kMaxWeights);
        known.weights = known.is_weight && elements > 1 ? elements : 0;
        known.is_triangle = hides_later(weight);
        known.bytes = weight.bytes;
        add_tensor(weight.name, known);
    }

    void add(const OnnxNode& node) {
        std::vector<TensorId> inputs;
        OnnxInputs known;
        for (const std::string& name : node.inputs) {
            const auto found = ids_.find(name);
            if (!name.empty() && found == ids_.end()) {
                fail(traced_.where, fmt::format("node \"{}\" ({}) reads \"{}\", which nothing before it writes",
                                                node.name, node.type, name));
            }
            inputs.push_back(name.empty() ? kNoTensor : found->second);
            known.push_back(name.empty() ? nullptr : &known_[found->second]);
        }
        std::vector<OnnxKnown> results = infer(node, known);
        bool is_constant = true;
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (!results[i].has_shape) {
                take_shape(node.outputs[i], results[i]);
            }
            is_constant = is_constant && results[i].is_constant;
        }
        TracedNode traced = meant(node, inputs, known, results);
        for (std::size_t i = 0; i < results.size(); ++i) {
            traced.outputs.push_back(add_tensor(node.outputs[i], results[i]));
        }
        if (!is_constant) {
            traced_.nodes.push_back(std::move(traced));
        }
    }

    /// What the file says of a result that cannot be inferred.
    void take_shape(const std::string& name, OnnxKnown& result) const {
        const auto found = values_.find(name);
        if (found == values_.end() || !found->second->has_shape) {
            return;
        }
        Shape shape;
        for (const OnnxExtent& extent : found->second->extents) {
            const auto given = given_.find(identifier(extent.symbol));
            shape.push_back(extent.extent > 0 ? extent.extent : given != given_.end() ? given->second : traced_.batch);
        }
        result.has_shape = true;
        result.shape = shape;
        result.is_index = is_whole(found->second->type);
    }

    TracedNode meant(const OnnxNode& node, const std::vector<TensorId>& inputs, const OnnxInputs& known,
                     const std::vector<OnnxKnown>& results) {
        TracedNode traced{
            .op = meaning_of(node), .name = node.name, .type = node.type, .inputs = inputs, .outputs = {}};
        if (traced.name.empty()) {
            traced.name = node.outputs.empty() ? "" : node.outputs.front();
        }
        const auto is_there = [](const OnnxKnown& tensor) {
            return tensor.has_shape && (tensor.is_constant || elements_of(tensor.shape) > 0);
        };
        const bool has_inputs = std::all_of(
            known.begin(), known.end(), [&](const OnnxKnown* input) { return input == nullptr || is_there(*input); });
        const std::size_t needed = needed_inputs(traced.op);
        const bool has_needed =
            known.size() >= needed && std::none_of(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(needed),
                                                   [](const OnnxKnown* input) { return input == nullptr; });
        if (results.empty() || !is_there(results[0]) || !has_inputs || !has_needed) {
            traced.op = TracedOp::unknown;
            return traced;
        }
        const std::string& type = node.type;
        if (type == "Gather") {
            set_gather(node, known, traced);
        } else if (type == "Slice") {
            set_slice(node, known, results[0].shape, traced);
        } else if (type == "Pad") {
            traced.op = results[0].shape == known[0]->shape ? TracedOp::same : TracedOp::pad;
            const bool has_input = known.size() > 1 && known[1] != nullptr;
            traced.numbers["pad"] = has_input ? known[1]->integers() : integers_of(node, "pads");
        } else if (type == "Gemm") {
            set_gemm(node, known, traced);
        } else if (type == "Dropout") {
            const bool trains =
                known.size() > 2 && known[2] != nullptr && known[2]->has_numbers() && known[2]->numbers[0] != 0;
            traced.op = trains ? TracedOp::dropout : TracedOp::same;
        } else {
            set_numbers(node, known, traced);
        }
        return traced;
    }

    static void set_gather(const OnnxNode& node, const OnnxInputs& known, TracedNode& traced) {
        if (known.size() < 2 || known[1] == nullptr) {
            return;
        }
        const bool is_table = known[0]->is_weight && known[0]->shape.size() == 2 && integer_of(node, "axis", 0) == 0;
        if (is_table && !known[1]->is_constant) {
            traced.op = TracedOp::embedding;
        } else if (!known[0]->is_constant && known[1]->has_numbers() && elements_of(known[1]->shape) == 1) {
            const auto rank = static_cast<std::int64_t>(known[0]->shape.size());
            const std::int64_t axis = integer_of(node, "axis", 0);
            traced.op = TracedOp::slice;
            traced.numbers["axis"] = {axis < 0 ? axis + rank : axis};
        }
    }

    /// Of the axes that a Slice names, only one may become shorter.
    static void set_slice(const OnnxNode& node, const OnnxInputs& known, const Shape& result, TracedNode& traced) {
        const Shape& from = known[0]->shape;
        std::vector<std::size_t> shorter;
        if (result.size() != from.size()) {
            traced.op = TracedOp::unknown;
            return;
        }
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (result[i] != from[i]) {
                shorter.push_back(i);
            }
        }
        if (shorter.empty()) {
            traced.op = TracedOp::same;
            return;
        }
        const Shape starts =
            known.size() > 1 && known[1] != nullptr ? known[1]->integers() : integers_of(node, "starts");
        const Shape steps = known.size() > 4 && known[4] != nullptr ? known[4]->integers() : Shape(starts.size(), 1);
        auto axes = axes_of(node, known, 3, from.size());
        for (std::size_t i = 0; i < starts.size(); ++i) {
            const std::size_t axis = axes && i < axes->size() ? static_cast<std::size_t>((*axes)[i]) : i;
            const bool is_plain = i < steps.size() && steps[i] == 1 && shorter.size() == 1;
            if (axis == shorter[0] && is_plain) {
                traced.op = TracedOp::slice;
                traced.numbers["axis"] = {static_cast<std::int64_t>(axis)};
            }
        }
    }

    static void set_gemm(const OnnxNode& node, const OnnxInputs& known, TracedNode& traced) {
        if (known.size() > 1 && known[1] != nullptr && known[1]->is_constant && integer_of(node, "transA", 0) == 0) {
            traced.op = TracedOp::linear;
            traced.numbers["transposed"] = {integer_of(node, "transB", 0) == 0 ? 1 : 0};
        }
    }

    static void set_numbers(const OnnxNode& node, const OnnxInputs& known, TracedNode& traced) {
        const Shape& x = known[0]->shape;
        const auto rank = static_cast<std::int64_t>(x.size());
        const auto from_start = [&](std::int64_t axis) { return axis < 0 ? axis + rank : axis; };
        if (traced.op == TracedOp::transpose) {
            Shape reversed;
            for (std::int64_t i = rank; i > 0; --i) {
                reversed.push_back(i - 1);
            }
            traced.numbers["axes"] = integers_of(node, "perm", reversed);
        } else if (traced.op == TracedOp::mean) {
            const auto axes = axes_of(node, known, 1, x.size());
            traced.numbers["axes"] = axes ? *axes : Shape();
        } else if (traced.op == TracedOp::concat || traced.op == TracedOp::split) {
            traced.numbers["axis"] = {from_start(integer_of(node, "axis", 0))};
        } else if (traced.op == TracedOp::softmax || traced.op == TracedOp::layer_norm ||
                   traced.op == TracedOp::rms_norm) {
            traced.numbers["axis"] = {from_start(integer_of(node, "axis", -1))};
        } else if (traced.op == TracedOp::local_response_norm) {
            traced.numbers["size"] = {integer_of(node, "size", 1)};
        } else if (traced.op == TracedOp::group_norm) {
            traced.numbers["groups"] = {integer_of(node, "num_groups", 1)};
        } else if (traced.op == TracedOp::lstm || traced.op == TracedOp::gru || traced.op == TracedOp::rnn) {
            traced.numbers["hidden"] = {integer_of(node, "hidden_size", 1)};
            traced.numbers["directions"] = {
                known.size() > 1 && known[1] != nullptr && !known[1]->shape.empty() ? known[1]->shape.front() : 1};
            traced.numbers["sequence_first"] = {integer_of(node, "layout", 0) == 0 ? 1 : 0};
        } else if (node.type == "GlobalMaxPool" && rank > 2) {
            traced.numbers["kernel"] = {x.begin() + 2, x.end()};
            traced.numbers["stride"] = Shape(x.size() - 2, 1);
            traced.numbers["pad"] = Shape(2 * (x.size() - 2), 0);
        } else {
            set_window(node, known, traced);
        }
    }

    static void set_window(const OnnxNode& node, const OnnxInputs& known, TracedNode& traced) {
        const bool is_conv = traced.op == TracedOp::conv || traced.op == TracedOp::conv_transpose;
        if (!is_conv && traced.op != TracedOp::max_pool && traced.op != TracedOp::average_pool) {
            return;
        }
        const Shape weight = is_conv && known.size() > 1 && known[1] != nullptr ? known[1]->shape : Shape();
        const auto window = window_of(node, known[0]->shape, weight);
        if (!window || (is_conv && weight.empty())) {
            traced.op = TracedOp::unknown;
            return;
        }
        traced.numbers["kernel"] = window->kernel;
        traced.numbers["stride"] = window->stride;
        traced.numbers["pad"] = window->pad;
        traced.numbers["dilation"] = window->dilation;
        traced.numbers["groups"] = {integer_of(node, "group", 1)};
        traced.numbers["ceil"] = {integer_of(node, "ceil_mode", 0)};
        traced.numbers["output_pad"] = integers_of(node, "output_padding", {0});
    }

    const OnnxGraph& graph_;
    const GivenExtents& given_;
    TracedGraph traced_;
    std::vector<OnnxKnown> known_;
    std::unordered_map<std::string, TensorId> ids_;
    std::unordered_map<std::string, const OnnxValue*> values_;
};

}  // namespace

TracedGraph traced_onnx(const OnnxGraph& graph, const Location& file, const GivenExtents& given) {
    return OnnxTracer(graph, file, given).run();
}

}  // namespace dodona::files
