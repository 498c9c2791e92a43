#include "calibrate/machine/measured_convolutions.hpp"

#include <map>
#include <optional>
#include <tuple>

#include "calibrate/machine/measured_kernel.hpp"
#include "calibrate/measure/journal.hpp"

namespace dodona::calibrate {

namespace {

using cluster::ConvolutionAlgorithm;
using cluster::ConvolutionCurve;
using Point = ConvolutionCurve::Point;

std::optional<ConvolutionAlgorithm> algorithm_of(const Measurement& measured) {
    const bool timed = measured.time.samples > 0 && measured.time.value() > Seconds{};
    const bool is_asked = timed && measured.of.benchmark == "convolution" && measured.of.has("algorithm");
    return is_asked ? value_of<ConvolutionAlgorithm>(measured.of.word("algorithm")) : std::nullopt;
}

/// What one dimension of the image becomes.
struct Span {
    double padded, outputs, window;
};

Span span_of(const Case& of, std::size_t dimension) {
    const auto at = [&](const char* name, const char* otherwise) {
        const auto all = extents(of.word(name, otherwise));
        return dimension < all.size() ? all[dimension] : all[0];
    };
    const std::int64_t padded = at("input", "") + 2 * at("pad", "0");
    const std::int64_t reach = at("dilation", "1") * (at("window", "1") - 1) + 1;
    const std::int64_t outputs = (padded - reach) / at("stride", "1") + 1;
    return {static_cast<double>(padded), static_cast<double>(outputs), static_cast<double>(at("window", "1"))};
}

Point point_of(const Measurement& measured) {
    const Case& of = measured.of;
    const Span down = span_of(of, 0);
    const Span across = span_of(of, 1);
    const auto workspace = measured.values.find("workspace");
    return {.samples = of.number("images", 1),
            .groups = of.number("groups", 1),
            .channels = of.number("channels"),
            .filters = of.number("filters"),
            .height = down.padded,
            .width = across.padded,
            .rows = down.outputs,
            .columns = across.outputs,
            .kernel_height = down.window,
            .kernel_width = across.window,
            .workspace = (workspace == measured.values.end() ? 0 : workspace->second) * unit::byte,
            .time = measured.time.value()};
}

using Shape = std::tuple<double, double, double, double, double, double, double, double, double, double>;

Shape shape_of(const Point& p) {
    return {p.groups, p.channels, p.filters,       p.height,       p.width,
            p.rows,   p.columns,  p.kernel_height, p.kernel_width, p.samples};
}

}  // namespace

std::vector<ConvolutionCurve> measured_convolutions(std::span<const Record> records, const cluster::Provenance& from) {
    std::map<std::tuple<ConvolutionAlgorithm, Precision, graph::Direction>, std::map<Shape, Point>> found;
    for (const Measurement& measured : latest({records.begin(), records.end()})) {
        const auto algorithm = algorithm_of(measured);
        if (!algorithm || extents(measured.of.word("input")).size() != 2) {
            continue;
        }
        const Point point = point_of(measured);
        auto& points = found[{*algorithm, precision_of(measured.of), direction_of(measured.of)}];
        Point& kept = points.try_emplace(shape_of(point), point).first->second;
        kept = point.time < kept.time ? point : kept;
    }
    std::vector<ConvolutionCurve> curves;
    for (const auto& [of, points] : found) {
        ConvolutionCurve& curve = curves.emplace_back(ConvolutionCurve{.algorithm = std::get<0>(of),
                                                                       .precision = std::get<1>(of),
                                                                       .direction = std::get<2>(of),
                                                                       .points = {},
                                                                       .provenance = from});
        for (const auto& [shape, point] : points) {
            curve.points.push_back(point);
        }
    }
    return curves;
}

}  // namespace dodona::calibrate
