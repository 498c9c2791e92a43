#include "files/traced/well_formed.hpp"

#include <algorithm>
#include <cstddef>

#include "base/ranges.hpp"

namespace dodona::files {

namespace {

constexpr std::int64_t kMaxAxisExtent = 1'000'000'000;

class NodeCheck {
public:
    NodeCheck(const TracedGraph& graph, const TracedNode& node) : graph_(graph), node_(node) {}

    [[nodiscard]] bool holds() const {
        if (node_.outputs.empty() ||
            !has_inputs(node_.op == TracedOp::concat ? node_.inputs.size() : needed_inputs(node_.op))) {
            return false;
        }
        const std::size_t rank = shape(0).size();
        const std::size_t to = result().size();
        switch (node_.op) {
            case TracedOp::unknown:
            case TracedOp::reshape:
            case TracedOp::expand: return true;
            case TracedOp::transpose: return to == rank && is_permutation(numbers("axes"), rank);
            case TracedOp::slice: return has_axis(rank) && (to == rank || to + 1 == rank);
            case TracedOp::split: return has_axis(rank);
            case TracedOp::concat: return has_axis(to) && are_of_rank(to);
            case TracedOp::softmax:
            case TracedOp::layer_norm:
            case TracedOp::rms_norm: return has_axis(rank) && keeps_shape();
            case TracedOp::mean: return has_axes(rank);
            case TracedOp::pad: return numbers("pad").size() == 2 * rank;
            case TracedOp::conv:
            case TracedOp::conv_transpose:
                return rank > 2 && to == rank && shape(1).size() == rank && has_window(rank) && number("groups", 1);
            case TracedOp::max_pool:
            case TracedOp::average_pool: return rank > 2 && to == rank && has_window(rank);
            case TracedOp::global_pool: return rank > 2;
            case TracedOp::batch_norm:
            case TracedOp::instance_norm: return rank > 2 && keeps_shape();
            case TracedOp::group_norm: return rank > 2 && keeps_shape() && number("groups", 1);
            case TracedOp::local_response_norm: return rank > 2 && keeps_shape() && number("size", 1);
            case TracedOp::linear: return rank > 0 && to == rank && shape(1).size() == 2;
            case TracedOp::matmul: return rank > 0 && !shape(1).empty();
            case TracedOp::attention: return rank > 2 && shape(1).size() > 2 && shape(2).size() > 2;
            case TracedOp::embedding: return rank == 2;
            case TracedOp::lstm:
            case TracedOp::gru:
            case TracedOp::rnn:
                return rank == 3 && number("hidden", 1) && number("layers", 1) && number("directions", 1) &&
                       node_.number("directions", 1) <= 2;
            case TracedOp::add:
            case TracedOp::subtract:
            case TracedOp::multiply:
            case TracedOp::divide:
            case TracedOp::power: return to == std::max(rank, shape(1).size());
            case TracedOp::where: return to == std::max({rank, shape(1).size(), shape(2).size()});
            default: return keeps_shape();
        }
    }

private:
    [[nodiscard]] const Shape& shape(std::size_t input) const { return graph_.shape(node_.inputs[input]); }
    [[nodiscard]] const Shape& result() const { return graph_.shape(node_.outputs[0]); }

    [[nodiscard]] Shape numbers(const std::string& key) const {
        const auto found = node_.numbers.find(key);
        return found == node_.numbers.end() ? Shape() : found->second;
    }

    [[nodiscard]] bool keeps_shape() const { return result() == shape(0); }

    /// Those that the operator needs are there.
    [[nodiscard]] bool has_inputs(std::size_t count) const {
        return count > 0 && node_.inputs.size() >= count &&
               std::none_of(node_.inputs.begin(), node_.inputs.begin() + static_cast<std::ptrdiff_t>(count),
                            [](TensorId id) { return id == kNoTensor; });
    }

    [[nodiscard]] bool are_of_rank(std::size_t rank) const {
        return all_of(node_.inputs, [&](TensorId id) { return graph_.shape(id).size() == rank; });
    }

    /// The number is 1 at least, also where it is left out.
    [[nodiscard]] bool number(const std::string& key, std::int64_t usual) const {
        const std::int64_t given = node_.number(key, usual);
        return given >= 1 && given <= kMaxAxisExtent;
    }

    [[nodiscard]] bool has_axis(std::size_t rank) const {
        const std::int64_t axis = node_.number("axis", static_cast<std::int64_t>(rank) - 1);
        return axis >= 0 && axis < static_cast<std::int64_t>(rank);
    }

    [[nodiscard]] bool has_axes(std::size_t rank) const {
        const auto count = static_cast<std::int64_t>(rank);
        const Shape axes = numbers("axes");
        return std::all_of(axes.begin(), axes.end(), [&](std::int64_t axis) { return axis >= -count && axis < count; });
    }

    static bool is_permutation(Shape axes, std::size_t rank) {
        std::sort(axes.begin(), axes.end());
        for (std::size_t i = 0; i < axes.size(); ++i) {
            if (axes[i] != static_cast<std::int64_t>(i)) {
                return false;
            }
        }
        return axes.size() == rank;
    }

    /// Numbers for each axis that a window moves along.
    [[nodiscard]] bool has_window(std::size_t rank) const {
        const std::size_t count = rank - 2;
        const auto are = [](const Shape& numbers, std::size_t size, std::int64_t least) {
            return numbers.size() == size && std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t number) {
                       return number >= least && number <= kMaxAxisExtent;
                   });
        };
        const Shape dilation = numbers("dilation");
        return are(numbers("kernel"), count, 1) && are(numbers("stride"), count, 1) &&
               are(numbers("pad"), 2 * count, -kMaxAxisExtent) && (dilation.empty() || are(dilation, count, 1));
    }

    const TracedGraph& graph_;
    const TracedNode& node_;
};

}  // namespace

TracedGraph with_well_formed_nodes(TracedGraph graph) {
    for (TracedNode& node : graph.nodes) {
        if (!NodeCheck(graph, node).holds()) {
            node.op = TracedOp::unknown;
        }
    }
    return graph;
}

}  // namespace dodona::files
