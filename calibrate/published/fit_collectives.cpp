// dodona-fit-collectives TABLES LINKS [NAME ...]: link files from measured collectives.
//
// Reads the tables of measured kernels in the folder TABLES (compressed or not) and writes LINKS/NAME.yaml for every
// link that links.cpp knows, or those that are named. Exit codes as those of dodona: 2 for what the user gave.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "calibrate/collectives/thinning.hpp"
#include "calibrate/file/whole_file.hpp"
#include "calibrate/published/link_text.hpp"
#include "calibrate/published/links.hpp"

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
        recipe.only_large ? fit_efficiency(recipe.bench, chosen) : fit_protocols(recipe.bench, chosen);
    cluster::Link link{.name = std::string(recipe.name),
                       .wiring = recipe.wiring,
                       .bandwidth = static_cast<double>(recipe.bench.links) * recipe.bench.bandwidth,
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

int run(int argc, char** argv) {
    if (argc < 3) {
        fail({}, "no folders are given", "usage: dodona-fit-collectives TABLES LINKS [NAME ...]");
    }
    const std::set<std::string_view> wanted(argv + 3, argv + argc);
    for (const std::string_view name : wanted) {
        const auto all = link_recipes();
        if (std::none_of(all.begin(), all.end(), [&](const LinkRecipe& recipe) { return recipe.name == name; })) {
            fail({}, fmt::format("unknown link \"{}\"", name), "calibrate/collectives/links.cpp has the list");
        }
    }
    for (const LinkRecipe& recipe : link_recipes()) {
        if (wanted.empty() || wanted.contains(recipe.name)) {
            write(recipe, {.path = argv[1]}, argv[2]);
        }
    }
    return 0;
}

}  // namespace

}  // namespace dodona::calibrate

int main(int argc, char** argv) {
    try {
        return dodona::calibrate::run(argc, argv);
    } catch (const dodona::InputError& error) {
        std::fputs(error.what(), stderr);
        return 2;
    }
}
