// "1e6 USD" -> an amount; "2.5 USD/h" -> a price. Currencies are three capital letters (ISO 4217) and never converted.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/quantity.hpp"
#include "files/description.hpp"
#include "files/quantity.hpp"

namespace dodona::files {

/// A number of `currency`, more than nothing.
struct Amount {
    Money money;
    std::string currency;
};

/// An amount for each hour (or d, min, s) of use.
struct Rate {
    MoneyPerSecond money;
    std::string currency;
};

std::variant<Amount, NotAQuantity> amount_from(std::string_view text);
std::variant<Rate, NotAQuantity> rate_from(std::string_view text);

/// Texts of them in files.
extern const TextForm kAmountForm;
extern const TextForm kRateForm;

/// Members of these types, described.
ValueType amount_type();
ValueType rate_type();

std::string written(const Rate& rate);

}  // namespace dodona::files
