// What devices cost to rent. Dodona knows no prices: they are the user's, with their source.
#pragma once

#include <string>

#include "base/quantity.hpp"

namespace dodona::cluster {

/// Per device, whatever the unit it is billed in. What is not modelled: discounts, idle nodes that are billed whole,
/// storage, traffic, energy.
struct Price {
    MoneyPerSecond device;  ///< of one device
    std::string currency;   ///< as given: "USD"
    std::string source;     ///< empty: the command line
};

}  // namespace dodona::cluster
