#include "cli/exchanges.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/exchange_report.hpp"

namespace dodona::cli {

namespace {

exchange::Exchange read_one_exchange(const std::string& name) { return library().exchange(name, {}); }

int run_exchanges(Arguments& arguments) {
    return run_listing<exchange::Exchange>(arguments, {.kind = files::NameOf::exchange,
                                                       .plural = "exchanges",
                                                       .names = library().exchanges(),
                                                       .read = read_one_exchange,
                                                       .one = reports::exchange_document,
                                                       .all = reports::exchanges_document,
                                                       .facts = reports::exchange_facts});
}

}  // namespace

Command exchanges_command() {
    return {.name = "exchanges",
            .summary = "how replicas can agree: the exchanges that come with dodona, or one of them",
            .positionals = listing_positionals(Names::exchanges),
            .options = output_options(),
            .examples = "Examples:\n  dodona exchanges\n  dodona exchanges d-psgd\n  dodona exchanges asynchronous",
            .run = run_exchanges};
}

}  // namespace dodona::cli
