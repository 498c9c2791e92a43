// `dodona systems`: published systems of distributed training by how they are made, or one of them.
#include "cli/commands.hpp"

#include "base/ranges.hpp"
#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/system_report.hpp"

namespace dodona::cli {

namespace {

std::vector<std::string> system_names() { return mapped<std::string>(exchange::systems(), &exchange::System::name); }

exchange::System read_system(const std::string& typed) {
    const std::vector<std::string> names = system_names();
    const std::string name = files::respelled(typed, names).value_or(typed);
    for (const exchange::System& system : exchange::systems()) {
        if (system.name == name) {
            return system;
        }
    }
    fail({}, fmt::format("unknown system {}{}", as_typed(typed), did_you_mean(typed, names)),
         "`dodona systems` lists them");
}

int run_criteria(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::vector<std::string> words = arguments.all("WORDS");
    arguments.throw_if_faults();
    const auto found = filtered<exchange::Technique>(exchange::techniques(), [&](const exchange::Technique& technique) {
        return has_words(words, reports::technique_facts(technique), [](SizeOf) { return 0.0; });
    });
    if (found.empty()) {
        nothing_found("techniques", words);
    }
    write(output, reports::criteria_document(found));
    return kAnswered;
}

std::vector<Option> systems_options() {
    std::vector<Option> options{
        {"--criteria", "", "techniques by what they need and bring, with the systems of each", "Techniques"}};
    append(options, output_options());
    return options;
}

int run_systems(Arguments& arguments) {
    if (arguments.has("--criteria")) {
        return run_criteria(arguments);
    }
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
            .options = systems_options(),
            .examples =
                "Examples:\n  dodona systems\n  dodona systems d-psgd\n  dodona systems decentral\n"
                "  dodona systems --criteria easy",
            .run = run_systems};
}

}  // namespace dodona::cli
