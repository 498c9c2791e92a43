// "50 GB/s" -> a quantity. GB = 1e9 bytes, GiB = 2^30 bytes, Gb = 1e9 bits.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/quantity.hpp"

namespace dodona::files {

/// Why a text is not the expected quantity.
struct NotAQuantity {
    std::string message;  ///< the end of a sentence that starts with the key
    std::string help;
};

/// In base units (seconds, bytes, floating-point operations).
std::variant<double, NotAQuantity> base_units_from(std::string_view text, Dimensions due);

/// The same quantity as text, in the unit that makes the shortest number. It reads back to the last bit; with `digits`,
/// it is rounded to so many significant ones, but for whole numbers of bytes and operations.
std::string quantity_text(double base_units, Dimensions dimensions, int digits = 0);

/// What quantities of a dimension are called.
struct QuantityKind {
    Dimensions dimensions;
    std::string_view name;         ///< "a duration"
    std::string_view example;      ///< "9 us"
    std::string_view json_suffix;  ///< of keys in JSON, where numbers are in base units: "_s"
};
const QuantityKind& quantity_kind(Dimensions dimensions);
std::span<const QuantityKind> quantity_kinds();

/// The units that files may have, by name.
std::vector<std::string> units_of(Dimensions dimensions);

template <Dimensions D>
std::variant<Quantity<D>, NotAQuantity> quantity_from(std::string_view text) {
    const auto read = base_units_from(text, D);
    if (const auto* value = std::get_if<double>(&read)) {
        return Quantity<D>::of_base(*value);
    }
    return std::get<NotAQuantity>(read);
}

}  // namespace dodona::files
