// Described objects as JSON: base units in the keys, null for what is absent.
#include "files/json_writer.hpp"

#include "files/memory_profile_file.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace json_writer_test {

Library shipped() { return Library(here().parent_path().parent_path()); }

TEST(JsonWriter, NumbersAreInBaseUnitsAndKeysNameThem) {
    const cluster::Cluster cluster = read_cluster(
        parse_document(
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
    EXPECT_EQ(json["device"].dump(),
              R"({"name":"small","source":"a sheet","memory_bytes":17179869184,)"
              R"("memory_bandwidth_bytes_per_s":900000000000,"multiprocessors":80,)"
              R"("matrix_flop_per_s":{"fp16":125000000000000},"vector_flop_per_s":15700000000000,)"
              R"("tiles":[[256,128]],"launch_s":0.5,"context_bytes":536870912,"curves":[],"profile":null})");
    EXPECT_EQ(json["levels"][0]["latency_s"], 9e-6);
    EXPECT_EQ(json["levels"][0]["kind"], "switch");
    EXPECT_TRUE(json["levels"][0].at("taper").is_null());
    EXPECT_TRUE(json.at("price").is_null());
    EXPECT_TRUE(json.at("contention").is_null());
    EXPECT_EQ(json["host"].dump(),
              R"({"memory_bytes":2000000000000,"bandwidth_bytes_per_s":64000000000,"source":null})");
}

TEST(JsonWriter, ParametersOfAFrameworkSayWhichAreTimes) {
    const Json json = to_json(shipped().framework("megatron-2024"));
    EXPECT_EQ(json["name"], "megatron-2024");
    const Json& parameters = json["parameters"];
    EXPECT_TRUE(parameters["launch"].contains("value_s"));
    EXPECT_EQ(parameters["launch"]["bounds_s"], Json({(5_us).in(1_s), (200_us).in(1_s)}));
    EXPECT_TRUE(parameters["matmul"].contains("value"));
    EXPECT_TRUE(parameters["cell"].is_null());
}

TEST(JsonWriter, RulesOfAStrategyAreAsInItsFile) {
    const Json json = to_json(library().strategy("tensor"));
    EXPECT_EQ(json["axes"], Json({"tensor", "data", "pipeline", "expert"}));
    EXPECT_EQ(json["rules"][3]["while"], "extent/ways >= window");
    EXPECT_EQ(json["rules"][2]["lay"].begin().value(), Json({"tensor", "expert"}));
}

TEST(JsonWriter, OfAMemoryProfile) {
    const Json json = to_json(shipped().memory_profile("megatron-core"));
    EXPECT_EQ(json["loss"], "in-place");
    EXPECT_GT(json["workspace_bytes"], 0);
}

}  // namespace json_writer_test
}  // namespace dodona::files::testing
