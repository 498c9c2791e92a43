#include "lab/evidence/fits/link_text.hpp"

#include <fmt/format.h>

#include "calibrate/fit/rounding.hpp"
#include "files/link_file.hpp"
#include "files/yaml_writer.hpp"

namespace dodona::calibrate {

namespace {

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

std::string link_text(const LinkRecipe& recipe, cluster::Link link, const ProtocolFit& fit) {
    link.source = fmt::format("{}; measured tables of each curve; {}", recipe.of, fitted(recipe, fit));
    link.error = to_decimals(link.error, 3);
    for (cluster::Protocol& protocol : link.protocols) {
        protocol.timing.start = to_digits(protocol.timing.start, 4);
        protocol.timing.step = to_digits(protocol.timing.step, 4);
        protocol.timing.efficiency = to_decimals(protocol.timing.efficiency, 3);
    }
    for (cluster::CollectiveCurve& curve : link.curves) {
        curve.held_out_error = to_decimals(curve.held_out_error, 3);
        curve.provenance.conditions = recipe.conditions;
        for (cluster::CollectiveCurve::Point& point : curve.points) {
            point.time = to_digits(point.time, 4);
        }
    }
    return files::to_yaml(
        link, {.comments = {"yaml-language-server: $schema=../../docs/schemas/link.schema.json"},
               .note = fmt::format("{}{}written by dodona-evidence", recipe.note, recipe.note.empty() ? "" : "; ")});
}

}  // namespace dodona::calibrate
