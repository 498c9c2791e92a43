// What holds of every plan: the project's hand-worked volumes as invariants on whole networks.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "derived.hpp"

namespace dodona::derivation {
namespace invariants_test {

using std::int64_t;

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

graph::NetworkSpec small_gpt() {
    return model("gpt",
                 {{"layers", "4"}, {"hidden", "256"}, {"heads", "8"}, {"sequence", "128"}, {"vocabulary", "1024"}});
}

TEST(AnAxisOfSizeOne, SendsNothing) {
    for (const std::string& name : library().strategies()) {
        const plan::Strategy strategy = library().strategy(name);
        std::vector<plan::MeshAxis> mesh;
        for (const std::string& axis : strategy.axes) {
            mesh.push_back({axis, 1});
        }
        for (const char* network : {"resnet50", "gpt", "llama"}) {
            const Derived derived(model(network), plan_of(strategy, mesh));
            EXPECT_EQ(derived.sent_in_layers(), 0) << name << " of " << network;
            EXPECT_TRUE(derived.states().empty()) << name << " of " << network;
        }
    }
}

RC_GTEST_PROP(TheOrderOfAxes, ChangesNoVolume, ()) {
    const std::string strategy = *rc::gen::element<std::string>("megatron", "megatron-sequence");
    std::vector<plan::MeshAxis> mesh{{"tensor", *rc::gen::element<int64_t>(1, 2, 4)},
                                     {"data", *rc::gen::element<int64_t>(1, 2, 4)},
                                     {"pipeline", *rc::gen::element<int64_t>(1, 2)}};
    const graph::NetworkSpec spec = small_gpt();
    plan::Plan plan = plan_of(strategy, mesh);
    plan.shard = *rc::gen::element(plan::ShardLevel::none, plan::ShardLevel::states, plan::ShardLevel::parameters);
    const Derived first(spec, plan);
    std::rotate(plan.mesh.begin(), plan.mesh.begin() + *rc::gen::inRange(1, 3), plan.mesh.end());
    if (*rc::gen::arbitrary<bool>()) {
        std::swap(plan.mesh[0], plan.mesh[1]);
    }
    const Derived second(spec, plan);
    RC_ASSERT(near(first.sent_in_layers(), second.sent_in_layers()));
    RC_ASSERT(near(first.sent_for_states(), second.sent_for_states()));
}

// Filters over two axes in a row: gathers and scatters over their product.
RC_GTEST_PROP(TwoAxesInARow, SendAsMuchAsOneAxisOfTheirProductInANetwork, ()) {
    const auto a = *rc::gen::element<int64_t>(2, 4);
    const auto b = *rc::gen::element<int64_t>(2, 4);
    const graph::NetworkSpec spec = model("vgg16");
    const Derived two(spec, plan_of(strategy_of("axes: [a, b]\nrules:\n"
                                                "  - {match: {kind: conv}, lay: {filter: [b, a]}}\n"
                                                "  - {match: {kind: linear}, lay: {out_feature: [b, a]}}\n"),
                                    {{"a", a}, {"b", b}}));
    const Derived one(spec, plan_of("filter", {{"filter", a * b}}));
    RC_ASSERT(near(two.sent_in_layers(), one.sent_in_layers()));
}

}  // namespace invariants_test
}  // namespace dodona::derivation
