// The corpus of the fuzz targets, in every build: what once broke a reader, and what they start from.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include "../cases.hpp"
#include "../seeds.hpp"
#include "mutation.hpp"
#include "targets.hpp"

namespace dodona::fuzz {
namespace replay_test {

namespace fs = std::filesystem;

fs::path source() { return std::getenv("DODONA_SOURCE") == nullptr ? "." : std::getenv("DODONA_SOURCE"); }

/// The files of a folder, what is given in the cases of a text, or another file.
std::vector<cases::Case> seeds_in(const fs::path& place) {
    if (fs::is_regular_file(place)) {
        return place.extension() == ".txt" ? cases::read(place)
                                           : std::vector<cases::Case>{{place.string(), cases::content(place), {}}};
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

// A signal handler can reach nothing but globals: what is being read.
std::string reading;
std::string reading_name;

/// Leaves what ended the test in a file.
extern "C" void tell_what_was_read(int signal) {
    std::signal(signal, SIG_DFL);
    const int file = ::open("mutation", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const bool is_told = ::write(STDERR_FILENO, reading_name.data(), reading_name.size()) >= 0 &&
                         ::write(file, reading.data(), reading.size()) >= 0;
    static_cast<void>(is_told);
    std::raise(signal);
}

TEST_P(Replay, EndsWithAValueOrAnErrorAfterChangesOfStructure) {
    const Target* target = target_named(GetParam());
    ASSERT_NE(target, nullptr);
    std::vector<std::pair<std::string, Tree>> trees;
    for (const cases::Case& seed : seeds_of(*target)) {
        if (auto tree = tree_of(seed.given, target->form)) {
            trees.emplace_back(seed.name, std::move(*tree));
        }
        if (target->form == Form::json) {  // a text: its words and lines, too
            trees.emplace_back(seed.name, *tree_of(seed.given, Form::tokens));
        }
    }
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) {
        std::signal(signal, tell_what_was_read);
    }
    constexpr unsigned kSet = 58;
    constexpr unsigned kMax = 1000;
    for (const unsigned seed : drawn::seeds(kSet, kMax)) {
        std::mt19937 random(seed);
        const auto& [name, tree] = trees[random() % trees.size()];
        reading = text_of(mutated(tree, random));
        reading_name = fmt::format("{}: mutation {} of {}; it is in the file `mutation`\n", target->name, seed, name);
        EXPECT_NO_THROW(target->read(reading)) << reading_name << reading.substr(0, 4000);
    }
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) {
        std::signal(signal, SIG_DFL);
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
