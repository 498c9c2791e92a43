// Layers to recompute, as a plan names them.
#include "plan/recompute.hpp"

#include <gtest/gtest.h>

namespace dodona::plan::test {
namespace recompute_test {

TEST(LayersToRecompute, AreNamedInTheirBlocksToo) {
    const Match named = layers_named("mlp*");
    EXPECT_EQ(layer_name(named), "mlp*");
    EXPECT_EQ(text(named), "mlp*");
}

TEST(LayersToRecompute, HaveNoOneNameWithOtherConditions) {
    Match kind = layers_named("up");
    kind.kinds = {"linear", "expert_linear"};
    EXPECT_EQ(layer_name(kind), std::nullopt);
    EXPECT_EQ(text(kind).find("{kind linear or expert_linear, name up or "), 0u) << text(kind);
    Match role = layers_named("up");
    role.roles = {"column"};
    EXPECT_EQ(layer_name(role), std::nullopt);
    Match first = layers_named("up");
    first.first = true;
    EXPECT_EQ(layer_name(first), std::nullopt);
    Match other = layers_named("up");
    other.names[1] = "down";
    EXPECT_EQ(layer_name(other), std::nullopt);
    EXPECT_EQ(text(other), "{name up or down}");
    EXPECT_EQ(text(Match{.kinds = {"norm"}, .roles = {"row"}, .names = {}, .first = {}}), "{kind norm, role row}");
}

}  // namespace recompute_test
}  // namespace dodona::plan::test
