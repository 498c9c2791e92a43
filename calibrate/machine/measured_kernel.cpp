#include "calibrate/machine/measured_kernel.hpp"

#include "base/check.hpp"
#include "graph/operators/attention_kernels.hpp"
#include "graph/operators/conv_kernels.hpp"

namespace dodona::calibrate {

namespace {

using graph::Direction;
using graph::Kernel;

/// The kernel of that direction.
Kernel of_direction(const graph::Work& work, Direction direction) {
    switch (direction) {
        case Direction::forward: return work.forward.front();
        case Direction::backward_input: return work.backward_input.front();
        case Direction::backward_weight: return work.backward_weight.front();
    }
    return {};
}

double product(const std::vector<std::int64_t>& extents) {
    double all = 1;
    for (const std::int64_t extent : extents) {
        all *= static_cast<double>(extent);
    }
    return all;
}

Kernel convolution(const Case& of) {
    const auto input = extents(of.word("input"));
    const auto window = extents(of.word("window"));
    const auto stride = extents(of.word("stride", "1"));
    const auto pad = extents(of.word("pad", "0"));
    const auto dilation = extents(of.word("dilation", "1"));
    const auto at = [](const std::vector<std::int64_t>& all, std::size_t i) {
        return i < all.size() ? all[i] : all[0];
    };
    double outputs = 1;
    int wide = 0;
    for (std::size_t i = 0; i < input.size(); ++i) {
        const std::int64_t span = at(dilation, i) * (at(window, i) - 1) + 1;
        const std::int64_t steps = (input[i] + 2 * at(pad, i) - span) / at(stride, i);  // what is left over is not read
        outputs *= static_cast<double>(steps + 1);
        wide += at(window, i) > 1 ? 1 : 0;
    }
    double area = 1;
    for (std::size_t i = 0; i < input.size(); ++i) {
        area *= static_cast<double>(at(window, i));
    }
    const double groups = of.number("groups", 1);
    return of_direction(graph::convolution({.positions = of.number("images") * outputs,
                                            .channels = of.number("channels") / groups,
                                            .filters = of.number("filters") / groups,
                                            .groups = groups,
                                            .window_area = area,
                                            .input_ratio = product(input) / outputs,
                                            .wide = wide}),
                        direction_of(of));
}

Kernel attention(const Case& of) {
    constexpr int kHead = 1, kQuery = 2, kKey = 3;  // the batch is loop 0
    graph::LocalExtents extents;
    extents.loops = {of.number("batch", 1), of.number("heads"), of.number("queries"), of.number("keys")};
    return of_direction(
        graph::fused_attention(extents, {.head = kHead,
                                         .query = kQuery,
                                         .key = kKey,
                                         .queries = of.number("queries"),
                                         .keys = of.number("keys"),
                                         .key_size = of.number("head"),
                                         .value_size = of.number("head"),
                                         .key_share = of.number("kv_heads", of.number("heads")) / of.number("heads"),
                                         .causal = of.number("causal") != 0}),
        direction_of(of));
}

Kernel pass(const Case& of, const char* moved, const char* flops, Direction direction) {
    Kernel kernel = graph::stream(0, 0, of.number(moved) * unit::byte);
    kernel.flops = of.number(flops) * unit::flop;
    kernel.direction = direction;
    return kernel;
}

/// The passes of an operator: two where one measured pass is both dX and dW.
std::vector<MeasuredKernel> passes(const Case& of, const MeasuredKernel& like) {
    MeasuredKernel first = like;
    first.kernel = pass(of, "moved", "flops", direction_of(of));
    first.exact = true;
    if (!of.has("weight_moved")) {
        return {first};
    }
    MeasuredKernel second = first;
    second.kernel = pass(of, "weight_moved", "weight_flops", Direction::backward_weight);
    const double share = of.number("moved") / (of.number("moved") + of.number("weight_moved"));
    first.time = share * like.time;
    second.time = (1 - share) * like.time;
    return {first, second};
}

}  // namespace

Precision precision_of(const Case& of) {
    const auto precision = precision_from(of.word("precision", "fp32"));
    check(precision.has_value(), "a case names a known precision");
    return *precision;
}

Direction direction_of(const Case& of) {
    const std::string word = of.word("direction", "forward");
    for (const Direction direction : {Direction::forward, Direction::backward_input, Direction::backward_weight}) {
        if (word == name(direction)) {
            return direction;
        }
    }
    check(word == "backward", "a case names a known direction");
    return Direction::backward_input;
}

std::vector<MeasuredKernel> measured_kernels(const Measurement& measurement) {
    const Case& of = measurement.of;
    if (measurement.time.samples == 0 || measurement.time.value() <= Seconds{}) {
        return {};
    }
    MeasuredKernel one{.kernel = {},
                       .precision = precision_of(of),
                       .time = measurement.time.value(),
                       .date = {},
                       .statistics = measurement.time};
    if (of.benchmark == "matmul") {
        one.kernel = graph::matmul(of.number("m"), of.number("n"), of.number("k"), of.number("batch", 1));
    } else if (of.benchmark == "convolution" && !of.has("algorithm")) {
        one.kernel = convolution(of);
    } else if (of.benchmark == "attention") {
        one.kernel = attention(of);
    } else if (of.benchmark == "recurrent") {
        one.kernel =
            graph::matmul(of.number("samples"), of.number("gates"), of.number("inputs"), of.number("cells", 1));
        one.kernel.kind = graph::KernelKind::recurrent;
    } else if (of.benchmark == "stream") {
        // Passes read and write: one-way traffic is quicker and says nothing about them.
        if (of.word("pattern") == "read" || of.word("pattern") == "write") {
            return {};
        }
        one.kernel = pass(of, "bytes", "flops", Direction::forward);
        one.precision = Precision::fp32;
        return {one};
    } else if (of.benchmark == "gather" && of.has("pooled")) {
        const double lookups = of.number("lookups");
        const double width = of.number("width");
        const bool forward = of.word("direction", "forward") == "forward";
        one.kernel = {
            .kind = graph::KernelKind::gather,
            .m = lookups,
            .n = width,
            .k = of.number("rows"),
            .fixed_bytes = (forward ? 4 : 8) * lookups * width * unit::byte,  // rows are read, and written back
            .pooled = true};
    } else if ((of.benchmark == "operator" || of.benchmark == "gather") && of.has("moved")) {
        std::vector<MeasuredKernel> all = passes(of, one);
        for (MeasuredKernel& each : all) {
            each.kernel.kind = of.benchmark == "gather" ? graph::KernelKind::gather : graph::KernelKind::stream;
        }
        return all;
    } else {
        return {};
    }
    one.kernel.direction = direction_of(of);
    if (of.has("moved")) {
        one.kernel.elements = 0;
        one.kernel.fixed_bytes = of.number("moved") * unit::byte;
        one.kernel.flops = of.number("flops") * unit::flop;
    }
    return {one};
}

}  // namespace dodona::calibrate
