#include "cli/exchange_options.hpp"

#include "cli/files.hpp"

namespace dodona::cli {

namespace {

constexpr const char* kAllExchanges = "all";

}  // namespace

Option exchange_option() {
    return {"--exchange",
            "NAME|FILE,...",
            "how replicas agree, instead of by the plan's all-reduce: d-psgd, diloco, hitop-k ...;\n"
            "all: every one of `dodona exchanges`, in a table (docs/exchanges.md)",
            "Plan",
            kOnce,
            Names::exchanges};
}

std::vector<exchange::Exchange> read_exchanges(Arguments& arguments) {
    std::vector<std::string> names = arguments.list("--exchange");
    if (names == std::vector<std::string>{kAllExchanges}) {
        names = library().exchanges();
    }
    std::vector<exchange::Exchange> exchanges;
    for (const std::string& name : names) {
        exchanges.push_back(
            library().exchange(taken_as(arguments, files::NameOf::exchange, name), arguments.place("--exchange")));
    }
    return exchanges;
}

}  // namespace dodona::cli
