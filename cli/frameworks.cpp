#include "cli/frameworks.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/framework_report.hpp"

namespace dodona::cli {

namespace {

plan::Framework read_framework(const std::string& name) { return library().framework(name, {}); }

reports::Document list_of(const std::vector<plan::Framework>& frameworks) {
    std::vector<plan::Mechanism> mechanisms;
    for (const std::string& name : library().mechanisms()) {
        mechanisms.push_back(library().mechanism(name));
    }
    return reports::frameworks_document(frameworks, mechanisms);
}

int run_frameworks(Arguments& arguments) {
    return run_listing<plan::Framework>(arguments, {.kind = files::NameOf::framework,
                                                    .plural = "frameworks",
                                                    .names = library().frameworks(),
                                                    .read = read_framework,
                                                    .one = reports::framework_document,
                                                    .all = list_of,
                                                    .facts = reports::framework_facts});
}

}  // namespace

Command frameworks_command() {
    return {.name = "frameworks",
            .summary = "the frameworks that come with dodona, or what one of them adds",
            .positionals = listing_positionals(Names::frameworks),
            .options = output_options(),
            .examples =
                "Examples:\n  dodona frameworks\n  dodona frameworks megatron-2021\n"
                "  dodona predict llama-3.1-8b --machine dgx-h100 --gpus 8 --strategy zero3 \\\n"
                "      --framework megatron-2024+graphs",
            .run = run_frameworks};
}

}  // namespace dodona::cli
