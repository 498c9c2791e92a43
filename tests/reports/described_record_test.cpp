// Described objects as JSON: base units in the keys, null for what is absent.
#include "reports/collect/described_record.hpp"

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/framework_file.hpp"
#include "files/library.hpp"
#include "files/machine_file.hpp"
#include "files/memory_profile_file.hpp"
#include "files/strategy_file.hpp"
#include "reports/render/json.hpp"

namespace dodona::reports::described_record_test {
namespace {

using Json = nlohmann::ordered_json;

files::Library shipped() { return files::Library(std::getenv("DODONA_SOURCE")); }

template <class T>
Json to_json(const T& object) {
    return Json::parse(json_line(described_record(object)));
}

TEST(DescribedRecord, NumbersAreInBaseUnitsAndKeysNameThem) {
    const cluster::Cluster cluster = files::read_cluster(
        files::parse_document(
            "cluster: pair\n"
            "source: a test\n"
            "device: {device: small, source: a sheet, memory: 16 GiB, memory_bandwidth: 900 GB/s,\n"
            "  multiprocessors: 80, matrix: {fp16: 125 TFLOP/s}, vector: 15.7 TFLOP/s, tiles: [[256, 128]],\n"
            "  launch: 500 ms, context: 0.5 GiB}\n"
            "levels:\n"
            "  - {name: node, size: 2, kind: switch, bandwidth: 50 GB/s, latency: 9 us}\n"
            "host: {memory: 2 TB, bandwidth: 64 GB/s}\n",
            "pair.yaml"),
        {});
    const Json json = to_json(cluster);
    EXPECT_EQ(json["name"], "pair");
    const Json& device = json["device"];
    EXPECT_EQ(device["name"], "small");
    EXPECT_EQ(device["memory_bytes"], 16LL << 30);
    EXPECT_EQ(device["memory_bandwidth_bytes_per_s"], 900'000'000'000);
    EXPECT_EQ(device["multiprocessors"], 80);
    EXPECT_EQ(device["matrix_flop_per_s"].dump(), R"({"fp16":125000000000000})");
    EXPECT_EQ(device["tiles"].dump(), "[[256,128]]");
    EXPECT_EQ(device["launch_s"], 0.5);
    EXPECT_EQ(device["curves"].dump(), "[]");
    EXPECT_TRUE(device.at("profile").is_null());
    EXPECT_EQ(json["levels"][0]["latency_s"], 9e-6);
    EXPECT_EQ(json["levels"][0]["kind"], "switch");
    EXPECT_TRUE(json["levels"][0].at("taper").is_null());
    EXPECT_TRUE(json.at("price").is_null());
    EXPECT_TRUE(json.at("contention").is_null());
    EXPECT_EQ(
        json["host"].dump(),
        R"({"memory_bytes":2000000000000,"bandwidth_bytes_per_s":64000000000,"memory_bandwidth_bytes_per_s":null,"source":null})");
}

TEST(DescribedRecord, ParametersOfAFrameworkSayWhichAreTimes) {
    const Json json = to_json(shipped().framework("megatron-2024"));
    EXPECT_EQ(json["name"], "megatron-2024");
    const Json& parameters = json["parameters"];
    EXPECT_TRUE(parameters["launch"].contains("value_s"));
    EXPECT_TRUE(parameters["step"].contains("bounds_s"));
    EXPECT_TRUE(parameters["matmul"].contains("value"));
    EXPECT_TRUE(parameters["recurrent_overhead"].is_null());
}

TEST(DescribedRecord, RulesOfAStrategyAreAsInItsFile) {
    const Json json = to_json(shipped().strategy("spatial"));
    EXPECT_EQ(json["axes"], Json({"spatial"}));
    EXPECT_EQ(json["rules"][2]["while"], "extent/ways >= window");
    EXPECT_EQ(json["rules"][2]["lay"]["height"], Json::array({"spatial"}));
}

TEST(DescribedRecord, OfAMemoryProfile) {
    const Json json = to_json(shipped().memory_profile("megatron-core"));
    EXPECT_EQ(json["rules"][0]["of"], "logits");
    EXPECT_GT(json["workspace_bytes"], 0);
}

}  // namespace
}  // namespace dodona::reports::described_record_test
