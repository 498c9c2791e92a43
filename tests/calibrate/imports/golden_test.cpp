// Of every file in logs/ becomes what the file .expected beside it says: records, topologies, notes, or the fault.
// DODONA_ACCEPT=1 rewrites them. Files whose name starts with "bad_" are refused.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "importing.hpp"

namespace dodona::calibrate::test {
namespace imports_golden_test {

namespace fs = std::filesystem;

struct Import {
    std::string name;  ///< of the golden file
    std::vector<std::string> files;
    ImportOptions options = {};
    LevelOptions levels = {};
};

void PrintTo(const Import& one, std::ostream* out) { *out << one.name; }

/// Files that need something said, and what only shows with several files or other words.
std::vector<Import> special() {
    return {
        {"bad_gen1_ambiguous+named", {"bad_gen1_ambiguous.txt"}, {.collective = "all-gather"}},
        {"bad_no_ranks_8+per-node", {"bad_no_ranks_8.txt"}, {.ranks_per_node = 4}},
        {"nccl_sendrecv+level", {"nccl_sendrecv.txt"}, {.level = "rack"}},
        {"bad_osu_no_launch+ranks", {"bad_osu_no_launch.txt"}, {.ranks = 8, .ranks_per_node = 4}},
        {"nvbandwidth_default_buffer+buffer", {"nvbandwidth_default_buffer.json"}, {.buffer = 64_MiB}},
        {"kineto_two_ranks", {"kineto_rank0.json", "kineto_rank1.json"}},
        {"bad_kineto_one_device+per-node", {"bad_kineto_one_device.json"}, {.ranks_per_node = 2}},
        {"topo_h100+h100", {"topo_h100.txt"}, {}, {.device = "h100-sxm5-80gb"}},
        {"topo_h100+nodes",
         {"topo_h100.txt"},
         {},
         {.device = "NVIDIA H100 80GB HBM3", .adapter_bandwidth = 50_GB_per_s, .nodes = 16}},
        {"topo_h100+unknown", {"topo_h100.txt"}, {}, {.device = "abacus"}},
        {"topo_pairs_spaces+a6000", {"topo_pairs_spaces.txt"}, {}, {.device = "NVIDIA RTX A6000"}},
        {"topo_cube_mesh+v100", {"topo_cube_mesh.txt"}, {}, {.device = "Tesla V100-SXM2-32GB"}},
        {"topo_pcie+t4", {"topo_pcie.txt"}, {}, {.device = "t4"}},
        {"topo_direct_pasted+a100", {"topo_direct_pasted.txt"}, {}, {.device = "a100-sxm4-40gb"}},
        {"topology_nvswitch+nodes", {"topology_nvswitch.xml"}, {}, {.nodes = 4}},
        {"topology_virtual_pairs+a100", {"topology_virtual_pairs.xml"}, {}, {.device = "a100-pcie-80gb"}},
    };
}

/// Each file alone, and the special ones.
std::vector<Import> cases() {
    std::vector<Import> all;
    std::error_code fault;
    for (const auto& file : fs::directory_iterator(logs(), fault)) {
        if (file.path().extension() != ".expected") {
            all.push_back({file.path().filename().string(), {file.path().filename().string()}});
        }
    }
    std::sort(all.begin(), all.end(), [](const Import& a, const Import& b) { return a.name < b.name; });
    for (Import& one : special()) {
        all.push_back(std::move(one));
    }
    return all;
}

std::string content(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class GoldenImports : public ::testing::TestWithParam<Import> {};

TEST_P(GoldenImports, AreAsWritten) {
    const Import& one = GetParam();
    std::vector<std::string> paths;
    for (const std::string& file : one.files) {
        paths.push_back((logs() / file).string());
    }
    std::string text;
    const std::string fault =
        fault_of([&] { text = description(import_files(paths, dated(one.options)), one.levels); });
    EXPECT_EQ(!fault.empty(), one.name.starts_with("bad_") && one.name.find('+') == std::string::npos) << fault;
    text += fault;

    const fs::path golden = logs() / (one.name + ".expected");
    const char* accept = std::getenv("DODONA_ACCEPT");
    if (accept != nullptr && std::string(accept) == "1") {
        std::ofstream(golden, std::ios::binary) << text;
    }
    EXPECT_EQ(text, content(golden)) << "DODONA_ACCEPT=1 rewrites " << golden;
}

INSTANTIATE_TEST_SUITE_P(Logs, GoldenImports, ::testing::ValuesIn(cases()), [](const auto& test) {
    std::string name = test.param.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
});

TEST(GoldenImportFiles, AreThereForEveryFormat) {
    const std::vector<Import> all = cases();
    EXPECT_GE(all.size(), 70U);
    for (const std::string format : {"nccl_gen1", "nccl_gen2", "nccl_gen3", "rccl", "osu", "kineto", "nvbandwidth",
                                     "topo_", "topology_", "bad_"}) {
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Import& one) {
            return one.name.starts_with(format);
        })) << format;
    }
}

TEST(GoldenImportFiles, BelongToACaseEach) {
    const std::vector<Import> all = cases();
    for (const auto& file : fs::directory_iterator(logs())) {
        if (file.path().extension() == ".expected") {
            EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Import& one) {
                return one.name == file.path().stem().string();
            })) << file.path();
        }
    }
}

TEST(GoldenImportFiles, HoldNothingOfAUsersEnvironment) {
    for (const auto& file : fs::directory_iterator(logs())) {
        if (file.path().extension() == ".expected" && file.path().stem().string().find("bad_") == std::string::npos) {
            const std::string text = content(file.path());
            for (const std::string secret : {"do-not-copy", "someone", "host-1", "node-a"}) {
                const bool shown = text.find(secret) != std::string::npos;
                EXPECT_FALSE(shown) << secret << " in " << file.path();
            }
        }
    }
}

}  // namespace imports_golden_test
}  // namespace dodona::calibrate::test
