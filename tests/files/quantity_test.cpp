// Texts as quantities.
#include "files/quantity.hpp"

#include <gtest/gtest.h>

namespace dodona::files {
namespace quantity_test {

double base(std::string_view text, Dimensions due) {
    const auto read = base_units_from(text, due);
    const auto* value = std::get_if<double>(&read);
    return value == nullptr ? -1 : *value;
}

std::string fault(std::string_view text, Dimensions due) {
    const auto read = base_units_from(text, due);
    const auto* value = std::get_if<NotAQuantity>(&read);
    return value == nullptr ? "" : value->message;
}

constexpr Dimensions kTime{.second = 1};
constexpr Dimensions kSize{.byte = 1};
constexpr Dimensions kBandwidth{.second = -1, .byte = 1};
constexpr Dimensions kRate{.second = -1, .flop = 1};

TEST(QuantityText, IsANumberAndAUnit) {
    EXPECT_DOUBLE_EQ(base("9 us", kTime), 9e-6);
    EXPECT_DOUBLE_EQ(base("1.5 h", kTime), 5400);
    EXPECT_DOUBLE_EQ(base("0 s", kTime), 0);
    EXPECT_DOUBLE_EQ(base("16 GiB", kSize), 16.0 * 1024 * 1024 * 1024);
    EXPECT_DOUBLE_EQ(base("110 kB", kSize), 110e3);
    EXPECT_DOUBLE_EQ(base("50 GB/s", kBandwidth), 50e9);
    EXPECT_DOUBLE_EQ(base("312 TFLOP/s", kRate), 312e12);
    EXPECT_DOUBLE_EQ(base("1e3   MB", kSize), 1e9);
    EXPECT_DOUBLE_EQ(base("2GB", kSize), 2e9);
}

TEST(QuantityText, CountsBitsForNetworks) {
    EXPECT_DOUBLE_EQ(base("100 Gb/s", kBandwidth), 12.5e9);
    EXPECT_EQ(fault("100 Gb", kSize), "unknown unit \"Gb\" in \"100 Gb\"; did you mean \"GB\"?");
}

TEST(QuantityText, OfAnotherDimensionIsAFault) {
    EXPECT_EQ(fault("50 GB", kBandwidth), "\"50 GB\" is a size; expected a bandwidth");
    EXPECT_EQ(fault("50 s", kSize), "\"50 s\" is a duration; expected a size");
}

TEST(QuantityText, WithoutUnitOrNumberIsAFault) {
    EXPECT_EQ(fault("50", kBandwidth), "\"50\" has no unit");
    EXPECT_EQ(fault("GB/s", kBandwidth), "\"GB/s\" is not a bandwidth");
    EXPECT_EQ(fault("", kTime), "\"\" is not a duration");
    for (const char* text : {"nan s", "inf s", "-inf s", "infinity s", "1e999 s", "1e308 d", "0x10 s", "1_0 s", "1,0 s",
                             "+1 s", "1 2 s", "1. .5 s"}) {
        EXPECT_NE(fault(text, kTime), "") << text;
    }
}

TEST(QuantityText, BeyondWhatThereIsIsAFault) {
    EXPECT_EQ(fault("1e300 d", kTime), "\"1e300 d\" is out of range");
    EXPECT_EQ(fault("-1e300 d", kTime), "\"-1e300 d\" is out of range");
    EXPECT_EQ(fault("1e10 PB", kSize), "\"1e10 PB\" is out of range");
    EXPECT_EQ(fault("1e10 TB/s", kBandwidth), "\"1e10 TB/s\" is out of range");
    EXPECT_EQ(fault("1e-300 B/s", kBandwidth), "\"1e-300 B/s\" is out of range");
    EXPECT_EQ(fault("-1e-16 s", kTime), "\"-1e-16 s\" is out of range");
    EXPECT_EQ(fault("1e-320 ns", kTime), "\"1e-320 ns\" is out of range");
    EXPECT_EQ(base("0 B/s", kBandwidth), 0);
    EXPECT_DOUBLE_EQ(base("1e9 PB", kSize), 1e24);
    EXPECT_DOUBLE_EQ(base("1e9 TB/s", kBandwidth), 1e21);
}

}  // namespace quantity_test
}  // namespace dodona::files
