#include "graph/attributes.hpp"

#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace attributes_test {

class AttributesOfALayer : public ::testing::Test {
protected:
    Attributes read(const Values& values) { return Attributes("conv1", {}, attributes(values), diagnostics_); }
    /// Message and help of the only fault.
    std::string fault() {
        if (diagnostics_.all().size() != 1) {
            return std::to_string(diagnostics_.all().size()) + " faults";
        }
        return diagnostics_.all()[0].message + " | " + diagnostics_.all()[0].help;
    }
    Diagnostics diagnostics_;
};

TEST_F(AttributesOfALayer, GiveNumbersAndFallbacks) {
    Attributes read = this->read({{"filters", std::int64_t{64}}, {"bias", false}, {"width", 256.0}});
    EXPECT_EQ(read.positive("filters"), 64);
    EXPECT_EQ(read.positive("stride", 2), 2);
    EXPECT_EQ(read.not_negative("pad", 0), 0);
    EXPECT_FALSE(read.flag("bias", true));
    EXPECT_EQ(read.positive("width"), 256) << "a decimal without a fraction, as expressions make";
    read.report_unread();
    EXPECT_FALSE(diagnostics_.has_errors());
}

TEST_F(AttributesOfALayer, SpreadOneNumberOverDimensionsOrTakeAList) {
    using List = std::vector<std::int64_t>;
    Attributes read = this->read({{"kernel", std::int64_t{3}}, {"stride", List{1, 2}}});
    EXPECT_EQ(read.per_dimension("kernel", 2, 1, true, 1), (List{3, 3}));
    EXPECT_EQ(read.per_dimension("stride", 2, 1, false, 1), (List{1, 2}));
    EXPECT_EQ(read.per_dimension("pad", 2, 0, false, 0), (List{0, 0}));
    EXPECT_FALSE(diagnostics_.has_errors());
}

TEST_F(AttributesOfALayer, AListOfTheWrongLengthIsAFault) {
    read({{"kernel", std::vector<std::int64_t>{3, 3, 3}}}).per_dimension("kernel", 2, 1, true, 1);
    EXPECT_EQ(fault(),
              "conv1.kernel: a list of 3 for 2 dimensions | give one number for all dimensions, or a list of 2");
}

TEST_F(AttributesOfALayer, AListWithANumberOutOfRangeIsAFault) {
    read({{"stride", std::vector<std::int64_t>{1, 0}}}).per_dimension("stride", 2, 1, false, 1);
    EXPECT_EQ(fault(), "conv1.stride: 0 is out of range | give for each dimension a whole number from 1 to 1000000000");
}

TEST_F(AttributesOfALayer, AMissingNumberIsAFault) {
    EXPECT_EQ(read({}).positive("filters"), 1);
    EXPECT_EQ(fault(), "conv1.filters: missing | give a whole number from 1 to 1000000000");
}

TEST_F(AttributesOfALayer, ZeroIsNotPositive) {
    read({{"filters", std::int64_t{0}}}).positive("filters");
    EXPECT_EQ(fault(), "conv1.filters: 0 is out of range | give a whole number from 1 to 1000000000");
}

TEST_F(AttributesOfALayer, AHugeNumberIsAFaultAndDoesNotOverflow) {
    EXPECT_EQ(read({{"filters", std::int64_t{1'000'000'001}}}).positive("filters"), 1);
    EXPECT_EQ(fault(), "conv1.filters: 1000000001 is out of range | give a whole number from 1 to 1000000000");
}

TEST_F(AttributesOfALayer, AFractionIsNoWholeNumber) {
    read({{"filters", 2.5}}).positive("filters");
    EXPECT_EQ(fault(), "conv1.filters: 2.5 is not a whole number | give a whole number from 1 to 1000000000");
}

TEST_F(AttributesOfALayer, AWordIsNoFlag) {
    read({{"bias", std::string("yes")}}).flag("bias", true);
    EXPECT_EQ(fault(), "conv1.bias: \"yes\" is neither true nor false | ");
}

TEST_F(AttributesOfALayer, AWordOutsideItsChoicesIsAFaultWithTheNearest) {
    read({{"implementation", std::string("fusd")}}).word("implementation", {"fused", "materialised"}, "fused");
    EXPECT_EQ(fault(),
              "conv1.implementation: \"fusd\" is not a choice here; did you mean \"fused\"? | accepted here: fused, "
              "materialised");
}

TEST_F(AttributesOfALayer, AnAttributeThatNobodyReadsIsAFaultWithTheNearest) {
    Attributes read = this->read({{"filtres", std::int64_t{64}}});
    read.positive("filters", 1);
    read.positive("kernel", 1);
    read.report_unread();
    EXPECT_EQ(fault(), "conv1.filtres: unknown attribute; did you mean \"filters\"? | accepted here: filters, kernel");
}

TEST_F(AttributesOfALayer, AFaultIsLocatedAtItsAttribute) {
    const auto source = std::make_shared<const Source>(Source{"m.yaml", {"- {op: conv, filters: 0}"}});
    Attributes read("conv1", {source, 1, 3, 2}, {{"filters", {std::int64_t{0}, {source, 1, 13, 10}}}}, diagnostics_);
    read.positive("filters");
    read.positive("kernel");
    ASSERT_EQ(diagnostics_.all().size(), 2U);
    EXPECT_EQ(diagnostics_.all()[0].where.column, 13);
    EXPECT_EQ(diagnostics_.all()[1].where.column, 3) << "a missing attribute: at its layer";
}

}  // namespace attributes_test
}  // namespace dodona::graph::test
