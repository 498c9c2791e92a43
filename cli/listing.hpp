// Commands that list what comes with dodona, or show one of it: `dodona models [NAME]` and its like.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "reports/csv.hpp"
#include "reports/table.hpp"

namespace dodona::cli {

/// How to read and show one kind of thing.
template <class Thing>
struct Listing {
    std::string plural;  ///< key of the list in JSON
    std::vector<std::string> names;
    Thing (*read)(const std::string& name);
    reports::Json (*json)(const Thing& thing);
    std::string (*text)(const Thing& thing, reports::Style style);
    std::string (*markdown)(const Thing& thing);
    reports::Json (*list_json)(const std::vector<Thing>& things);
    reports::Table (*table)(const std::vector<Thing>& things);
};

template <class Thing>
std::string one(const Listing<Thing>& listing, const Thing& thing, const Output& output) {
    switch (output.format) {
        case Format::json: return reports::printed(listing.json(thing));
        case Format::csv: return reports::csv({listing.json(thing)});
        case Format::markdown: return listing.markdown(thing);
        case Format::text: break;
    }
    return listing.text(thing, output.style);
}

template <class Thing>
std::string all(const Listing<Thing>& listing, const Output& output) {
    std::vector<Thing> things;
    for (const std::string& name : listing.names) {
        things.push_back(listing.read(name));
    }
    const reports::Json document = listing.list_json(things);
    switch (output.format) {
        case Format::json: return reports::printed(document);
        case Format::csv: return reports::csv({document[listing.plural].begin(), document[listing.plural].end()});
        case Format::markdown: return listing.table(things).to_markdown();
        case Format::text: break;
    }
    return listing.table(things).to_text(output.style, "");
}

template <class Thing>
int run_listing(Arguments& arguments, const Listing<Thing>& listing) {
    const Output output = read_output(arguments);
    const std::string name = arguments.text("NAME").value_or("");
    arguments.throw_if_faults();
    write(output, name.empty() ? all(listing, output) : one(listing, listing.read(name), output));
    return kAnswered;
}

}  // namespace dodona::cli
