// Texts as money and prices.
#include "files/money.hpp"

#include <gtest/gtest.h>

namespace dodona::files {
namespace money_test {

std::string amount_fault(std::string_view text) {
    const auto read = amount_from(text);
    const auto* fault = std::get_if<NotAQuantity>(&read);
    return fault == nullptr ? "" : fault->message;
}

std::string rate_fault(std::string_view text) {
    const auto read = rate_from(text);
    const auto* fault = std::get_if<NotAQuantity>(&read);
    return fault == nullptr ? "" : fault->message;
}

TEST(Money, IsANumberAndACurrency) {
    const auto read = amount_from("1.5e6 USD");
    ASSERT_TRUE(std::holds_alternative<Amount>(read));
    EXPECT_DOUBLE_EQ(std::get<Amount>(read).money.in(unit::money), 1.5e6);
    EXPECT_EQ(std::get<Amount>(read).currency, "USD");
    EXPECT_EQ(std::get<Amount>(amount_from("2EUR")).currency, "EUR") << "E is no exponent here";
}

TEST(Money, PaysForATime) {
    const auto read = rate_from("2.5 USD/h");
    ASSERT_TRUE(std::holds_alternative<Rate>(read));
    EXPECT_DOUBLE_EQ(std::get<Rate>(read).money.in(unit::money / unit::hour), 2.5);
    EXPECT_DOUBLE_EQ(std::get<Rate>(rate_from("48CHF/d")).money.in(unit::money / unit::hour), 2);
}

TEST(Money, IsRefusedWithAReason) {
    EXPECT_EQ(amount_fault("lots"), "\"lots\" is not an amount of money");
    EXPECT_EQ(amount_fault("1e6"), "\"1e6\" has no currency");
    EXPECT_EQ(amount_fault("0 USD"), "\"0 USD\" is not more than nothing");
    EXPECT_EQ(amount_fault("-3 USD"), "\"-3 USD\" is not more than nothing");
    EXPECT_EQ(amount_fault("3 usd"), "\"usd\" in \"3 usd\" is not a currency");
    EXPECT_EQ(amount_fault("3 $"), "\"$\" in \"3 $\" is not a currency");
    EXPECT_EQ(rate_fault("2.5 USD"), "\"2.5 USD\" does not say for how long");
    EXPECT_EQ(rate_fault("2.5/h"), "\"\" in \"2.5/h\" is not a currency");
    EXPECT_EQ(rate_fault("2.5 USD/GB"), "\"2.5 USD/GB\" is not for a unit of time");
    EXPECT_EQ(rate_fault("USD/h"), "\"USD/h\" is not a price");
}

}  // namespace money_test
}  // namespace dodona::files
