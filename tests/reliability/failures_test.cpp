// Mean times between failures, by hand and as published.
#include "reliability/failures.hpp"

#include <gtest/gtest.h>

namespace dodona::reliability::testing {
namespace failures_test {

TEST(Failures, AddUpOverComponents) {
    const std::vector<Component> components{{"gpu", FailureUnit::device, 1000 * unit::hour, true},
                                            {"host", FailureUnit::node, 500 * unit::hour, true},
                                            {"software", FailureUnit::job, 100 * unit::hour, false}};
    // 16/1000 + 2/500 + 1/100 = 0.03 an hour.
    EXPECT_NEAR(job_mtbf(components, {16, 2}).in(unit::hour), 1 / 0.03, 1e-9);
    EXPECT_NEAR(failures_per_second(components[1], {16, 2}) * 3600, 0.004, 1e-12);
}

TEST(Failures, AreThoseOfTheirSourceOnItsOwnMachine) {
    for (const PublishedFailures& published : published_failures()) {
        const Seconds mtbf = job_mtbf(published.components(), {published.devices, published.nodes});
        EXPECT_NEAR(published.period / mtbf, static_cast<double>(published.interruptions()), 1e-6) << published.name;
    }
}

TEST(Failures, OfLlama3AreOneEveryThreeHours) {
    const PublishedFailures& llama = published_failures().front();
    EXPECT_EQ(llama.interruptions(), 419);
    EXPECT_NEAR(job_mtbf(llama.components(), {16'384, 2'048}).in(unit::hour), 3.09, 0.005);
}

}  // namespace failures_test
}  // namespace dodona::reliability::testing
