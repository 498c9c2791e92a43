// `dodona simulate --noise`: FFN with synchronous Horovod on Theta, one point of its curve predicts the others; what is
// asked for wrongly is told.
//
// Source: W. Dong et al., "Scaling distributed training of flood-filling networks on HPC infrastructure for brain
// mapping", arXiv:1905.06236, and the author's page for the curve, digitised to 3 %. Parallel efficiency is 0.68 at 2,048
// nodes; 0.1367 is the deviation over the mean of a node's step with which the expected largest of 2,048 normal draws
// gives that.
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace noise_test {

const std::string kFfn =
    "simulate ffn --machine theta --strategy data --mesh data=2048 --gpus 2048 --batch 8192 --micro-batch 4 "
    "--precision fp32 --software none ";

struct Point {
    int nodes;
    double efficiency;
};
constexpr std::array kMeasured{Point{2, .861},   Point{4, .885},   Point{8, .842},   Point{16, .814},
                               Point{32, .803},  Point{64, .788},  Point{128, .773}, Point{256, .800},
                               Point{512, .761}, Point{1024, .709}};

TEST(Noise, OnePointOfTheCurveOfThetaPredictsTheOtherTen) {
    const Folder place;
    const Outcome outcome = place.run(kFfn + "--noise '{on: compute, deviation: 0.1367}' --steps 400 --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json noise = nlohmann::json::parse(outcome.out)["noise"];
    std::map<int, double> efficiency;
    for (const nlohmann::json& scale : noise["scales"]) {
        efficiency[scale["replicas"].get<int>()] = scale["efficiency"];
    }
    EXPECT_NEAR(efficiency.at(2048), 0.68, 0.003) << "the point of the fit";
    int within_six_percent = 0;
    for (const auto& [nodes, measured] : kMeasured) {
        EXPECT_NEAR(efficiency.at(nodes), measured, 0.08) << nodes << " nodes";
        within_six_percent += std::abs(efficiency.at(nodes) - measured) < 0.06 ? 1 : 0;
    }
    EXPECT_GE(within_six_percent, 8);
    EXPECT_EQ(noise["folded"]["replicas_played"], 2048);
    EXPECT_EQ(noise["steps_s"].size(), 400U);
}

/// 0.72 fields of view a second on one node, as measured, and 0.68 * 0.72 * 2,048 of them on 2,048 that wait for the slowest.
TEST(Noise, OfThetaLeavesTheThroughputThatWasMeasured) {
    const Folder place;
    const Outcome one =
        place.run("predict ffn --machine theta --gpus 1 --strategy data --batch 4 --software none --json");
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_NEAR(4 / nlohmann::json::parse(one.out)["plan"]["step_time_s"]["value"].get<double>(), 0.72, 0.001);
    const Outcome all = place.run(kFfn + "--noise '{on: compute, deviation: 0.1367}' --steps 100 --json");
    ASSERT_EQ(all.code, 0) << all.err;
    EXPECT_NEAR(8192 / nlohmann::json::parse(all.out)["noise"]["with"]["mean_s"].get<double>(), 1003, 0.02 * 1003);
}

TEST(Noise, ItsFileAndItsWordOfTheCommandLineAreTheSame) {
    const Folder place;
    std::ofstream(place.path() / "noise.yaml")
        << "noise: theta\nsource: a test\nsources: [{on: compute, deviation: 0.1}]\n";
    const std::string rest = " --steps 3 --seed 5 --format json";
    const Outcome file = place.run(kFfn + "--noise noise.yaml" + rest);
    const Outcome word = place.run(kFfn + "--noise '{on: compute, deviation: 0.1}'" + rest);
    ASSERT_EQ(file.code, 0) << file.err;
    EXPECT_EQ(file.out, word.out);
    EXPECT_NE(file.out, place.run(kFfn + "--noise noise.yaml --steps 3 --seed 6 --format json").out);
    EXPECT_EQ(place.run("check noise.yaml").out, "noise.yaml: noise theta: 1 source\n");
}

/// M2N2S4: bursts of 2 s in 8, of memory, which is the processor's on Theta, and of the network.
TEST(Noise, PatternsOfLoadsAreSources) {
    const Folder place;
    const std::string rest = " --steps 50 --seed 5 --format json";
    const auto steps = [&](const std::string& noise) {
        const Outcome outcome = place.run(
            "simulate ffn --machine theta --strategy data --mesh data=8 --gpus 8 --batch 32 "
            "--micro-batch 4 --precision fp32 --software none " +
            noise + rest);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out)["noise"]["steps_s"];
    };
    EXPECT_EQ(steps("--noise M2N2S4"), steps("--noise '{on: host, mean: 1, burst: 2 s, silence: 6 s}' "
                                             "--noise '{on: network, mean: 1, burst: 2 s, silence: 6 s}' "
                                             "--noise '{on: compute, mean: 1, burst: 2 s, silence: 6 s}'"));
    EXPECT_NE(place.run(kFfn + "--noise M2X2").err.find("M2X2"), std::string::npos);
}

TEST(Noise, WhatIsWrongIsTold) {
    const Folder place;
    const auto error_of = [&](const std::string& words) {
        const Outcome outcome = place.run(kFfn + words);
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        return outcome.err;
    };
    EXPECT_NE(error_of("--steps 5").find("--steps: it is of steps with noise"), std::string::npos);
    EXPECT_NE(error_of("--noise '{on: compute, deviatoin: 0.1}'").find("did you mean \"deviation\"?"),
              std::string::npos);
    EXPECT_NE(error_of("--noise '{on: compute}'").find("--noise:1:1: error: noise of nothing"), std::string::npos);
    EXPECT_NE(error_of("--noise none.yaml").find("none.yaml"), std::string::npos);
    EXPECT_NE(error_of("--host-cores 64").find("--host-cores: it is of --study"), std::string::npos);
    EXPECT_NE(error_of("--noise '{on: compute, mean: 1}' --steps 0").find("--steps"), std::string::npos);
}

}  // namespace noise_test
}  // namespace dodona::cli::testing
