// A question without words of a command line: options from a document, complete or refused with all that is wrong.
#include "questions/cache/cache.hpp"

#include <variant>

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "files/read_description.hpp"

namespace dodona::questions::cache_test {
namespace {

cache::Options options_in(const std::string& text) {
    return files::read_file<cache::Options>(files::parse_document(text, "question"));
}

TEST(CacheOptions, AreReadFromADocumentByTheirTable) {
    const cache::Options options = options_in("{\"epochs\": 2, \"samples\": 1000, \"sample_size\": \"110 kB\"}");
    EXPECT_EQ(options.epochs, 2);
    EXPECT_EQ(options.samples, 1000);
    EXPECT_EQ(options.sample_size, 110'000_B);
    EXPECT_EQ(options_in("{}").epochs, 3);
    EXPECT_THROW(options_in("{epochs: 1001}"), InputError);
    EXPECT_THROW(options_in("{epoch: 2}"), InputError);
}

TEST(CacheQuestion, IsCompleteOrSaysAllThatIsWrong) {
    OnePlan nothing{.workload = {.subject = {"net", "box"}, .cluster = {.name = "box"}, .files = files::Library("")},
                    .plan = {}};
    const auto asked = cache::question(nothing, {});
    const auto* const faults = std::get_if<Faults>(&asked);
    ASSERT_NE(faults, nullptr);
    ASSERT_EQ(faults->size(), 3U);
    EXPECT_EQ(faults->at(0).option, "machine");
    EXPECT_EQ(faults->at(0).message, "box does not say where samples are read from");
    EXPECT_EQ(faults->at(1).option, "samples");
    EXPECT_EQ(faults->at(2).option, "sample_size");

    nothing.workload.cluster.io = {{.name = "remote", .bandwidth = 1_GB_per_s}};
    nothing.workload.graph.dataset.samples = 500;
    const auto complete = cache::question(nothing, {.sample_size = 100_B});
    ASSERT_TRUE(std::holds_alternative<cache::Question>(complete));
    EXPECT_EQ(std::get<cache::Question>(complete).samples, 500) << "of the model file";
    EXPECT_EQ(std::get<cache::Question>(complete).sample, 100_B);
}

}  // namespace
}  // namespace dodona::questions::cache_test
