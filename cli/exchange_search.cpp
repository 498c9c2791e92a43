#include "cli/exchange_search.hpp"

#include <algorithm>

#include "cli/space_options.hpp"

namespace dodona::cli {

std::optional<reports::ExchangeKinds> read_exchange_kinds(Arguments& arguments) {
    reports::ExchangeKinds kinds{};
    for (const std::string& typed : arguments.list("--vary")) {
        for (const reports::ExchangeKind kind : reports::kExchangeKinds) {
            kinds[static_cast<std::size_t>(kind)] |= typed == name(kind);
        }
    }
    const bool any = std::find(kinds.begin(), kinds.end(), true) != kinds.end();
    if (any && arguments.has("--exchange")) {
        arguments.fault("--exchange", "exchanges vary with --vary", "one of both");
    }
    return any ? std::optional(kinds) : std::nullopt;
}

}  // namespace dodona::cli
