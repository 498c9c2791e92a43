// Exchanges.
#pragma once

#include "exchange/exchange.hpp"
#include "files/description.hpp"

namespace dodona::files {

template <>
const Description& description<exchange::Exchange>();

/// Throws InputError with every fault found.
exchange::Exchange read_exchange(Document document);

}  // namespace dodona::files
