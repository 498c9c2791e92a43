#include "lab/evidence/fits/fit_links.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "base/whole_file.hpp"
#include "calibrate/network/thinning.hpp"
#include "lab/evidence/fits/link_text.hpp"
#include "lab/evidence/fits/links.hpp"

namespace dodona::calibrate {

namespace {

std::string joined(const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : "; ") + word;
    }
    return text;
}

Tables fitted_to(const LinkRecipe& recipe, const Tables& tables) {
    Tables chosen;
    for (const auto& [series, measured] : tables) {
        if (recipe.fits(series)) {
            chosen[series] = measured;
        }
    }
    return chosen;
}

void write(const LinkRecipe& recipe, const Folder& folder, const std::string& links) {
    const Tables tables = recipe.tables(folder);
    const Tables chosen = fitted_to(recipe, tables);
    const ProtocolFit fit =
        recipe.only_large ? fit_efficiency(recipe.level, chosen) : fit_protocols(recipe.level, chosen);
    cluster::Link link{.name = std::string(recipe.name),
                       .wiring = recipe.wiring,
                       .bandwidth = static_cast<double>(recipe.level.links) * recipe.level.bandwidth,
                       .error = fit.error,
                       .protocols = fit.protocols};
    for (const auto& [series, measured] : tables) {
        cluster::CollectiveCurve curve = thinned(series, measured);
        curve.provenance.source = joined(measured.sources);
        link.curves.push_back(curve);
    }
    const std::string path = fmt::format("{}/{}.yaml", links, recipe.name);
    write_whole(path, link_text(recipe, link, fit));
    fmt::print("{}: {} curves; protocols {:.1f} % in the median, {:.0f} % at the 90th percentile, one alone {:.0f} %\n",
               path, link.curves.size(), 100 * fit.median_error, 100 * fit.error, 100 * fit.of_one);
}

}  // namespace

void fit_links(const LinkFitOptions& options) {
    auto known = mapped<std::string>(link_recipes(), &LinkRecipe::name);
    for (const std::string& name : options.names) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            fail({}, fmt::format("unknown link \"{}\"{}", name, did_you_mean(name, known)), "links: " + join(known));
        }
    }
    for (const LinkRecipe& recipe : link_recipes()) {
        if (options.names.empty() || contains(options.names, recipe.name)) {
            write(recipe, {.path = options.tables}, options.out);
        }
    }
}

}  // namespace dodona::calibrate
