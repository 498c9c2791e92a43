// `dodona strategies`: the strategies that come with dodona, or one strategy in detail.
#include "cli/commands.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/strategy_report.hpp"

namespace dodona::cli {

namespace {

int run_strategies(Arguments& arguments) {
    return run_listing<plan::Strategy>(arguments, {.kind = files::NameOf::strategy,
                                                   .plural = "strategies",
                                                   .names = library().strategies(),
                                                   .read = [](const std::string& name) { return read_strategy(name); },
                                                   .one = reports::strategy_document,
                                                   .all = reports::strategies_document,
                                                   .facts = reports::strategy_facts});
}

}  // namespace

Command strategies_command() {
    return {.name = "strategies",
            .summary = "the strategies that come with dodona, or one of them",
            .positionals = listing_positionals(Names::strategies),
            .options = output_options(),
            .examples = "Examples:\n  dodona strategies\n  dodona strategies megatron",
            .run = run_strategies};
}

}  // namespace dodona::cli
