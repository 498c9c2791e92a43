// The corpus of the fuzz targets, in every build: what once broke a reader, and what they start from.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "../cases.hpp"
#include "targets.hpp"

namespace dodona::fuzz {
namespace replay_test {

namespace fs = std::filesystem;

fs::path source() { return std::getenv("DODONA_SOURCE") == nullptr ? "." : std::getenv("DODONA_SOURCE"); }

/// The files of a folder, and what is given in the cases of a file.
std::vector<cases::Case> seeds_in(const fs::path& place) {
    if (fs::is_regular_file(place)) {
        return cases::read(place);
    }
    std::vector<cases::Case> all;
    std::error_code ignored;
    for (const auto& file : fs::directory_iterator(place, ignored)) {
        if (file.is_regular_file()) {
            all.push_back({file.path().string(), cases::content(file.path()), {}});
        }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
}

std::vector<cases::Case> seeds_of(const Target& target) {
    std::vector<cases::Case> all = seeds_in(source() / "tests/fuzz/corpus" / target.name);
    for (const std::string_view place : target.seeds) {
        const std::vector<cases::Case> more = seeds_in(source() / place);
        EXPECT_FALSE(more.empty()) << place;
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

class Replay : public ::testing::TestWithParam<std::string> {};

TEST_P(Replay, EndsWithAValueOrAnError) {
    const Target* target = target_named(GetParam());
    ASSERT_NE(target, nullptr);
    const std::vector<cases::Case> seeds = seeds_of(*target);
    EXPECT_FALSE(seeds.empty()) << "tests/fuzz/corpus/" << GetParam();
    for (const cases::Case& seed : seeds) {
        EXPECT_NO_THROW(target->read(seed.given)) << seed.name;
        EXPECT_NO_THROW(target->read(seed.given.substr(0, seed.given.size() / 2))) << seed.name << ", its first half";
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
