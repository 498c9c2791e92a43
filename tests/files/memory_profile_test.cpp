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
                     "loss: in-place\ngradient_placeholders: true\nquantised_inputs: true\n"
                     "quantised_gates: true\nshared_input: {value: 1.5 B, source: c}\n"
                     "gradient_copies: true\nupdate_copies: true\nreduction_bucket: 1 GB\n"
                     "workspace: {value: 64 MiB, source: a}\ncommunicator: 320 MiB\n"
                     "fragmentation: {value: 0.15, source: b}\n");
    EXPECT_EQ(profile.name, "m");
    EXPECT_EQ(profile.loss, plan::LossMemory::in_place);
    EXPECT_TRUE(profile.gradient_placeholders && profile.quantised_inputs && profile.quantised_gates);
    EXPECT_EQ(profile.shared_input, 1.5 * 1_B);
    EXPECT_TRUE(profile.gradient_copies && profile.update_copies);
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
    EXPECT_THROW((void)read_profile(kHead + "loss: fused\n"), InputError);
    EXPECT_THROW((void)read_profile(kHead + "fragmentation: 1.5\n"), InputError);
    EXPECT_THROW((void)read_profile(kHead + "workspace: 64\n"), InputError) << "no unit";
    EXPECT_THROW((void)read_profile(kHead + "fragments: 0.1\n"), InputError);
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
