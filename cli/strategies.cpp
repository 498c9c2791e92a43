#include "cli/strategies.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/strategy_report.hpp"

namespace dodona::cli {

namespace {

int run_strategies(Arguments& arguments) {
    return run_listing<plan::Strategy>(arguments, {.names = library().strategies(),
                                                   .read = read_strategy,
                                                   .one = reports::strategy_document,
                                                   .all = reports::strategies_document});
}

}  // namespace

Command strategies_command() {
    return {.name = "strategies",
            .summary = "the strategies that come with dodona, or one of them",
            .positionals = {{.name = "NAME",
                             .description = "show this one: built in, or a file",
                             .required = false,
                             .completes = Names::strategies}},
            .options = output_options(),
            .examples = "Examples:\n  dodona strategies\n  dodona strategies megatron",
            .run = run_strategies};
}

}  // namespace dodona::cli
