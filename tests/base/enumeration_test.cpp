// Enumerations with a table: names, values, and values that have no row.
#include "base/enumeration.hpp"

#include <gtest/gtest.h>

#include "base/precision.hpp"

namespace dodona::testing {
namespace enumeration_test {

enum class Fruit { apple, pear, quince };
constexpr std::array kFruitTable{Enumerator(Fruit::pear, "pear", "a pome"),
                                 Enumerator(Fruit::apple, "apple", "another pome", "pippin")};
constexpr const auto& enumerators(Fruit /*type*/) { return kFruitTable; }

TEST(Enumeration, HasNamesInTheOrderOfItsTable) {
    EXPECT_EQ(value_names<Fruit>(), (std::vector<std::string>{"pear", "apple"}));
    EXPECT_EQ(values_of(kFruitTable), (std::array{Fruit::pear, Fruit::apple}));
    EXPECT_EQ(name_of(Fruit::apple), "apple");
    EXPECT_EQ(enumerator_of(Fruit::pear).meaning, "a pome");
}

TEST(Enumeration, IsFoundByItsNameOrItsFormerOne) {
    EXPECT_EQ(value_of<Fruit>("apple"), Fruit::apple);
    EXPECT_EQ(value_of<Fruit>("pippin"), Fruit::apple);
    EXPECT_EQ(value_of<Fruit>("plum"), std::nullopt);
    EXPECT_EQ(value_of<Fruit>(""), std::nullopt) << "no former name is not an empty one";
}

TEST(Enumeration, RefusesAValueWithoutARow) { EXPECT_THROW((void)name_of(Fruit::quince), InternalError); }

static_assert(precision_from("bf16") == Precision::bf16, "tables are known when the program is compiled");
static_assert(name(Precision::nvfp4) == "nvfp4");

}  // namespace enumeration_test
}  // namespace dodona::testing
