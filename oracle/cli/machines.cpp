#include "cli/machines.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/machine.hpp"

namespace dodona::cli {

namespace {

int run(Arguments& arguments) {
    return run_listing<cluster::Cluster>(arguments, {.plural = "machines",
                                                     .names = library().clusters(),
                                                     .read = read_machine,
                                                     .json = reports::machine_json,
                                                     .text = reports::machine_text,
                                                     .markdown = reports::machine_markdown,
                                                     .list_json = reports::machines_json,
                                                     .table = reports::machines_table});
}

}  // namespace

Command machines_command() {
    return {.name = "machines",
            .summary = "the machines that come with dodona, or one of them",
            .positionals = {{.name = "NAME", .description = "show this one: built in, or a file", .required = false}},
            .options = output_options(),
            .examples = "Examples:\n  dodona machines\n  dodona machines abci",
            .run = run};
}

}  // namespace dodona::cli
