// Small arithmetic: values, faults, and agreement with the arithmetic of C++.
#include "base/expression.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace dodona {
namespace expression_test {

std::optional<double> lookup(std::string_view name) {
    if (name == "hidden") {
        return 12;
    }
    return name == "zero" ? std::optional<double>(0) : std::nullopt;
}

const std::vector<std::string> kKnown{"hidden", "zero"};

double value(std::string_view text) { return Expression::parse(text, {}).evaluate(lookup, kKnown); }

std::string fault(std::string_view text) {
    try {
        static_cast<void>(value(text));
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

TEST(Expression, FollowsTheUsualPrecedence) {
    EXPECT_DOUBLE_EQ(value("1 + 2*3"), 7);
    EXPECT_DOUBLE_EQ(value("(1 + 2)*3"), 9);
    EXPECT_DOUBLE_EQ(value("8/4/2"), 1);
    EXPECT_DOUBLE_EQ(value("8 - 4 - 2"), 2);
    EXPECT_DOUBLE_EQ(value("17 % 5"), 2);
    EXPECT_DOUBLE_EQ(value("-2*-3"), 6);
    EXPECT_DOUBLE_EQ(value("2 - -3"), 5);
    EXPECT_DOUBLE_EQ(value("4e2 + .5"), 400.5);
}

TEST(Expression, ReadsNames) {
    EXPECT_DOUBLE_EQ(value("4*hidden"), 48);
    EXPECT_EQ(Expression::parse("a*b + max(a, c)", {}).names(), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(Expression::parse("4*hidden", {}).text(), "4*hidden");
}

TEST(Expression, Compares) {
    EXPECT_DOUBLE_EQ(value("hidden/4 >= 3"), 1);
    EXPECT_DOUBLE_EQ(value("hidden/4 > 3"), 0);
    EXPECT_DOUBLE_EQ(value("2 <= 1"), 0);
    EXPECT_DOUBLE_EQ(value("1 < 2"), 1);
    EXPECT_DOUBLE_EQ(value("3 == 3"), 1);
    EXPECT_DOUBLE_EQ(value("3 != 3"), 0);
}

TEST(Expression, HasFunctions) {
    EXPECT_DOUBLE_EQ(value("min(3, 1, 2)"), 1);
    EXPECT_DOUBLE_EQ(value("max(3, 1, 2)"), 3);
    EXPECT_DOUBLE_EQ(value("ceil(1.2) + floor(1.8)"), 3);
    // The vocabulary of GPT-2 padded as Megatron pads it for 8 ways.
    EXPECT_DOUBLE_EQ(value("round_up(50257, 128*8)"), 51200);
}

TEST(Expression, TellsWhatItCannotRead) {
    EXPECT_EQ(fault("4*(hidden"), "expected \")\" in \"4*(hidden\"");
    EXPECT_EQ(fault("4**hidden"), "unexpected \"*\" in \"4**hidden\"");
    EXPECT_EQ(fault("1 < 2 < 3"), "unexpected \"<\" in \"1 < 2 < 3\"");
    EXPECT_EQ(fault("hidden)"), "unexpected \")\" in \"hidden)\"");
    EXPECT_EQ(fault("4*"), "\"4*\" ends too early");
    EXPECT_EQ(fault(""), "an empty expression");
    EXPECT_EQ(fault("0x10"), "a number cannot go on with \"x\" in \"0x10\"");
    EXPECT_EQ(fault("1_000"), "a number cannot go on with \"_\" in \"1_000\"");
    EXPECT_EQ(fault("1e999"), "1e999 is out of range");
    EXPECT_EQ(fault("roundup(1, 2)"), "unknown function \"roundup\"; did you mean \"round_up\"?");
    EXPECT_EQ(fault("ceil(1, 2)"), "ceil takes 1 value, not 2");
    EXPECT_EQ(fault("max(1)"), "max takes 2 or more values, not 1");
}

TEST(Expression, TellsWhatItCannotCompute) {
    EXPECT_EQ(fault("4*hiden"), "unknown name \"hiden\"; did you mean \"hidden\"?");
    EXPECT_EQ(fault("1/zero"), "division by zero in \"1/zero\"");
    EXPECT_EQ(fault("1 % zero"), "division by zero in \"1 % zero\"");
    EXPECT_EQ(fault("round_up(1, zero)"), "division by zero in \"round_up(1, zero)\"");
    EXPECT_EQ(fault("1e200*1e200"), "\"1e200*1e200\" is too large to compute");
}

TEST(Expression, IsBounded) {
    EXPECT_EQ(fault(std::string(1001, '1')), "an expression of more than 1000 characters");
    EXPECT_EQ(fault(std::string(200, '(')), "an expression nested more than 64 deep");
    EXPECT_EQ(fault(std::string(200, '-') + "1"), "an expression nested more than 64 deep");
    std::string sum = "1";
    for (int i = 0; i < 400; ++i) {
        sum += "+1";
    }
    EXPECT_DOUBLE_EQ(value(sum), 401);
}

TEST(Expression, PointsAtTheFault) {
    const std::string text = "4*hiden";
    const Location where{std::make_shared<Source>(Source{"x.yaml", {"out: 4*hiden"}}), 1, 6, 7};
    try {
        static_cast<void>(Expression::parse(text, where).evaluate(lookup, kKnown));
        FAIL() << "nothing thrown";
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().front().where.column, 8);
        EXPECT_EQ(error.diagnostics().front().where.length, 5);
    }
}

RC_GTEST_PROP(Expression, AgreesWithCpp, (std::int16_t a, std::int16_t b, std::int16_t c)) {
    const double x = a;
    const double y = b;
    const double z = c;
    RC_ASSERT(value(fmt::format("({}) + ({})*({})", a, b, c)) == x + y * z);
    RC_ASSERT(value(fmt::format("(({}) - ({}))*({})", a, b, c)) == (x - y) * z);
    RC_ASSERT(value(fmt::format("({}) >= ({})", a, b)) == (x >= y ? 1 : 0));
    RC_ASSERT(value(fmt::format("min(max({}, {}), {})", a, b, c)) == std::min(std::max(x, y), z));
}

RC_GTEST_PROP(Expression, RoundsUpToTheNextMultiple, (std::uint16_t number)) {
    const int multiple = *rc::gen::inRange(1, 2000);
    const double rounded = value(fmt::format("round_up({}, {})", number, multiple));
    RC_ASSERT(std::fmod(rounded, multiple) == 0);
    RC_ASSERT(rounded >= number && rounded < number + multiple);
}

RC_GTEST_PROP(Expression, OfAnyTextIsAValueOrAFault, (std::string text)) { static_cast<void>(fault(text)); }

}  // namespace expression_test
}  // namespace dodona
