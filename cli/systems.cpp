#include "cli/systems.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/system_report.hpp"

namespace dodona::cli {

namespace {

std::vector<std::string> system_names() {
    std::vector<std::string> names;
    for (const exchange::System& system : exchange::systems()) {
        names.emplace_back(system.name);
    }
    return names;
}

exchange::System read_system(const std::string& typed) {
    const std::vector<std::string> names = system_names();
    const auto meant = files::resolve_alias(files::NameOf::exchange, typed, names);
    for (const exchange::System& system : exchange::systems()) {
        if (system.name == (meant ? meant->name : typed)) {
            return system;
        }
    }
    fail({}, fmt::format("unknown system {}{}", as_typed(typed), did_you_mean(typed, names)),
         "`dodona systems` lists them");
}

int run_systems(Arguments& arguments) {
    return run_listing<exchange::System>(arguments, {.kind = files::NameOf::exchange,
                                                     .plural = "systems",
                                                     .names = system_names(),
                                                     .read = read_system,
                                                     .one = reports::system_document,
                                                     .all = reports::systems_document,
                                                     .facts = reports::system_facts});
}

}  // namespace

Command systems_command() {
    return {.name = "systems",
            .summary = "published systems of distributed training, and the exchange that stands for each",
            .positionals = listing_positionals(Names::none),
            .options = output_options(),
            .examples = "Examples:\n  dodona systems\n  dodona systems d-psgd\n  dodona systems decentral",
            .run = run_systems};
}

}  // namespace dodona::cli
