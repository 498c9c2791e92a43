#include "cli/exchange_options.hpp"

#include "base/ranges.hpp"
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
    return mapped<exchange::Exchange>(names, [&](const std::string& name) {
        return library().exchange(taken_as(arguments, files::NameOf::exchange, name), arguments.place("--exchange"));
    });
}

}  // namespace dodona::cli
