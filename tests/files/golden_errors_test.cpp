// Every file under bad/KIND/ is told what is wrong with it as in the .txt beside it. DODONA_ACCEPT=1 rewrites them.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "files/run_table.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace golden_errors_test {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// "model/unknown-key"
std::vector<std::string> cases() {
    std::vector<std::string> names;
    std::error_code fault;
    for (const auto& file : fs::recursive_directory_iterator(here() / "bad", fault)) {
        if (file.is_regular_file() && file.path().extension() != ".txt") {
            names.push_back(file.path().parent_path().filename().string() + "/" + file.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// Tables of runs are comma-separated, all else is YAML.
std::string ending_of(const std::string& kind) { return kind == "runs" ? ".csv" : ".yaml"; }

void read(const std::string& kind, const fs::path& path, const std::string& shown) {
    if (kind == "runs") {
        static_cast<void>(read_runs(read_csv(content(path), shown)));
    } else {
        read_as(kind, load_document(path, shown, command_line()));
    }
}

class GoldenErrors : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenErrors, TellWhatIsWrongAndWhere) {
    const std::string kind = GetParam().substr(0, GetParam().find('/'));
    const std::string file = "bad/" + GetParam() + ending_of(kind);
    const fs::path path = here() / file;
    std::string told = fault_of([&] { read(kind, path, file); });
    const std::string machine = here().string() + "/";
    for (std::size_t at = told.find(machine); at != std::string::npos; at = told.find(machine)) {
        told.erase(at, machine.size());
    }
    EXPECT_NE(told, "") << "nothing is wrong with " << path;

    const fs::path golden = here() / "bad" / (GetParam() + ".txt");
    const char* accept = std::getenv("DODONA_ACCEPT");
    if (accept != nullptr && std::string(accept) == "1") {
        std::ofstream(golden, std::ios::binary) << told;
    }
    EXPECT_EQ(told, content(golden)) << "DODONA_ACCEPT=1 rewrites " << golden;
}

INSTANTIATE_TEST_SUITE_P(Bad, GoldenErrors, ::testing::ValuesIn(cases()), [](const auto& test) {
    std::string name = test.param;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
    return name;
});

TEST(GoldenErrorFiles, CoverEveryKindOfFile) {
    const std::vector<std::string> names = cases();
    EXPECT_GE(names.size(), 100U);
    for (const std::string kind : {"model/", "cluster/", "device/", "strategy/", "plan/", "runs/"}) {
        EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return name.rfind(kind, 0) == 0;
        })) << kind;
    }
}

TEST(GoldenErrorFiles, HaveAFileEach) {
    for (const auto& file : fs::recursive_directory_iterator(here() / "bad")) {
        if (file.path().extension() == ".txt") {
            const std::string kind = file.path().parent_path().filename().string();
            EXPECT_TRUE(fs::exists(fs::path(file.path()).replace_extension(ending_of(kind)))) << file.path();
        }
    }
}

}  // namespace golden_errors_test
}  // namespace dodona::files::testing
