#include "calibrate/evidence/fits/link_text.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace dodona::calibrate {

namespace {

std::string time_text(Seconds time) {
    const double us = time.in(1_us);
    return us < 1000 ? fmt::format("{:.4g} us", us) : fmt::format("{:.4g} ms", us / 1000);
}

std::string curve_text(const cluster::CollectiveCurve& curve, std::string_view conditions) {
    std::string text = fmt::format("  - collective: {}\n    ranks: {}\n", name(curve.collective), curve.ranks);
    if (curve.ranks_per_node != curve.ranks) {
        text += fmt::format("    ranks_per_node: {}\n", curve.ranks_per_node);
    }
    text += fmt::format("    held_out_error: {:.3f}\n    source: \"{}\"\n    conditions: \"{}\"\n    points:\n",
                        curve.held_out_error, curve.provenance.source, conditions);
    for (const auto& point : curve.points) {
        text += fmt::format("      - {{size: {}, time: {}}}\n", size_text(point.size), time_text(point.time));
    }
    return text;
}

std::string fitted(const LinkRecipe& recipe, const ProtocolFit& fit) {
    if (recipe.only_large) {
        return fmt::format(
            "the efficiency is fitted to them; without its own curves the model misses them by {:.1f} % "
            "in the median and by {:.0f} % at the 90th percentile",
            100 * fit.median_error, 100 * fit.error);
    }
    return fmt::format(
        "fitted to them, the protocols miss the tables by {:.1f} % in the median and by {:.0f} % at the "
        "90th percentile; one alpha and beta would by {:.0f} %",
        100 * fit.median_error, 100 * fit.error, 100 * fit.of_one);
}

}  // namespace

std::string size_text(Bytes size) {
    struct Unit {
        const char* name;
        double bytes;
    };
    constexpr std::array kUnits{Unit{"GiB", 0x1p30}, Unit{"MiB", 0x1p20}, Unit{"KiB", 0x1p10}};
    const double bytes = size.in(unit::byte);
    for (const Unit& one : kUnits) {
        const double count = bytes / one.bytes;
        if (count >= 1 && std::round(count * 1e4) == count * 1e4) {
            return fmt::format("{} {}", count, one.name);
        }
    }
    return fmt::format("{:.0f} B", bytes);
}

std::string link_text(const LinkRecipe& recipe, const cluster::Link& link, const ProtocolFit& fit) {
    std::string text = fmt::format("link: {}\nsource: \"{}; measured tables of each curve; {}\"\n", link.name,
                                   recipe.of, fitted(recipe, fit));
    text += fmt::format("note: \"{}{}written by dodona-evidence\"\n", recipe.note, recipe.note.empty() ? "" : "; ");
    text += fmt::format("wiring: {}\nbandwidth: {:g} GB/s\nerror: {:.3f}\nprotocols:\n", name(link.wiring),
                        link.bandwidth.in(1_GB_per_s), link.error);
    for (const cluster::Protocol& protocol : link.protocols) {
        text +=
            fmt::format("  - {{name: {}, start: {}, step: {}, efficiency: {:.3f}}}\n", protocol.name,
                        time_text(protocol.timing.start), time_text(protocol.timing.step), protocol.timing.efficiency);
    }
    text += "curves:\n";
    for (const cluster::CollectiveCurve& curve : link.curves) {
        text += curve_text(curve, recipe.conditions);
    }
    return text;
}

}  // namespace dodona::calibrate
