// Rental prices of devices. Dodona has no prices; users give them with a source.
#pragma once

#include <string>

#include "base/quantity.hpp"

namespace dodona::cluster {

/// Price per device, whatever the billing unit. Not modelled: discounts, idle nodes that are billed, storage, traffic,
/// energy.
struct Price {
    MoneyPerSecond device;  ///< of one device
    std::string currency;   ///< as given: "USD"
    std::string source;     ///< empty: the command line
};

}  // namespace dodona::cluster
