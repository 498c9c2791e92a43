// What becomes of every log in logs.txt: records, topologies, notes, or the fault. Those whose name starts with "bad_" are
// refused.
#include <algorithm>
#include <fstream>
#include <vector>

#include "importing.hpp"

namespace dodona::calibrate::test {
namespace imports_golden_test {

/// A log alone, or `under` other options or with another log.
struct Import {
    std::string log;
    std::string under = {};
    ImportOptions options = {};
    LevelOptions levels = {};
    std::string with = {};

    [[nodiscard]] std::string name() const { return under.empty() ? log : log + "_" + under; }
};

void PrintTo(const Import& one, std::ostream* out) { *out << one.name(); }

/// Files that need something said, and what only shows with several files or other words.
std::vector<Import> special() {
    return {
        {"bad_gen1_ambiguous.txt", "named", {.collective = "all-gather"}},
        {"bad_no_ranks_8.txt", "per-node", {.ranks = 8, .ranks_per_node = 4}},
        {"nccl_sendrecv.txt", "level", {.level = "rack"}},
        {"bad_osu_no_launch.txt", "ranks", {.ranks = 8, .ranks_per_node = 4}},
        {"nvbandwidth_default_buffer.json", "buffer", {.buffer = 64_MiB}},
        {.log = "kineto_rank0.json", .under = "kineto_rank1.json", .with = "kineto_rank1.json"},
        {"bad_kineto_one_device.json", "per-node", {.ranks_per_node = 2}},
        {"topo_h100.txt", "h100", {}, {.device = "h100-sxm5-80gb"}},
        {"topo_h100.txt",
         "nodes",
         {},
         {.device = "NVIDIA H100 80GB HBM3", .adapter_bandwidth = 50_GB_per_s, .nodes = 16}},
        {"topo_h100.txt", "unknown", {}, {.device = "abacus"}},
        {"topo_pairs_spaces.txt", "a6000", {}, {.device = "NVIDIA RTX A6000"}},
        {"topo_cube_mesh.txt", "v100", {}, {.device = "Tesla V100-SXM2-32GB"}},
        {"topo_pcie.txt", "t4", {}, {.device = "t4"}},
        {"topo_direct_pasted.txt", "a100", {}, {.device = "a100-sxm4-40gb"}},
        {"topology_nvswitch.xml", "nodes", {}, {.nodes = 4}},
        {"topology_virtual_pairs.xml", "a100", {}, {.device = "a100-pcie-80gb"}},
    };
}

/// Each log alone, and the special ones.
std::vector<Import> imports() {
    std::vector<Import> all;
    for (const cases::Case& one : cases::read(log_cases())) {
        all.push_back({.log = one.name});
    }
    for (Import& one : special()) {
        all.push_back(std::move(one));
    }
    return all;
}

class GoldenImports : public ::testing::TestWithParam<Import> {};

TEST_P(GoldenImports, AreAsWritten) {
    const Import& one = GetParam();
    std::vector<std::string> paths{(logs() / one.log).string()};
    if (!one.with.empty()) {
        paths.push_back((logs() / one.with).string());
    }
    std::string text;
    const std::string fault =
        fault_of([&] { text = description(import_files(paths, dated(one.options)), one.levels); });
    EXPECT_EQ(!fault.empty(), one.log.starts_with("bad_") && one.under.empty()) << fault;
    cases::expect(log_cases(), one.log, text + fault, one.under);
}

INSTANTIATE_TEST_SUITE_P(Logs, GoldenImports, ::testing::ValuesIn(imports()),
                         [](const auto& test) { return cases::identifier(test.param.name()); });

TEST(GoldenImportFiles, AreThereForEveryFormat) {
    const std::vector<Import> all = imports();
    EXPECT_GE(all.size(), 70U);
    for (const std::string format : {"nccl_gen1", "nccl_gen2", "nccl_gen3", "rccl", "osu", "kineto", "nvbandwidth",
                                     "topo_", "topology_", "bad_"}) {
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Import& one) { return one.log.starts_with(format); }))
            << format;
    }
}

TEST(GoldenImportFiles, AreAskedAsTheyAreExpected) {
    const std::vector<Import> all = imports();
    for (const cases::Case& one : cases::read(log_cases())) {
        for (const cases::Expectation& expected : one.expected) {
            EXPECT_TRUE(
                std::any_of(all.begin(), all.end(),
                            [&](const Import& each) { return each.log == one.name && each.under == expected.under; }))
                << one.name << " " << expected.under;
        }
    }
}

TEST(GoldenImportFiles, HoldNothingOfAUsersEnvironment) {
    for (const cases::Case& one : cases::read(log_cases())) {
        for (const cases::Expectation& expected : one.expected) {
            for (const std::string secret : {"do-not-copy", "someone", "host-1", "node-a"}) {
                const bool shown = !one.name.starts_with("bad_") && expected.text.find(secret) != std::string::npos;
                EXPECT_FALSE(shown) << secret << " in what is expected of " << one.name;
            }
        }
    }
}

/// What comes of a log whose lines have a tag before them.
std::string tagged(const std::string& log, const std::string& tag) {
    const std::filesystem::path folder = logs() / "tagged";
    std::filesystem::create_directories(folder);
    std::ifstream plain(logs() / log);
    std::ofstream file(folder / log);
    for (std::string line; std::getline(plain, line);) {
        file << tag << line << "\n";
    }
    file.close();
    std::string text;
    for (const Record& record : import_file((folder / log).string(), dated({})).records) {
        text += to_line(record) + "\n";
    }
    return text;
}

TEST(Imports, OfNcclTestsAreTheSameWithTagsBeforeLines) {
    for (const char* log : {"nccl_broadcast.txt", "nccl_alltoall_blank_redop.txt"}) {
        const std::string plain = tagged(log, "");
        EXPECT_FALSE(plain.empty());
        for (const char* tag : {"[0]", "[0] ", "node-a: ", "node-a:", "[pod/launcher-x7/main] ", "gpu01 | "}) {
            EXPECT_EQ(tagged(log, tag), plain) << log << tag;
        }
    }
}

}  // namespace imports_golden_test
}  // namespace dodona::calibrate::test
