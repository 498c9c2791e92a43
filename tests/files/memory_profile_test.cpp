// Memory profiles: what software keeps beside a network's own tensors.
#include "files/memory_profile_file.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "files/library.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace memory_profile_test {

using namespace dodona::literals;

plan::MemoryProfile read_profile(const std::string& text) {
    return read_memory_profile(parse_document(text, "memory.yaml"));
}

const std::string kHead = "memory: m\nsource: s\n";

TEST(MemoryProfile, IsRead) {
    const plan::MemoryProfile profile =
        read_profile(kHead +
                     "rules:\n"
                     "  - {rule: cast, of: product-inputs, match: {kind: linear, name: \"*/down\"}, to: products}\n"
                     "  - {rule: cast, of: shared-inputs, element: 1.5 B, source: c}\n"
                     "  - {rule: keep, of: update-copies}\nreduction_bucket: 1 GB\n"
                     "workspace: {value: 64 MiB, source: a}\ncommunicator: 320 MiB\n"
                     "fragmentation: {value: 0.15, source: b}\n");
    EXPECT_EQ(profile.name, "m");
    ASSERT_EQ(profile.rules.size(), 3);
    const plan::MemoryRule cast{.action = plan::MemoryAction::cast,
                                .tensors = plan::MemoryTensors::product_inputs,
                                .match = {.kinds = {"linear"}, .names = {"*/down"}},
                                .to = plan::CastTo::products};
    EXPECT_EQ(profile.rules[0], cast);
    EXPECT_EQ(profile.rules[1].element, 1.5 * 1_B);
    EXPECT_EQ(profile.rules[1].source, "c");
    EXPECT_TRUE(profile.has(plan::MemoryAction::keep, plan::MemoryTensors::update_copies));
    EXPECT_FALSE(profile.has(plan::MemoryAction::keep, plan::MemoryTensors::gradients));
    EXPECT_EQ(profile.reduction_bucket, 1_GB);
    EXPECT_EQ(profile.workspace, 64_MiB);
    EXPECT_EQ(profile.communicator, 320_MiB);
    EXPECT_EQ(profile.fragmentation, 0.15);
}

TEST(MemoryProfile, AddsNothingThatItDoesNotSay) {
    plan::MemoryProfile neutral;
    neutral.name = "m";
    neutral.source = "s";
    EXPECT_EQ(read_profile(kHead), neutral);
}

TEST(MemoryProfile, RefusesWhatMeansNothing) {
    EXPECT_THROW((void)read_profile("memory: m\n"), InputError) << "no source";
    EXPECT_THROW((void)read_profile(kHead + "fragmentation: 1.5\n"), InputError);
    EXPECT_THROW((void)read_profile(kHead + "workspace: 64\n"), InputError) << "no unit";
    EXPECT_THROW((void)read_profile(kHead + "fragments: 0.1\n"), InputError);
}

// "product-inputs" have a precision that they are cast to, and gradients no layer.
TEST(MemoryProfile, RefusesRulesThatNoSoftwareHas) {
    const auto refused = [](const std::string& rule) {
        try {
            (void)read_profile(kHead + "rules:\n  - " + rule + "\n");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto says = [&](const std::string& rule, const std::string& part) {
        const std::string text = refused(rule);
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    says("{rule: repeat, of: gradients}", "keep, free, offload");
    says("{rule: cast, of: product-inputs}", "needs \"to\"");
    says("{rule: keep, of: update-temporaries}", "needs \"element\"");
    says("{rule: keep, of: normalised-inputs}", "needs \"match\"");
    says("{rule: free, of: gradients, match: {kind: linear}}", "no use for it");
    says("{rule: keep, of: gate-results, to: fp32}", "no use for it");
    says("{rule: keep, of: loss-temporaries}", "needs \"element\"");
    says("{rule: keep, of: loss-inputs, chunks: 8}", "no use for it");
}

TEST(MemoryProfile, BuiltInOnesAreRead) {
    const Library built_in(std::getenv("DODONA_SOURCE"));
    ASSERT_FALSE(built_in.memory_profiles().empty());
    for (const std::string& name : built_in.memory_profiles()) {
        const plan::MemoryProfile profile = built_in.memory_profile(name);
        EXPECT_EQ(profile.name, name);
        EXPECT_FALSE(profile.summary.empty()) << name;
    }
    EXPECT_THROW((void)built_in.memory_profile("megatron-corps"), InputError);
}

}  // namespace memory_profile_test
}  // namespace dodona::files::testing
