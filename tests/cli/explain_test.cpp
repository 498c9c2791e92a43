// plan --explain: crossovers of plans on real machines.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace explain_test {

/// With a little less memory than it needs, the recommended ZeRO-2 must halve its micro-batch and loses by 7 %; with
/// less still the others must too, and it is one of the fastest again.
TEST(Explain, NamesTheCrossoverJustBelowTheMemoryThatThePlanNeeds) {
    const Folder place;
    const Outcome asked = place.run(
        "plan gnmt-8 --machine dgx-1-v100-16gb --gpus 8 --batch 65536 --software none --top 1 --explain --format json");
    ASSERT_EQ(asked.code, 0) << asked.err;
    const nlohmann::json answer = nlohmann::json::parse(asked.out);
    const auto& parameters = answer["explanation"]["parameters"];
    const auto memory = std::find_if(parameters.begin(), parameters.end(),
                                     [](const nlohmann::json& parameter) { return parameter["key"] == "memory"; });
    ASSERT_NE(memory, parameters.end());
    const nlohmann::json& crossover = (*memory)["less"]["crossover"];
    ASSERT_FALSE(crossover.is_null());
    const double there = crossover["factor"].get<double>() * (*memory)["now"].get<double>();
    const double needed =
        answer["plans"][0]["memory_bytes"]["total"].get<double>() / (1 - answer["reserve"].get<double>());
    EXPECT_NEAR(there / needed, 1, 1e-3);
    EXPECT_NE(crossover["to"]["strategy"], answer["plans"][0]["strategy"]);
}

}  // namespace explain_test
}  // namespace dodona::cli::testing
