#include "reports/collect/machine_kernels.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

bool is_pass(const cluster::KernelCurve& curve) {
    return curve.kind == graph::KernelKind::stream || curve.kind == graph::KernelKind::gather;
}

/// Operations of a product's points, bytes of a pass's.
double size_of(const cluster::KernelCurve& curve, const cluster::KernelPoint& point) {
    if (is_pass(curve)) {
        return point.bytes.in(unit::byte);
    }
    return point.flops > Flop{} ? point.flops.in(unit::flop) : 2 * point.m * point.n * point.k * point.batch;
}

std::string size_range(const cluster::KernelCurve& curve) {
    const auto [least, most] =
        std::minmax_element(curve.points.begin(), curve.points.end(),
                            [&](const auto& a, const auto& b) { return size_of(curve, a) < size_of(curve, b); });
    const auto written = [&](const cluster::KernelPoint& point) {
        return is_pass(curve) ? text(size_of(curve, point) * unit::byte) : text(size_of(curve, point) * unit::flop);
    };
    return fmt::format("{} to {}", written(*least), written(*most));
}

void take(std::optional<MeasuredDays>& days, const cluster::Provenance& provenance) {
    const std::string& day = provenance.date;
    if (day.empty()) {
        return;
    }
    days = days ? MeasuredDays{std::min(days->first, day), std::max(days->last, day)} : MeasuredDays{day, day};
}

}  // namespace

Table kernel_curve_table(const cluster::Device& device) {
    Table table({{"measured"},
                 {"precision"},
                 {"pass"},
                 {"points", Align::right},
                 {"range"},
                 {"held-out error", Align::right},
                 {"on"}});
    for (const cluster::KernelCurve& curve : device.curves) {
        if (!curve.points.empty()) {
            table.row({std::string(name(curve.kind)) + (curve.exact ? ", these only" : "") +
                           (curve.doubt.empty() ? "" : ", doubtful"),
                       is_pass(curve) ? "any" : std::string(name(curve.precision)),
                       curve.direction ? std::string(name(*curve.direction)) : "any", Count{curve.points.size()},
                       size_range(curve), curve.held_out_error > 0 ? Cell(Percent{curve.held_out_error}) : Cell(),
                       curve.provenance.date});
        }
    }
    return table;
}

Record kernel_curves_record(const cluster::Device& device) {
    Record curves = no_elements();
    for (const cluster::KernelCurve& curve : device.curves) {
        Record one{{"kernel", name(curve.kind)},
                   {"precision", name(curve.precision)},
                   {"points", curve.points.size()},
                   {"exact", curve.exact},
                   {"held_out_error", curve.held_out_error},
                   {"source", curve.provenance.source}};
        if (curve.direction) {
            one["direction"] = name(*curve.direction);
        }
        if (!curve.doubt.empty()) {
            one["doubt"] = curve.doubt;
        }
        if (!curve.provenance.date.empty()) {
            one["date"] = curve.provenance.date;
        }
        curves.push_back(one);
    }
    return curves;
}

std::optional<MeasuredDays> measured_days(const cluster::Cluster& cluster) {
    std::optional<MeasuredDays> days;
    for (const cluster::KernelCurve& curve : cluster.device.curves) {
        take(days, curve.provenance);
    }
    for (const cluster::CollectiveCurve& curve : cluster.curves) {
        take(days, curve.provenance);
    }
    for (const cluster::Level& level : cluster.levels) {
        for (const cluster::CollectiveCurve& curve : level.link ? level.link->curves : cluster.curves) {
            take(days, curve.provenance);
        }
    }
    return days;
}

}  // namespace dodona::reports
