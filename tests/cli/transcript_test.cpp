// The program as a user meets it: golden/*.txt are transcripts, `$ dodona ...` followed by what it prints and its exit
// code. Each command runs in a folder of its own. DODONA_ACCEPT=1 rewrites what follows the commands.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "running.hpp"

namespace dodona::cli::testing {
namespace transcript_test {

namespace fs = std::filesystem;

fs::path folder() { return source() / "tests/cli/golden"; }

std::vector<std::string> transcripts() {
    std::vector<std::string> names;
    std::error_code fault;
    for (const auto& file : fs::directory_iterator(folder(), fault)) {
        names.push_back(file.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

class Transcript : public ::testing::TestWithParam<std::string> {};

TEST_P(Transcript, ReplaysWordForWord) {
    if (GetParam() == "calibrate" && !can_calibrate()) {
        GTEST_SKIP() << "dodona-calibrate is not built";
    }
    const fs::path path = folder() / (GetParam() + ".txt");
    const std::string before = content(path);
    ASSERT_NE(before.find("$ dodona"), std::string::npos) << path;
    const std::string now = replayed(before, Folder());
    const char* accept = std::getenv("DODONA_ACCEPT");
    if (accept != nullptr && std::string(accept) == "1") {
        std::ofstream(path, std::ios::binary) << now;
    }
    EXPECT_EQ(content(path), now) << "DODONA_ACCEPT=1 rewrites " << path;
}

INSTANTIATE_TEST_SUITE_P(Program, Transcript, ::testing::ValuesIn(transcripts()), [](const auto& test) {
    std::string name = test.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace transcript_test
}  // namespace dodona::cli::testing
