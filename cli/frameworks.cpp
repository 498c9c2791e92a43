#include "cli/frameworks.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/framework_report.hpp"

namespace dodona::cli {

namespace {

plan::Framework read_framework(const std::string& name) { return library().framework(name, {}); }

int run_frameworks(Arguments& arguments) {
    return run_listing<plan::Framework>(arguments, {.kind = files::NameOf::framework,
                                                    .plural = "frameworks",
                                                    .names = library().frameworks(),
                                                    .read = read_framework,
                                                    .one = reports::framework_document,
                                                    .all = reports::frameworks_document,
                                                    .facts = reports::framework_facts});
}

}  // namespace

Command frameworks_command() {
    return {.name = "frameworks",
            .summary = "the frameworks that come with dodona, or what one of them adds",
            .positionals = listing_positionals(Names::frameworks),
            .options = output_options(),
            .examples = "Examples:\n  dodona frameworks\n  dodona frameworks megatron-2021",
            .run = run_frameworks};
}

}  // namespace dodona::cli
