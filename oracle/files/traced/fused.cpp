#include "files/traced/fused.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ranges.hpp"

namespace dodona::files {

namespace {

constexpr int kMaxSteps = 10;              ///< of an operator that was taken apart, one after the other
constexpr std::size_t kMaxAncestors = 64;  ///< of a mask that are looked at

/// Finds groups by their last node and writes the operator there; what only the group needed is left over.
class Fusion {
public:
    explicit Fusion(TracedGraph graph) : graph_(std::move(graph)) {}

    TracedGraph run() {
        drop_copies();
        each([&](TracedNode& node) { find_padding(node); });
        each([&](TracedNode& node) { find_norm(node); });
        each([&](TracedNode& node) { find_scale(node); });
        each([&](TracedNode& node) { find_norm_bias(node); });
        each([&](TracedNode& node) { find_activation(node); });
        each([&](TracedNode& node) { find_linear(node); });
        each([&](TracedNode& node) { find_linear_bias(node); });
        each([&](TracedNode& node) { find_rotary(node); });
        find_attention();
        drop_unused();
        each([&](TracedNode& node) { find_gated(node); });
        drop_unused();
        return std::move(graph_);
    }

private:
    template <typename Find>
    void each(const Find& find) {
        index();
        for (TracedNode& node : graph_.nodes) {
            find(node);
        }
    }

    void index() {
        producer_.assign(graph_.tensors.size(), nullptr);
        uses_.assign(graph_.tensors.size(), 0);
        for (TracedNode& node : graph_.nodes) {
            for (const TensorId output : node.outputs) {
                producer_[output] = &node;
            }
            for (const TensorId input : node.inputs) {
                uses_[input == kNoTensor ? 0 : input] += input == kNoTensor ? 0 : 1;
            }
        }
        for (const TensorId output : graph_.outputs) {
            ++uses_[output];
        }
    }

    void drop_copies() {
        std::vector<TensorId> is(graph_.tensors.size());
        for (TensorId id = 0; id < is.size(); ++id) {
            is[id] = id;
        }
        std::vector<TracedNode> kept;
        for (TracedNode& node : graph_.nodes) {
            for (TensorId& input : node.inputs) {
                input = input == kNoTensor ? input : is[input];
            }
            if (node.op == TracedOp::same) {
                is[node.outputs[0]] = node.inputs[0];
            } else {
                kept.push_back(std::move(node));
            }
        }
        graph_.nodes = std::move(kept);
        for (TensorId& output : graph_.outputs) {
            output = is[output];
        }
    }

    void drop_unused() {
        std::vector<bool> needed(graph_.tensors.size(), false);
        for (const TensorId output : graph_.outputs) {
            needed[output] = true;
        }
        std::vector<TracedNode> kept;
        for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
            const bool is_needed = any_of(node->outputs, [&](TensorId output) { return needed[output]; });
            if (is_needed) {
                for (const TensorId input : node->inputs) {
                    needed[input == kNoTensor ? node->outputs[0] : input] = true;
                }
                kept.push_back(std::move(*node));
            }
        }
        std::reverse(kept.begin(), kept.end());
        graph_.nodes = std::move(kept);
    }

    /// The node that writes a tensor, if it is of this kind.
    [[nodiscard]] TracedNode* written_by(TensorId id, TracedOp op) const {
        TracedNode* node = id == kNoTensor ? nullptr : producer_[id];
        return node != nullptr && node->op == op ? node : nullptr;
    }

    /// The operand beside a constant one.
    [[nodiscard]] std::optional<TensorId> varying(const TracedNode& node) const {
        const auto& inputs = node.inputs;
        const auto is_left_out = [](TensorId id) { return id == kNoTensor; };
        if (inputs.empty() || inputs.size() > 2 || std::any_of(inputs.begin(), inputs.end(), is_left_out)) {
            return std::nullopt;
        }
        if (inputs.size() == 1 || graph_.is_constant(inputs[1])) {
            return inputs[0];
        }
        return graph_.is_constant(inputs[0]) ? std::optional(inputs[1]) : std::nullopt;
    }

    static void become(TracedNode& node, TracedOp op, std::vector<TensorId> inputs) {
        node.op = op;
        node.inputs = std::move(inputs);
        node.numbers.clear();
        node.is_fused = true;
    }

    // Padding before a window.

    void find_padding(TracedNode& node) const {
        const bool has_window =
            node.op == TracedOp::conv || node.op == TracedOp::max_pool || node.op == TracedOp::average_pool;
        const TracedNode* pad = has_window ? written_by(node.inputs[0], TracedOp::pad) : nullptr;
        if (pad == nullptr) {
            return;
        }
        const std::vector<std::int64_t>& around = pad->numbers.at("pad");
        std::vector<std::int64_t>& own = node.numbers["pad"];
        const std::size_t rank = own.size() / 2 + 2;
        if (around.size() != 2 * rank || around[0] + around[1] + around[rank] + around[rank + 1] != 0) {
            return;
        }
        for (std::size_t i = 0; i + 2 < rank; ++i) {
            own[i] += around[i + 2];
            own[i + rank - 2] += around[i + 2 + rank];
        }
        node.inputs[0] = pad->inputs[0];
    }

    // Norms: d = x - mean(x), y = d / sqrt(mean(d^2) + e); without the mean of x, of x itself.

    [[nodiscard]] bool is_mean_of_last(const TracedNode& node) const {
        const auto axes = node.numbers.find("axes");
        const auto rank = static_cast<std::int64_t>(graph_.shape(node.inputs[0]).size());
        return axes != node.numbers.end() && axes->second.size() == 1 &&
               (axes->second[0] == rank - 1 || axes->second[0] == -1);
    }

    /// x of sqrt(mean(x^2) + e).
    [[nodiscard]] std::optional<TensorId> under_root(TensorId root) const {
        const TracedNode* sum = written_by(root, TracedOp::add);
        const auto of_sum = sum == nullptr ? std::nullopt : varying(*sum);
        const TracedNode* mean = of_sum ? written_by(*of_sum, TracedOp::mean) : nullptr;
        if (mean == nullptr || !is_mean_of_last(*mean)) {
            return std::nullopt;
        }
        if (const TracedNode* power = written_by(mean->inputs[0], TracedOp::power)) {
            return power->inputs[0];
        }
        const TracedNode* square = written_by(mean->inputs[0], TracedOp::multiply);
        const bool is_square = square != nullptr && square->inputs[0] == square->inputs[1];
        return is_square ? std::optional(square->inputs[0]) : std::nullopt;
    }

    /// x of 1 / sqrt(mean(x^2) + e), where the node divides by the root or multiplies with its reciprocal.
    [[nodiscard]] std::optional<TensorId> scaled_by(TensorId factor) const {
        if (const TracedNode* root = written_by(factor, TracedOp::reciprocal_root)) {
            return under_root(root->inputs[0]);
        }
        const TracedNode* reciprocal = written_by(factor, TracedOp::reciprocal);
        const TracedNode* quotient = written_by(factor, TracedOp::divide);
        const TensorId under = reciprocal != nullptr                                            ? reciprocal->inputs[0]
                               : quotient != nullptr && graph_.is_constant(quotient->inputs[0]) ? quotient->inputs[1]
                                                                                                : kNoTensor;
        const TracedNode* root = written_by(under, TracedOp::square_root);
        return root == nullptr ? std::nullopt : under_root(root->inputs[0]);
    }

    /// x of x - mean(x).
    [[nodiscard]] std::optional<TensorId> centred(TensorId id) const {
        const TracedNode* difference = written_by(id, TracedOp::subtract);
        const TracedNode* mean = difference == nullptr ? nullptr : written_by(difference->inputs[1], TracedOp::mean);
        const bool is_own = mean != nullptr && mean->inputs[0] == difference->inputs[0] && is_mean_of_last(*mean);
        return is_own ? std::optional(difference->inputs[0]) : std::nullopt;
    }

    void find_norm(TracedNode& node) {
        if (node.inputs.size() != 2) {
            return;
        }
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            const TensorId x = node.inputs[side];
            const TensorId factor = node.inputs[1 - side];
            std::optional<TensorId> of;
            if (node.op == TracedOp::multiply) {
                of = scaled_by(factor);
            } else if (node.op == TracedOp::divide && side == 0) {
                const TracedNode* root = written_by(factor, TracedOp::square_root);
                of = root == nullptr ? std::nullopt : under_root(root->inputs[0]);
            }
            if (!of) {
                continue;
            }
            const auto whole = centred(x);
            const auto same = centred(*of);
            if (whole && (*of == x || (same && *same == *whole))) {
                become(node, TracedOp::layer_norm, {*whole});
                return;
            }
            if (*of == x) {
                become(node, TracedOp::rms_norm, {x});
                return;
            }
        }
    }

    /// The norm and the constant that a node joins: a vector as long as the last axis.
    [[nodiscard]] std::pair<TracedNode*, TensorId> norm_and_vector(const TracedNode& node) const {
        const auto x = node.inputs.size() == 2 ? varying(node) : std::nullopt;
        TracedNode* norm = x ? producer_[*x] : nullptr;
        const bool is_norm = norm != nullptr && (norm->op == TracedOp::layer_norm || norm->op == TracedOp::rms_norm);
        if (!is_norm || uses_[*x] != 1) {
            return {nullptr, kNoTensor};
        }
        const TensorId other = node.inputs[node.inputs[0] == *x ? 1 : 0];
        const bool is_vector = elements_of(graph_.shape(other)) == graph_.shape(*x).back();
        return {is_vector ? norm : nullptr, other};
    }

    void find_scale(TracedNode& node) {
        const auto [norm, scale] = norm_and_vector(node);
        if (node.op == TracedOp::multiply && norm != nullptr && norm->inputs.size() == 1) {
            become(node, norm->op, {norm->inputs[0], scale});
        }
    }

    void find_norm_bias(TracedNode& node) {
        const auto [norm, bias] = norm_and_vector(node);
        if (node.op == TracedOp::add && norm != nullptr && norm->op == TracedOp::layer_norm &&
            norm->inputs.size() == 2) {
            become(node, TracedOp::layer_norm, {norm->inputs[0], norm->inputs[1], bias});
        }
    }

    // Activations: x * f(x), where f is the normal distribution (by erf or tanh) or the logistic function.

    /// Whether a tensor is x, or computed from x and constants one number at a time; which function does it.
    [[nodiscard]] bool is_of(TensorId id, TensorId x, int steps, std::optional<TracedOp>& function) const {
        if (id == x || graph_.is_constant(id)) {
            return id == x || graph_.tensors[id].weights <= 1;
        }
        const TracedNode* node = producer_[id];
        if (node == nullptr || steps == 0) {
            return false;
        }
        switch (node->op) {
            case TracedOp::error_function:
            case TracedOp::tanh:
            case TracedOp::sigmoid: function = node->op; break;
            case TracedOp::add:
            case TracedOp::subtract:
            case TracedOp::multiply:
            case TracedOp::divide:
            case TracedOp::power: break;
            default: return false;
        }
        return all_of(node->inputs, [&](TensorId input) { return is_of(input, x, steps - 1, function); });
    }

    void find_activation(TracedNode& node) {
        if (node.op != TracedOp::multiply || node.inputs.size() != 2 || graph_.is_constant(node.inputs[0]) ||
            graph_.is_constant(node.inputs[1])) {
            return;
        }
        std::vector<TensorId> candidates = node.inputs;  // x itself, or a multiple of it
        for (const TensorId input : node.inputs) {
            const TracedNode* factor = written_by(input, TracedOp::multiply);
            if (const auto x = factor == nullptr ? std::nullopt : varying(*factor)) {
                candidates.push_back(*x);
            }
        }
        for (const TensorId x : candidates) {
            std::optional<TracedOp> function;
            if (is_of(node.inputs[0], x, kMaxSteps, function) && is_of(node.inputs[1], x, kMaxSteps, function) &&
                function) {
                become(node, *function == TracedOp::sigmoid ? TracedOp::silu : TracedOp::gelu, {x});
                return;
            }
        }
    }

    void find_gated(TracedNode& node) {
        if (node.op != TracedOp::multiply || node.inputs.size() != 2 ||
            graph_.shape(node.inputs[0]) != graph_.shape(node.inputs[1]) || graph_.shape(node.inputs[0]).size() > 3) {
            return;
        }
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            const TracedNode* gate = producer_[node.inputs[side]];
            const bool is_gate = gate != nullptr && uses_[node.inputs[side]] == 1 &&
                                 (gate->op == TracedOp::silu || gate->op == TracedOp::gelu ||
                                  gate->op == TracedOp::relu || gate->op == TracedOp::sigmoid);
            if (is_gate && !graph_.is_constant(node.inputs[1 - side])) {
                const auto activation = static_cast<std::int64_t>(gate->op);
                become(node, TracedOp::gated, {gate->inputs[0], node.inputs[1 - side]});
                node.numbers["activation"] = {activation};
                return;
            }
        }
    }

    // Products with weights.

    void find_linear(TracedNode& node) {
        if (node.op == TracedOp::matmul && node.inputs.size() == 2 && !graph_.is_constant(node.inputs[0]) &&
            graph_.is_constant(node.inputs[1]) && graph_.shape(node.inputs[1]).size() == 2) {
            become(node, TracedOp::linear, {node.inputs[0], node.inputs[1]});
            node.numbers["transposed"] = {1};
        }
    }

    /// The product without a bias that a tensor is, also behind reshapes that keep its last axis; nothing else reads it.
    [[nodiscard]] TracedNode* bare_product(TensorId id) const {
        TracedNode* node = id == kNoTensor || uses_[id] != 1 ? nullptr : producer_[id];
        while (node != nullptr && node->op == TracedOp::reshape) {
            const TensorId from = node->inputs[0];
            const bool keeps_last = !graph_.shape(from).empty() && !graph_.shape(node->outputs[0]).empty() &&
                                    graph_.shape(from).back() == graph_.shape(node->outputs[0]).back();
            node = keeps_last && uses_[from] == 1 ? producer_[from] : nullptr;
        }
        return node != nullptr && node->op == TracedOp::linear && node->inputs.size() == 2 ? node : nullptr;
    }

    void find_linear_bias(TracedNode& node) {
        const auto x = node.op == TracedOp::add && node.inputs.size() == 2 ? varying(node) : std::nullopt;
        TracedNode* linear = x ? bare_product(*x) : nullptr;
        if (linear == nullptr) {
            return;
        }
        const TensorId bias = node.inputs[node.inputs[0] == *x ? 1 : 0];
        if (elements_of(graph_.shape(bias)) == graph_.shape(*x).back() && graph_.tensors[bias].weights > 0) {
            linear->inputs.push_back(bias);
            become(node, TracedOp::reshape, {*x});
        }
    }

    // Rotary positions: x cos + rotated(x) sin, where half of x changes its sign and both halves change places.

    [[nodiscard]] bool is_rotated(TensorId id, TensorId x) const {
        const TracedNode* halves = written_by(id, TracedOp::concat);
        if (halves == nullptr || halves->inputs.size() != 2) {
            return false;
        }
        const TracedNode* negative = written_by(halves->inputs[0], TracedOp::negate);
        const auto is_half = [&](TensorId half) {
            const TracedNode* part = half == kNoTensor ? nullptr : producer_[half];
            return part != nullptr && (part->op == TracedOp::slice || part->op == TracedOp::split) &&
                   part->inputs[0] == x;
        };
        return negative != nullptr && is_half(negative->inputs[0]) && is_half(halves->inputs[1]);
    }

    void find_rotary(TracedNode& node) {
        if (node.op != TracedOp::add || node.inputs.size() != 2) {
            return;
        }
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            const TracedNode* plain = written_by(node.inputs[side], TracedOp::multiply);
            const TracedNode* turned = written_by(node.inputs[1 - side], TracedOp::multiply);
            if (plain == nullptr || turned == nullptr) {
                return;
            }
            for (const TensorId x : plain->inputs) {
                if (is_rotated(turned->inputs[0], x) || is_rotated(turned->inputs[1], x)) {
                    become(node, TracedOp::rotary, {x});
                    return;
                }
            }
        }
    }

    // Attention: softmax(mask(scale(Q K^T))) V.

    /// The product that scores come from, through scales and masks.
    [[nodiscard]] TracedNode* scores(TensorId id, int steps, bool& causal) {
        TracedNode* node = producer_[id];
        if (node == nullptr || steps == 0) {
            return nullptr;
        }
        if (node->op == TracedOp::matmul) {
            return node;
        }
        const bool is_mask = node->op == TracedOp::add || node->op == TracedOp::subtract || node->op == TracedOp::where;
        if (!is_mask && node->op != TracedOp::multiply && node->op != TracedOp::divide &&
            node->op != TracedOp::reshape) {
            return nullptr;
        }
        TracedNode* found = nullptr;
        for (const TensorId input : node->inputs) {
            bool of_input = false;
            if (found == nullptr && !graph_.is_constant(input)) {
                found = scores(input, steps - 1, of_input);
                causal = causal || of_input;
                if (found != nullptr) {
                    continue;
                }
            }
            if (node->op == TracedOp::add && graph_.tensors[input].weights > 1) {
                refuse(graph_, *node, "attention with learned scores of positions is not modelled");
            }
            causal = causal || (is_mask && hides_later(input));
        }
        return found;
    }

    /// Whether a mask is made of one that hides later positions: known to be a triangle, or a square of constants.
    [[nodiscard]] bool hides_later(TensorId mask) const {
        std::vector<TensorId> open{mask};
        for (std::size_t at = 0; at < open.size() && open.size() < kMaxAncestors; ++at) {
            const TracedTensor& tensor = graph_.tensors[open[at]];
            const std::size_t rank = tensor.shape.size();
            const bool is_square = rank > 1 && tensor.shape[rank - 1] == tensor.shape[rank - 2] &&
                                   tensor.shape[rank - 1] > 1 && tensor.weights == 0;
            if (tensor.is_constant && (tensor.is_triangle || is_square)) {
                return true;
            }
            if (const TracedNode* node = producer_[open[at]]) {
                std::copy_if(node->inputs.begin(), node->inputs.end(), std::back_inserter(open),
                             [](TensorId input) { return input != kNoTensor; });
            }
        }
        return false;
    }

    /// The product with the values that reads this softmax.
    [[nodiscard]] TracedNode* weighted_sum(TensorId probabilities, int steps) {
        for (TracedNode& node : graph_.nodes) {
            const bool reads = std::find(node.inputs.begin(), node.inputs.end(), probabilities) != node.inputs.end();
            if (!reads || steps == 0) {
                continue;
            }
            if (node.op == TracedOp::matmul && node.inputs[0] == probabilities) {
                return &node;
            }
            if (node.op == TracedOp::dropout || node.op == TracedOp::where || node.op == TracedOp::reshape) {
                return weighted_sum(node.outputs[0], steps - 1);
            }
        }
        return nullptr;
    }

    void find_attention() {
        index();
        for (TracedNode& softmax : graph_.nodes) {
            if (softmax.op != TracedOp::softmax) {
                continue;
            }
            bool causal = false;
            TracedNode* product = scores(softmax.inputs[0], kMaxSteps, causal);
            TracedNode* sum = product == nullptr ? nullptr : weighted_sum(softmax.outputs[0], kMaxSteps);
            if (sum == nullptr) {
                continue;
            }
            become(*sum, TracedOp::attention, {product->inputs[0], product->inputs[1], sum->inputs[1]});
            sum->numbers["causal"] = {causal ? 1 : 0};
            sum->numbers["transposed"] = {1};
        }
    }

    TracedGraph graph_;
    std::vector<TracedNode*> producer_;  ///< of each tensor
    std::vector<int> uses_;              ///< of each tensor
};

}  // namespace

TracedGraph fused(TracedGraph graph) { return Fusion(std::move(graph)).run(); }

}  // namespace dodona::files
