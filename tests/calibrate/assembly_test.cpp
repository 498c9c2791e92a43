// What records make of a machine that is known before.
#include "calibrate/machine/assembly.hpp"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "files/library.hpp"

namespace dodona::calibrate {
namespace assembly_test {

Record interference(const char* backend, std::map<std::string, Parameter> words, std::map<std::string, double> values) {
    words["resource"] = "collective";
    return {.backend = backend,
            .pass = Pass::time,
            .date = "2026-11-21T00:00:00Z",
            .what = Measurement{.of = {.benchmark = "interference", .parameters = std::move(words)},
                                .time = {.samples = 9},
                                .values = std::move(values),
                                .words = {}}};
}

Record environment(const char* device) {
    return {.backend = "cuda",
            .pass = Pass::time,
            .date = "2026-11-21T00:00:00Z",
            .what = Environment{{{"device", device}}}};
}

Assembled made_of(const std::vector<Record>& records) {
    static const cluster::Cluster before = files::Library(std::getenv("DODONA_SOURCE")).cluster("dgx-h100");
    return assembled({.name = "mine", .records = &records, .before = &before, .levels = {}});
}

bool says(const std::vector<std::string>& sentences, std::string_view part) {
    return std::any_of(sentences.begin(), sentences.end(),
                       [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

// A product takes 1.25 times as long beside a collective that takes 1.5 times as long: of 1.5 s beside each other
// 1.5 (1 - 1 / 1.25) = 0.3 s are lost for each second that the collective takes alone.
TEST(Assembly, ProductsLoseTimeToCollectivesBesideThem) {
    const std::vector<Record> of_gpus{
        interference("cuda", {{"kernel", "matmul"}}, {{"slow_down", 1.25}, {"load_slow_down", 1.5}})};
    ASSERT_TRUE(made_of(of_gpus).cluster.interference.has_value());
    EXPECT_NEAR(made_of(of_gpus).cluster.interference->lost, 0.3, 1e-12);

    // MPI measures the collective, and computing is the load. The worst of several counts.
    std::vector<Record> of_ranks{
        interference("mpi", {{"kernel", "collective"}}, {{"slow_down", 1.5}, {"load_slow_down", 1.25}}),
        interference("mpi", {{"kernel", "collective"}, {"ranks", 2.0}}, {{"slow_down", 1.1}, {"load_slow_down", 0.9}})};
    EXPECT_NEAR(made_of(of_ranks).cluster.interference->lost, 0.3, 1e-12);
    of_ranks.erase(of_ranks.begin());
    EXPECT_EQ(made_of(of_ranks).cluster.interference->lost, 0);
    EXPECT_FALSE(made_of({environment("NVIDIA H100 80GB HBM3")}).cluster.interference.has_value());
}

Record stored(const char* benchmark, std::map<std::string, Parameter> words, std::map<std::string, double> values) {
    return {.backend = "storage",
            .pass = Pass::time,
            .date = "2026-11-21T00:00:00Z",
            .what = Measurement{.of = {.benchmark = benchmark, .parameters = std::move(words)},
                                .time = {.median = Seconds::of_base(0.5), .samples = 9},
                                .values = std::move(values),
                                .words = {}}};
}

// 4 writers of 1 GB each in half a second: the node writes 8 GB/s.
TEST(Assembly, FilesAndCheckpointsMakeAStorage) {
    std::vector<Record> records{
        stored("file", {{"operation", "read"}, {"bytes", 1e9}, {"writers", 1.}}, {}),
        stored("file", {{"operation", "write"}, {"bytes", 1e9}, {"writers", 4.}}, {}),
        stored("checkpoint", {{"operation", "write"}, {"format", "npz"}}, {{"encode_bandwidth", 3e9}, {"ratio", 1.01}}),
        stored("checkpoint", {{"operation", "read"}, {"format", "npz"}}, {{"decode_bandwidth", 5e9}, {"ratio", 1.01}}),
        stored("checkpoint", {{"operation", "write"}, {"format", "raw"}}, {{"encode_bandwidth", 3e9}, {"ratio", 1}})};
    const auto storage = made_of(records).cluster.storage;
    ASSERT_TRUE(storage);
    EXPECT_EQ(storage->bandwidth.in(unit::byte_per_second), 2e9);
    EXPECT_EQ(storage->write->in(unit::byte_per_second), 8e9);
    ASSERT_EQ(storage->checkpoints.size(), 1U) << "raw was never read";
    EXPECT_EQ(storage->checkpoints.front(),
              (cluster::CheckpointRate{cluster::CheckpointFormat::npz, BytesPerSecond::of_base(3e9),
                                       BytesPerSecond::of_base(5e9), 1.01}));
    records.erase(records.begin() + 1);
    EXPECT_FALSE(made_of(records).cluster.storage->write) << "writing was not measured";
}

TEST(Assembly, AnotherModelThanTheMachinesIsSaid) {
    EXPECT_FALSE(says(made_of({environment("NVIDIA H100 80GB HBM3")}).missing, "was measured, and"));
    EXPECT_TRUE(says(made_of({environment("NVIDIA H200")}).missing, "'NVIDIA H200' was measured, and dgx-h100"));
}

Case product(const char* precision) {
    return {.benchmark = "matmul",
            .parameters = {{"m", 512.0}, {"n", 512.0}, {"k", 512.0}, {"batch", 1.0}, {"precision", precision}}};
}

Planned on_a_gpu(std::vector<Case> cases, std::vector<Case> networks) {
    return {.backend = "cuda",
            .environment = {{{"device", "NVIDIA A100-SXM4-80GB"}, {"memory", "85e9"}, {"memory_bandwidth", "2e12"}}},
            .cases = std::move(cases),
            .networks = std::move(networks)};
}

/// What is refused; empty: nothing.
std::string refusal(const char* machine, const std::vector<Planned>& planned) {
    const std::vector<Record> records;
    std::optional<cluster::Cluster> before;
    if (machine != nullptr) {
        before = files::Library(std::getenv("DODONA_SOURCE")).cluster(machine);
    }
    try {
        check_planned({.name = "mine", .records = &records, .before = before ? &*before : nullptr, .levels = {}},
                      planned);
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

// Of the general list, which has all precisions, a back end leaves out what its device lacks: fp8 on an A100.
TEST(Planned, IsRefusedOnlyWhereNoMeasurementCanMakeAMachine) {
    const Case narrow = product("fp8");
    const Planned general = on_a_gpu({product("fp32"), narrow}, {});
    EXPECT_EQ(refusal("dgx-a100", {general}), "");
    EXPECT_EQ(refusal(nullptr, {general}), "");
    EXPECT_EQ(refusal("dgx-h100", {on_a_gpu({narrow}, {narrow})}), "");
    EXPECT_EQ(refusal("dgx-a100", {on_a_gpu({narrow}, {narrow})}),
              "kernels in fp8 are measured, and a100-sxm4-40gb does not compute in it");
    const Planned storage{.backend = "storage", .environment = {}, .cases = {}, .networks = {}};
    EXPECT_EQ(refusal("dgx-a100", {storage}), "");
    EXPECT_EQ(refusal(nullptr, {storage}), "no file says which device the machine has");
    EXPECT_EQ(refusal(nullptr, {storage, general}), "");
    Planned endless = general;
    endless.environment.facts["memory"] = "inf";
    EXPECT_EQ(refusal(nullptr, {endless}), "the back end says that \"memory\" of its device is inf");
    endless = general;
    endless.environment.facts["host_memory"] = "-1";
    EXPECT_EQ(refusal("dgx-a100", {endless}), "the back end says that \"host_memory\" of its device is -1");
}

}  // namespace assembly_test
}  // namespace dodona::calibrate
