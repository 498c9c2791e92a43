#include "files/money.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "files/description_keys.hpp"
#include "files/number.hpp"
#include "files/text.hpp"

namespace dodona::files {

namespace {

constexpr std::string_view kAmount = "write a number and a currency: \"1e6 USD\"";
constexpr std::string_view kPriceHelp = "write a number, a currency and the time that it pays for: \"2.5 USD/h\"";

bool is_currency(std::string_view text) {
    return text.size() == 3 && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// A number, and what stands behind it without blanks.
struct Numbered {
    double number = 0;
    std::string_view rest;
};

std::variant<Numbered, NotAQuantity> numbered(std::string_view text, std::string_view what, std::string_view help) {
    double ignored = 0;
    const auto end = decimal_at(text.data(), text.data() + text.size(), ignored).ptr;
    const auto length = static_cast<std::size_t>(end - text.data());
    if (length == 0) {
        return NotAQuantity{fmt::format("\"{}\" is not {}", text, what), std::string(help)};
    }
    const auto read = decimal_from(text.substr(0, length));
    if (const auto* fault = std::get_if<NotANumber>(&read)) {
        return NotAQuantity{fmt::format("\"{}\" {}", text, fault->why), std::string(help)};
    }
    const double number = std::get<double>(read);
    if (number <= 0) {
        return NotAQuantity{fmt::format("\"{}\" is not more than nothing", text), std::string(help)};
    }
    const std::string_view rest = trimmed(text.substr(length));
    if (rest.empty()) {
        return NotAQuantity{fmt::format("\"{}\" has no currency", text), std::string(help)};
    }
    return Numbered{number, rest};
}

NotAQuantity no_currency(std::string_view text, std::string_view typed, std::string_view help) {
    return {fmt::format("\"{}\" in \"{}\" is not a currency", typed, text),
            fmt::format("currencies are three capital letters (ISO 4217); {}", help)};
}

}  // namespace

std::variant<Amount, NotAQuantity> amount_from(std::string_view text) {
    const auto read = numbered(text, "an amount of money", kAmount);
    if (const auto* fault = std::get_if<NotAQuantity>(&read)) {
        return *fault;
    }
    const auto& [number, currency] = std::get<Numbered>(read);
    if (!is_currency(currency)) {
        return no_currency(text, currency, kAmount);
    }
    return Amount{number * unit::money, std::string(currency)};
}

std::variant<Rate, NotAQuantity> rate_from(std::string_view text) {
    const auto read = numbered(text, "a price", kPriceHelp);
    if (const auto* fault = std::get_if<NotAQuantity>(&read)) {
        return *fault;
    }
    const Numbered& typed = std::get<Numbered>(read);
    const std::size_t slash = typed.rest.find('/');
    const std::string_view currency = trimmed(typed.rest.substr(0, slash));
    if (!is_currency(currency)) {
        return no_currency(text, currency, kPriceHelp);
    }
    if (slash == std::string_view::npos) {
        return NotAQuantity{fmt::format("\"{}\" does not say for how long", text), std::string(kPriceHelp)};
    }
    const std::string duration = fmt::format("1 {}", trimmed(typed.rest.substr(slash + 1)));
    const auto time = quantity_from<Dimensions{.second = 1}>(duration);
    if (std::holds_alternative<NotAQuantity>(time)) {
        return NotAQuantity{fmt::format("\"{}\" is not for a unit of time", text), std::string(kPriceHelp)};
    }
    return Rate{typed.number * unit::money / std::get<Seconds>(time), std::string(currency)};
}

namespace {

template <auto From>
void check_money(const Value& value) {
    const auto read = From(value.node().text);
    if (const auto* const fault = std::get_if<NotAQuantity>(&read)) {
        value.error(fault->message, fault->help);
    }
}

/// Leaves the member where the check of its form refuses the text.
template <class Money, auto From>
void set_money(const std::string& text, Money& money, const Value& /*value*/, const Reading& /*reading*/) {
    const auto read = From(text);
    if (const Money* const is = std::get_if<Money>(&read)) {
        money = *is;
    }
}

std::string written_amount(const Amount& amount) {
    return fmt::format("{} {}", amount.money.in(unit::money), amount.currency);
}

std::string written_rate(const Rate& rate) { return written(rate); }

}  // namespace

const TextForm kAmountForm{
    .is = "an amount", .pattern = "^[0-9][0-9.eE+-]* *[A-Z]{3}$", .check = check_money<amount_from>};
const TextForm kRateForm{
    .is = "a price", .pattern = "^[0-9][0-9.eE+-]* *[A-Z]{3} */ *(s|min|h|d)$", .check = check_money<rate_from>};

ValueType amount_type() {
    return converted_type<std::string, Amount, written_amount, set_money<Amount, amount_from>>(
        {TextType{&kAmountForm}});
}

ValueType rate_type() {
    return converted_type<std::string, Rate, written_rate, set_money<Rate, rate_from>>({TextType{&kRateForm}});
}

std::string written(const Rate& rate) {
    return fmt::format("{} {}/h", rate.money.in(unit::money / unit::hour), rate.currency);
}

}  // namespace dodona::files
