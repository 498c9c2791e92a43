// `dodona cache`, the row of the seed: remote, disks, memory, epoch by epoch.
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace cache_test {

using nlohmann::json;

constexpr const char* kMachine =
    "cluster: cloud\n"
    "source: \"made up\"\n"
    "device: v100-sxm2-32gb\n"
    "levels:\n"
    "  - {name: node, size: 8, kind: switch, bandwidth: 25 GB/s, latency: 5 us}\n"
    "  - {name: room, size: 16, kind: switch, links: 1, bandwidth: 3.125 GB/s, latency: 30 us}\n"
    "io:\n"
    "  - {name: remote, bandwidth: 0.2 GB/s}\n"
    "  - {name: ssd, memory: 1 TB, bandwidth: 2 GB/s}\n"
    "  - {name: memory, memory: 200 GB, bandwidth: 20 GB/s, decoded: true}\n";

Outcome run(const std::string& words) {
    const Folder place;
    std::ofstream(place.path() / "cloud.yaml") << kMachine;
    return place.run("cache " + words);
}

TEST(SeedRow, cache) {
    const Outcome outcome =
        run("resnet50 --machine cloud.yaml --gpus 128 --batch 8192 --strategy data --epochs 3 --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json answer = json::parse(outcome.out);
    ASSERT_EQ(answer["epochs"].size(), 3U);
    const json& epochs = answer["epochs"];
    const double sample = answer["sample_bytes"];
    // A node of 16 reads 512 samples a step.
    EXPECT_NEAR(epochs[0]["reading_s"], 512 * sample / 0.2e9, 1e-9);
    EXPECT_NEAR(epochs[1]["reading_s"], 512 * sample / 2e9, 1e-9);
    EXPECT_NEAR(epochs[2]["reading_s"], 512 * 3 * 224 * 224 * 4.0 / 20e9, 1e-9) << "as tensors";
    EXPECT_EQ(epochs[1]["tiers"][0]["tier"], "ssd");
    for (int i = 0; i < 2; ++i) {
        EXPECT_GE(epochs[i]["input_s"], epochs[i + 1]["input_s"].get<double>());
        EXPECT_GE(epochs[i]["step_s"], epochs[i + 1]["step_s"].get<double>());
    }
    EXPECT_GT(epochs[0]["exposed_s"], 0) << "reading from afar takes longer than a step";
    EXPECT_NEAR(epochs[0]["step_s"].get<double>(),
                answer["step_s"].get<double>() + epochs[0]["exposed_s"].get<double>(), 1e-12);
}

/// 16 nodes share the 15 Gb/s of a bucket; then each has its disk.
TEST(Cache, OfTheTencentClusterIsItsBucketThenItsDisks) {
    const Outcome outcome = Folder().run(
        "cache resnet50 --machine tencent-v100-25gbe --gpus 128 --batch 8192 --strategy data --epochs 2 --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json answer = json::parse(outcome.out);
    const double node = 512 * answer["sample_bytes"].get<double>();
    EXPECT_NEAR(answer["epochs"][0]["reading_s"], node / (15e9 / 8 / 16), 1e-9);
    EXPECT_NEAR(answer["epochs"][1]["reading_s"], node / 350e6, 1e-9);
}

/// One model of reading: of storage that all nodes share, `predict` shows what `cache` shows.
TEST(Cache, OfStorageIsWhatPredictSays) {
    const Folder place;
    std::ofstream(place.path() / "shared.yaml")
        << std::string(kMachine).substr(0, std::string(kMachine).find("io:"))
        << "storage: {bandwidth: 1 GB/s, system_read: 2 GB/s, source: \"made up\"}\n";
    const std::string job = " resnet50 --machine shared.yaml --gpus 128 --batch 8192 --strategy data --json";
    const json predicted = json::parse(place.run("predict" + job).out);
    const json cached = json::parse(place.run("cache" + job).out);
    const double reading = 512 * cached["sample_bytes"].get<double>() / (2e9 / 16);
    EXPECT_NEAR(cached["epochs"][0]["reading_s"], reading, 1e-9);
    EXPECT_GT(cached["epochs"][0]["exposed_s"], 0);
    EXPECT_NEAR(predicted["plan"]["step_time_s"]["value"].get<double>() / cached["epochs"][0]["step_s"].get<double>(),
                1, 1e-9);
}

/// ResNet-50's 161 tensors, each with two norms, over the 128 V100 of the seed.
TEST(SeedRow, pto) {
    const Folder place;
    const Outcome outcome = place.run(
        "predict resnet50 --machine tencent-v100-25gbe --gpus 128 --strategy data --optimizer lars --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json norms = json::parse(outcome.out)["norms"];
    EXPECT_EQ(norms["tensors"], 161);
    EXPECT_EQ(norms["ranks"], 128);
    // Two tensors of 161 on some ranks: a 128th and a little more.
    EXPECT_LT(norms["most_of_a_rank_s"], norms["all_s"].get<double>() / 40);
    EXPECT_GT(norms["most_of_a_rank_s"], norms["all_s"].get<double>() / 128);
    EXPECT_DOUBLE_EQ(norms["split_s"].get<double>(),
                     norms["most_of_a_rank_s"].get<double>() + norms["gather_s"].get<double>());
    EXPECT_TRUE(json::parse(place
                                .run("predict resnet50 --machine abci --gpus 4 --strategy zero1 --optimizer lars "
                                     "--format json")
                                .out)["norms"]
                    .is_null())
        << "states that are sharded have their norms sharded too";
}

TEST(Cache, NeedsADataSetAndAPlaceOfIt) {
    EXPECT_NE(run("llama-3.1-8b --machine cloud.yaml --gpus 128 --strategy zero3").err.find("--samples"),
              std::string::npos);
    const Outcome nowhere = run("resnet50 --machine zion --gpus 8 --strategy data");
    EXPECT_EQ(nowhere.code, 2);
    EXPECT_NE(nowhere.err.find("does not say where samples are read from"), std::string::npos);
    EXPECT_NE(nowhere.err.find("add `io:"), std::string::npos);
}

}  // namespace cache_test
}  // namespace dodona::cli::testing
