// The corpus of the fuzz targets, in every build: what once broke a reader, and what they start from.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "targets.hpp"

namespace dodona::fuzz {
namespace replay_test {

namespace fs = std::filesystem;

fs::path source() { return std::getenv("DODONA_SOURCE") == nullptr ? "." : std::getenv("DODONA_SOURCE"); }

std::string content(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_of(const Target& target) {
    std::vector<fs::path> all;
    std::vector<fs::path> folders{source() / "tests/fuzz/corpus" / target.name};
    for (const std::string_view seed : target.seeds) {
        folders.push_back(source() / seed);
    }
    for (const fs::path& folder : folders) {
        std::error_code ignored;
        for (const auto& file : fs::directory_iterator(folder, ignored)) {
            if (file.is_regular_file()) {
                all.push_back(file.path());
            }
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

class Replay : public ::testing::TestWithParam<std::string> {};

TEST_P(Replay, EndsWithAValueOrAnError) {
    const Target* target = target_named(GetParam());
    ASSERT_NE(target, nullptr);
    const std::vector<fs::path> files = files_of(*target);
    EXPECT_FALSE(files.empty()) << "tests/fuzz/corpus/" << GetParam();
    for (const fs::path& file : files) {
        const std::string bytes = content(file);
        EXPECT_NO_THROW(target->read(bytes)) << file;
        EXPECT_NO_THROW(target->read(bytes.substr(0, bytes.size() / 2))) << file << ", its first half";
    }
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Target& target : targets()) {
        all.emplace_back(target.name);
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Replay, ::testing::ValuesIn(names()), [](const auto& test) { return test.param; });

}  // namespace replay_test
}  // namespace dodona::fuzz
