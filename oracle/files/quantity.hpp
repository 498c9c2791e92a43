// "50 GB/s" -> a quantity. GB = 1e9 bytes, GiB = 2^30 bytes, Gb = 1e9 bits.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/quantity.hpp"

namespace dodona::files {

/// Why a text is not the quantity that is due.
struct NotAQuantity {
    std::string message;  ///< the end of a sentence that starts with the key
    std::string help;
};

/// In base units (seconds, bytes, floating-point operations).
std::variant<double, NotAQuantity> base_units_from(std::string_view text, Dimensions due);

template <Dimensions D>
std::variant<Quantity<D>, NotAQuantity> quantity_from(std::string_view text) {
    const auto read = base_units_from(text, D);
    if (const auto* value = std::get_if<double>(&read)) {
        return Quantity<D>::of_base(*value);
    }
    return std::get<NotAQuantity>(read);
}

}  // namespace dodona::files
