// Commands that list what comes with dodona, or show one of it: `dodona models [NAME]` and its like.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"

namespace dodona::cli {

/// How to read and show one kind of thing.
template <class Thing>
struct Listing {
    std::vector<std::string> names;
    Thing (*read)(const std::string& name);
    reports::Document (*one)(const Thing& thing);
    reports::Document (*all)(const std::vector<Thing>& things);
};

template <class Thing>
int run_listing(Arguments& arguments, const Listing<Thing>& listing) {
    const Output output = read_output(arguments);
    const std::string name = arguments.text("NAME").value_or("");
    arguments.throw_if_faults();
    if (!name.empty()) {
        write(output, listing.one(listing.read(name)));
        return kAnswered;
    }
    std::vector<Thing> things;
    for (const std::string& known : listing.names) {
        things.push_back(listing.read(known));
    }
    write(output, listing.all(things));
    return kAnswered;
}

}  // namespace dodona::cli
