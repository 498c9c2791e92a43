#include "files/curves.hpp"

#include "base/ranges.hpp"

namespace dodona::files {

namespace {

using cluster::CollectiveCurve;
using cluster::CompressionCurve;
using cluster::ConvolutionCurve;
using cluster::KernelCurve;
using cluster::KernelPoint;

const Description& product_point() {
    static const Description described{
        .noun = "point of a product",
        .summary =
            "One measured kernel with extents: a product of (m x k) and (k x n), `batch` times. Of attention: m "
            "queries, n keys, heads of k features, batch x heads.",
        .keys = {required<&KernelPoint::m>("m", "Rows of the result.", {.range = kPositive}),
                 required<&KernelPoint::n>("n", "Columns of the result.", {.range = kPositive}),
                 required<&KernelPoint::k>("k", "Contracted extent.", {.range = kPositive}),
                 optional<&KernelPoint::batch>("batch", "Products side by side.", {.range = kPositive}),
                 optional<&KernelPoint::bytes>(
                     "bytes", "Moved in device memory, where that is not each operand and the result once.",
                     {.range = kPositive, .default_text = "operands and result once"}),
                 optional<&KernelPoint::flops>("flops", "Operations, where they are not those of the extents.",
                                               {.range = kPositive, .default_text = "2 m n k batch"}),
                 required<&KernelPoint::time>("time", "Of one kernel on the device.", {.range = kPositive})},
        .one_line = true,
        .defaults = default_of<KernelPoint>};
    return described;
}

const Description& pass_point() {
    static const Description described{
        .noun = "point of a pass",
        .summary = "One measured pass over memory.",
        .keys = {required<&KernelPoint::bytes>("bytes", "Moved in device memory.", {.range = kPositive}),
                 optional<&KernelPoint::flops>("flops", "Operations.", {.range = kPositive, .default_text = "any"}),
                 required<&KernelPoint::time>("time", "Of one kernel on the device.", {.range = kPositive})},
        .one_line = true,
        .defaults = default_of<KernelPoint>};
    return described;
}

Key points(const Description& (*of)(), Condition only) {
    return required_as<&KernelCurve::points>(list_type<KernelPoint>(record_type(of), {.none = "no points"}), "points",
                                             "Measured points, in any order.",
                                             {.help = "a list of measured points", .only = std::move(only)});
}

constexpr const char* kHeldOut =
    "90th percentile of |predicted - measured| / measured, of measurements kept out of the points. It becomes the "
    "interval of predictions between them.";

void check_collective_curve(Fields& fields, CollectiveCurve& curve, const Reading& /*reading*/) {
    const Value per_node = fields.find("ranks_per_node");
    if (!per_node) {
        curve.ranks_per_node = curve.ranks;
    } else if (curve.ranks_per_node > curve.ranks) {
        per_node.error(fmt::format("{} ranks of a node, of {} in all", curve.ranks_per_node, curve.ranks));
    }
    const std::vector<Value> points =
        fields.find("points").is_list() ? fields.find("points").list() : std::vector<Value>{};
    for (std::size_t i = 1; i < points.size(); ++i) {
        const Value size = points[i].is_mapping() ? Fields(points[i]).find("size") : Value();
        if (size && curve.points[i].size <= curve.points[i - 1].size) {
            size.error("no larger than the one before", "the sizes of a curve ascend");
        }
    }
}

const Description& convolution_point() {
    using Point = ConvolutionCurve::Point;
    static const Description described{
        .noun = "point of a convolution",
        .summary = "One measured convolution of two dimensions.",
        .keys = {required<&Point::samples>("samples", "Of one pass.", {.range = kPositive}),
                 optional<&Point::groups>("groups", "Of channels, each with filters of its own.", {.range = kPositive}),
                 required<&Point::channels>("channels", "Of all groups.", {.range = kPositive}),
                 required<&Point::filters>("filters", "Of all groups.", {.range = kPositive}),
                 required<&Point::height>("height", "Of the input, with its padding.", {.range = kPositive}),
                 required<&Point::width>("width", "Of the input, with its padding.", {.range = kPositive}),
                 required<&Point::rows>("rows", "Of the output.", {.range = kPositive}),
                 required<&Point::columns>("columns", "Of the output.", {.range = kPositive}),
                 required<&Point::kernel_height>("kernel_height", "Of the window.", {.range = kPositive}),
                 required<&Point::kernel_width>("kernel_width", "Of the window.", {.range = kPositive}),
                 optional<&Point::workspace>("workspace", "Memory that the algorithm needs beside the operands.",
                                             {.range = kNotNegative, .default_text = "none"}),
                 required<&Point::time>("time", "Of the pass.", {.range = kPositive})},
        .one_line = true,
        .defaults = default_of<Point>};
    return described;
}

/// Layers that no other algorithm fits run by implicit-gemm: it has no workspace.
void check_convolution_curve(Fields& fields, ConvolutionCurve& curve, const Reading& /*reading*/) {
    const Value points = fields.find("points");
    for (std::size_t i = 0; points && points.is_list() && i < curve.points.size(); ++i) {
        const Value point = points.list()[i];
        const Value workspace = point.is_mapping() ? Fields(point).find("workspace") : Value();
        if (workspace && curve.algorithm == cluster::ConvolutionAlgorithm::implicit_gemm &&
            curve.points[i].workspace > Bytes{}) {
            workspace.error("implicit-gemm has no workspace", "leave it out, or name the algorithm that needs it");
        }
    }
}

const Description& compression_point() {
    static const Description described{
        .noun = "point of a compression",
        .summary = "One measured buffer.",
        .keys = {required<&CompressionCurve::Point::bytes>(
                     "bytes", "That the kernels move, without error feedback. They ascend.", {.range = kPositive}),
                 required<&CompressionCurve::Point::time>("time", "Of compressing and of taking apart.",
                                                          {.range = kPositive})},
        .one_line = true,
        .defaults = default_of<CompressionCurve::Point>};
    return described;
}

void check_compression_curve(Fields& fields, CompressionCurve& curve, const Reading& /*reading*/) {
    const std::vector<Value> points =
        fields.find("points").is_list() ? fields.find("points").list() : std::vector<Value>{};
    for (std::size_t i = 1; i < points.size(); ++i) {
        const Value bytes = points[i].is_mapping() ? Fields(points[i]).find("bytes") : Value();
        if (bytes && curve.points[i].bytes <= curve.points[i - 1].bytes) {
            bytes.error("no more than the one before", "the bytes of a curve ascend");
        }
    }
}

const Description& collective_point() {
    static const Description described{
        .noun = "point of a collective",
        .summary = "One measured message size.",
        .keys = {required<&CollectiveCurve::Point::size>(
                     "size", "The full buffer; of an all-gather, its result. Sizes ascend.", {.range = kPositive}),
                 required<&CollectiveCurve::Point::time>("time", "Of one collective.", {.range = kPositive})},
        .one_line = true,
        .defaults = default_of<CollectiveCurve::Point>};
    return described;
}

Description collective_curve(std::string noun, Key ranks_per_node) {
    std::vector<Key> keys{
        required<&CollectiveCurve::collective>("collective", "The collective."),
        required<&CollectiveCurve::ranks>("ranks", "Ranks that take part.", {.range = at_least(2)}),
        std::move(ranks_per_node),
        optional<&CollectiveCurve::held_out_error>("held_out_error", kHeldOut, {.range = kNotNegative})};
    keys = joined(std::move(keys), provenance_keys<&CollectiveCurve::provenance>());
    keys.push_back(required_as<&CollectiveCurve::points>(
        list_type<CollectiveCurve::Point>(record_type(collective_point), {.none = "no points"}), "points",
        "Measured points.", {.help = "a list of measured points"}));
    return {.noun = std::move(noun),
            .summary = "A measured collective: its time over the message size, interpolated in log space.",
            .keys = std::move(keys),
            .check = checked<CollectiveCurve, check_collective_curve>,
            .defaults = default_of<CollectiveCurve>};
}

bool has_all_ranks_in_a_node(const CollectiveCurve& curve) { return curve.ranks_per_node == curve.ranks; }

Condition kernels_of(std::initializer_list<graph::KernelKind> kinds) {
    Condition condition{"kernel", {}};
    append(condition.values, kinds, [](const graph::KernelKind kind) { return name(kind); });
    return condition;
}

}  // namespace

Condition products() {
    return kernels_of({graph::KernelKind::matmul, graph::KernelKind::convolution, graph::KernelKind::attention,
                       graph::KernelKind::recurrent});
}
Condition passes() { return kernels_of({graph::KernelKind::stream, graph::KernelKind::gather}); }

template <>
const Description& description<KernelCurve>() {
    static const Description described{
        .noun = "curve",
        .summary = "Measured kernels of one kind. Between the points their efficiency is interpolated in log space.",
        .keys = joined(
            joined({required<&KernelCurve::kind>("kernel", "Kind of the kernels."),
                    required<&KernelCurve::precision>("precision", "Precision of the operands.", {.only = products()}),
                    optional<&KernelCurve::precision>("precision", "Of no effect: such kernels have no precision.",
                                                      {.only = passes()}),
                    optional<&KernelCurve::direction>("direction", "The only pass that the points are of.",
                                                      {.default_text = "any"}),
                    optional<&KernelCurve::exact>("exact",
                                                  "Answer only for passes with exactly the bytes and operations of a "
                                                  "point, and nothing in between.",
                                                  {.only = passes()}),
                    optional<&KernelCurve::held_out_error>("held_out_error", kHeldOut, {.range = kNotNegative}),
                    optional<&KernelCurve::doubt>(
                        "doubt", "Why its times may be wrong, as measuring them showed; answers repeat it.")},
                   provenance_keys<&KernelCurve::provenance>()),
            {points(product_point, products()), points(pass_point, passes())}),
        .defaults = default_of<KernelCurve>};
    return described;
}

template <>
const Description& description<ConvolutionCurve>() {
    static const Description described{
        .noun = "convolution curve",
        .summary =
            "Measured convolutions by one algorithm, of one pass. `dodona largest --convolutions` chooses with them: "
            "between points of one layer, which differ in samples, their time is interpolated in log space, beyond "
            "them their rate stays; other layers take the formula, scaled by what the nearest points take over theirs.",
        .keys = joined(joined({required<&ConvolutionCurve::algorithm>("algorithm", "The algorithm that was asked for."),
                               required<&ConvolutionCurve::precision>("precision", "Precision of the operands."),
                               required<&ConvolutionCurve::direction>("direction", "The pass.")},
                              provenance_keys<&ConvolutionCurve::provenance>()),
                       {required_as<&ConvolutionCurve::points>(
                           list_type<ConvolutionCurve::Point>(record_type(convolution_point), {.none = "no points"}),
                           "points", "Measured points, in any order.", {.help = "a list of measured points"})}),
        .check = checked<ConvolutionCurve, check_convolution_curve>,
        .defaults = default_of<ConvolutionCurve>};
    return described;
}

template <>
const Description& description<CompressionCurve>() {
    static const Description described{
        .noun = "compression curve",
        .summary =
            "Measured kernels that compress gradients. Between the points their time is interpolated in log space, "
            "beyond them their rate stays.",
        .keys = joined({required<&CompressionCurve::kernel>("kernel", "What compresses."),
                        required_as<&CompressionCurve::points>(
                            list_type<CompressionCurve::Point>(record_type(compression_point), {.none = "no points"}),
                            "points", "Measured points; their bytes ascend.", {.help = "a list of measured points"})},
                       provenance_keys<&CompressionCurve::provenance>()),
        .check = checked<CompressionCurve, check_compression_curve>,
        .defaults = default_of<CompressionCurve>};
    return described;
}

template <>
const Description& description<CollectiveCurve>() {
    static const Description described = collective_curve(
        "collective curve", required<&CollectiveCurve::ranks_per_node>(
                                "ranks_per_node", "How many of them share a node.", {.range = at_least(1)}));
    return described;
}

const Description& link_curve() {
    static const Description described = collective_curve(
        "curve of a link", optional<&CollectiveCurve::ranks_per_node>(
                               "ranks_per_node", "How many of them share a node, and so have other links among them.",
                               {.range = at_least(1),
                                .default_text = "all ranks",
                                .always_written = true,
                                .is_derived = test<CollectiveCurve, has_all_ranks_in_a_node>}));
    return described;
}

}  // namespace dodona::files
