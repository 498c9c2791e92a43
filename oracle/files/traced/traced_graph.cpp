#include "files/traced/traced_graph.hpp"

#include <fmt/format.h>

namespace dodona::files {

std::string in_words(const Shape& shape) {
    std::string text;
    for (const std::int64_t extent : shape) {
        text += fmt::format("{}{}", text.empty() ? "" : " x ", extent);
    }
    return text.empty() ? "a single number" : text;
}

std::int64_t elements_of(const Shape& shape) {
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) {
        if (__builtin_mul_overflow(product, extent, &product)) {
            return INT64_MAX;
        }
    }
    return product;
}

std::size_t needed_inputs(TracedOp op) {
    switch (op) {
        case TracedOp::where:
        case TracedOp::attention: return 3;
        case TracedOp::conv:
        case TracedOp::conv_transpose:
        case TracedOp::linear:
        case TracedOp::matmul:
        case TracedOp::embedding:
        case TracedOp::add:
        case TracedOp::subtract:
        case TracedOp::multiply:
        case TracedOp::divide:
        case TracedOp::power: return 2;
        default: return 1;
    }
}

void refuse(const TracedGraph& graph, const TracedNode& node, const std::string& what, const std::string& help) {
    fail(graph.where, fmt::format("node \"{}\" ({}): {}", node.name, node.type, what), help);
}

}  // namespace dodona::files
