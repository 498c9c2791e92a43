#include "files/curves.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace dodona::files {

namespace {

using cluster::Collective;
using graph::KernelKind;

/// yyyy-mm-dd.
bool is_date(std::string_view text) {
    constexpr std::string_view kForm = "0000-00-00";
    return text.size() == kForm.size() && std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
               return form == '0' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == form;
           });
}

/// The points of a curve; there is at least one.
std::vector<Value> read_points(Fields& fields) {
    const Value points = fields.require("points", "a list of measured points");
    std::vector<Value> values = points.list();
    if (points.is_list() && values.empty()) {
        points.error("no points");
    }
    return values;
}

cluster::KernelPoint read_kernel_point(const Value& value, bool has_extents) {
    constexpr Range kPositive{.least = 0, .without_least = true};
    cluster::KernelPoint point;
    Fields fields(value);
    if (has_extents) {
        // Extents of the gradient of a strided convolution need not be whole.
        point.m = fields.require("m").number(kPositive, 1);
        point.n = fields.require("n").number(kPositive, 1);
        point.k = fields.require("k").number(kPositive, 1);
        point.batch = fields.find("batch").number(kPositive, 1);
    }
    const Value bytes = has_extents ? fields.find("bytes") : fields.require("bytes");
    if (bytes) {
        point.bytes = bytes.quantity(Sign::positive, Bytes{});
    }
    if (const Value flops = fields.find("flops")) {
        point.flops = flops.quantity(Sign::positive, Flop{});
    }
    point.time = fields.require("time").quantity(Sign::positive, Seconds{});
    fields.finish();
    return point;
}

cluster::KernelCurve read_kernel_curve(const Value& value) {
    cluster::KernelCurve curve;
    Fields fields(value);
    const Value kernel = fields.require("kernel");
    curve.kind = kernel.one_of(kKernelKinds, KernelKind::matmul);
    const bool has_extents = curve.kind != KernelKind::stream && curve.kind != KernelKind::gather;
    const Value precision = has_extents ? fields.require("precision") : fields.find("precision");
    curve.precision = precision.one_of(kPrecisions, curve.precision);
    if (const Value direction = fields.find("direction")) {
        curve.direction = direction.one_of(kDirections, graph::Direction::forward);
    }
    if (!has_extents) {
        curve.exact = fields.find("exact").flag();
    }
    curve.held_out_error = fields.find("held_out_error").number({.least = 0}, curve.held_out_error);
    curve.provenance = read_provenance(fields);
    for (const Value& point : read_points(fields)) {
        curve.points.push_back(read_kernel_point(point, has_extents));
    }
    fields.finish();
    return curve;
}

cluster::CollectiveCurve read_collective_curve(const Value& value, RanksPerNode due) {
    cluster::CollectiveCurve curve;
    Fields fields(value);
    curve.collective = fields.require("collective").one_of(cluster::kCollectives, Collective::all_reduce);
    curve.ranks = fields.require("ranks").whole(2, kMostWhole, 2);
    const bool required = due == RanksPerNode::required;
    const Value per_node = required ? fields.require("ranks_per_node") : fields.find("ranks_per_node");
    curve.ranks_per_node = per_node.whole(1, kMostWhole, required ? 1 : curve.ranks);
    if (curve.ranks_per_node > curve.ranks) {
        per_node.error(fmt::format("{} ranks of a node, of {} in all", curve.ranks_per_node, curve.ranks));
    }
    curve.held_out_error = fields.find("held_out_error").number({.least = 0}, curve.held_out_error);
    curve.provenance = read_provenance(fields);
    for (const Value& point : read_points(fields)) {
        Fields parts(point);
        const Value size = parts.require("size");
        const Bytes bytes = size.quantity(Sign::positive, Bytes{});
        if (size && !curve.points.empty() && bytes <= curve.points.back().size) {
            size.error("no larger than the one before", "the sizes of a curve ascend");
        }
        curve.points.push_back({bytes, parts.require("time").quantity(Sign::positive, Seconds{})});
        parts.finish();
    }
    fields.finish();
    return curve;
}

}  // namespace

cluster::Provenance read_provenance(Fields& fields) {
    cluster::Provenance provenance;
    provenance.source = fields.find("source").text();
    provenance.conditions = fields.find("conditions").text();
    if (const Value date = fields.find("date")) {
        provenance.date = date.text();
        if (!is_date(provenance.date)) {
            date.error(fmt::format("\"{}\" is not a date", provenance.date), "write year-month-day: 2026-11-01");
        }
    }
    return provenance;
}

std::vector<cluster::KernelCurve> read_kernel_curves(const Value& curves) {
    std::vector<cluster::KernelCurve> read;
    for (const Value& value : curves.list()) {
        read.push_back(read_kernel_curve(value));
    }
    return read;
}

std::vector<cluster::CollectiveCurve> read_collective_curves(const Value& curves, RanksPerNode due) {
    std::vector<cluster::CollectiveCurve> read;
    for (const Value& value : curves.list()) {
        read.push_back(read_collective_curve(value, due));
    }
    return read;
}

}  // namespace dodona::files
