#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

#include "base/decimal.hpp"

namespace dodona {
namespace decimal_test {

/// What a reader makes of a text: how far it read, whether it could, and the number (-7: none was read).
struct Reading {
    std::ptrdiff_t length = 0;
    std::errc fault{};
    double value = -7;
};

template <class Reader>
Reading read(const std::string& text, const Reader& reader) {
    Reading reading;
    const auto result = reader(text.data(), text.data() + text.size(), reading.value);
    reading.length = result.ptr - text.data();
    reading.fault = result.ec;
    return reading;
}

void expect_agreement(const std::string& text) {
    const Reading by_library = read(
        text, [](const char* begin, const char* end, double& value) { return std::from_chars(begin, end, value); });
    const Reading by_strtod = read(text, decimal_by_strtod);
    EXPECT_EQ(by_strtod.length, by_library.length) << text;
    EXPECT_EQ(by_strtod.fault, by_library.fault) << text;
    EXPECT_TRUE(by_strtod.value == by_library.value || (std::isnan(by_strtod.value) && std::isnan(by_library.value)))
        << text << ": " << by_strtod.value << ", " << by_library.value;
}

TEST(Decimal, IsReadAsTheLibraryReadsIt) {
    for (const char* text : {"",
                             "0",
                             "-0.0",
                             "1",
                             "1.5",
                             ".5",
                             "5.",
                             ".",
                             "-",
                             "-.",
                             "+1",
                             " 1",
                             "1 ",
                             "12abc",
                             "1e3",
                             "1e",
                             "1e+",
                             "1e-3x",
                             "1.e2",
                             ".e2",
                             "1e400",
                             "-1e400",
                             "1e-400",
                             "0e999",
                             "4.9e-324",
                             "1e-320",
                             "2e-324",
                             "1.7976931348623157e308",
                             "0x10",
                             "inf",
                             "-INF",
                             "infinity",
                             "infinit",
                             "nan",
                             "-NaN",
                             "nan(a1_)",
                             "nan(",
                             "nane5",
                             "1,5",
                             "--1",
                             "0.1000000000000000055511151231257827",
                             "9007199254740993",
                             "123456789012345678901234567890"}) {
        expect_agreement(text);
    }
}

RC_GTEST_PROP(Decimal, WhateverIsWritten, ()) {
    expect_agreement(*rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789.-+eE infa"))));
}

TEST(Decimal, IsTheFrontOfAText) {
    double value = 0;
    const std::string text = "2.5 GB/s";
    const auto result = decimal_at(text.data(), text.data() + text.size(), value);
    EXPECT_EQ(value, 2.5);
    EXPECT_EQ(result.ptr, text.data() + 3);
}

}  // namespace decimal_test
}  // namespace dodona
