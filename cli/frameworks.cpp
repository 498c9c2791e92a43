// `dodona software`: the training software that dodona knows, or one piece with all its parameters.
#include "cli/commands.hpp"

#include <algorithm>
#include <optional>

#include "base/ranges.hpp"
#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/framework_report.hpp"

namespace dodona::cli {

namespace {

plan::Framework read_framework(const std::string& name) { return library().framework(name, {}); }

reports::Document list_of(const std::vector<plan::Framework>& frameworks) {
    const auto mechanisms = mapped<plan::Mechanism>(library().mechanisms(),
                                                    [](const std::string& name) { return library().mechanism(name); });
    return reports::frameworks_document(frameworks, mechanisms);
}

/// The one word, where it names a mechanism.
std::optional<std::string> mechanism_asked(Arguments& arguments) {
    const std::vector<std::string> words = arguments.all("WORDS");
    const std::vector<std::string> known = library().mechanisms();
    const bool names = words.size() == 1 && std::find(known.begin(), known.end(), words.front()) != known.end();
    return names ? std::optional(words.front()) : std::nullopt;
}

int run_frameworks(Arguments& arguments) {
    if (const auto name = mechanism_asked(arguments)) {
        const Output output = read_output(arguments);
        arguments.throw_if_faults();
        write(output, reports::mechanism_document(library().mechanism(*name), library().run_conventions()));
        return kAnswered;
    }
    return run_listing<plan::Framework>(arguments, {.kind = files::NameOf::framework,
                                                    .plural = "software",
                                                    .names = library().frameworks(),
                                                    .read = read_framework,
                                                    .one = reports::framework_document,
                                                    .all = list_of,
                                                    .facts = reports::framework_facts});
}

}  // namespace

Command frameworks_command() {
    return {.name = "software",
            .summary = "the training software that dodona knows, and what each adds to kernels and links",
            .positionals = listing_positionals(Names::frameworks),
            .options = output_options(),
            .examples =
                "Examples:\n  dodona software\n  dodona software megatron-2021\n  dodona software graphs\n"
                "  dodona predict llama-3.1-8b --machine dgx-h100 --gpus 8 --strategy zero3 \\\n"
                "      --software megatron-2024+graphs",
            .run = run_frameworks};
}

}  // namespace dodona::cli
