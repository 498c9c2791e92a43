// Whatever bytes a file has, reading it ends: with a value or with a fault that is told.
#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "reading.hpp"

namespace dodona::files::testing {
namespace robustness_test {

namespace fs = std::filesystem;

struct Sample {
    std::string kind;
    std::string text;
    fs::path folder;
};

std::string kind_of(const fs::path& path) {
    const std::string folder = path.parent_path().filename().string();
    const std::vector<std::pair<std::string, std::string>> kinds{
        {"models", "model"},        {"clusters", "cluster"},     {"links", "link"},          {"devices", "device"},
        {"strategies", "strategy"}, {"frameworks", "framework"}, {"mechanisms", "mechanism"}};
    for (const auto& entry : kinds) {
        if (entry.first == folder) {
            return entry.second;
        }
    }
    return folder == "library" ? "plan" : folder;
}

/// Every bad file up to a size (the large ones say nothing new here), and the good ones of the small library.
std::vector<Sample> samples() {
    constexpr std::size_t kLargest = 1500;
    std::vector<fs::path> paths;
    for (const char* folder : {"bad", "library"}) {
        for (const auto& file : fs::recursive_directory_iterator(here() / folder)) {
            if (file.path().extension() == ".yaml") {
                paths.push_back(file.path());
            }
        }
    }
    std::sort(paths.begin(), paths.end());
    std::vector<Sample> all;
    for (const fs::path& path : paths) {
        std::stringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        if (text.str().size() <= kLargest) {
            all.push_back({kind_of(path), text.str(), path.parent_path()});
        }
    }
    return all;
}

/// Reads; only an InputError may come out, and it says something.
void read_quietly(const Sample& sample, const std::string& text) {
    try {
        Document document = parse_document(text, "x.yaml");
        document.folder = sample.folder;
        read_as(sample.kind, std::move(document));
    } catch (const InputError& error) {
        EXPECT_FALSE(error.diagnostics().empty());
    } catch (const std::exception& error) {
        ADD_FAILURE() << error.what() << " from\n" << text;
    }
}

TEST(Robustness, OfFilesCutShort) {
    constexpr std::size_t kStep = 7;
    for (const Sample& sample : samples()) {
        for (std::size_t size = 0; size < sample.text.size(); size += kStep) {
            read_quietly(sample, sample.text.substr(0, size));
        }
    }
}

TEST(Robustness, OfFilesWithFlippedBytes) {
    constexpr int kRounds = 12;
    std::mt19937 random(20211);
    for (const Sample& sample : samples()) {
        for (int round = 0; round < kRounds && !sample.text.empty(); ++round) {
            std::string text = sample.text;
            for (int flip = 0; flip <= round / 4; ++flip) {
                text[random() % text.size()] = static_cast<char>(random() % 128);
            }
            read_quietly(sample, text);
        }
    }
}

TEST(Robustness, OfFilesWithSwappedPieces) {
    constexpr int kRounds = 8;
    const std::vector<std::string> pieces{"[",   "]",  "{",     "}",       ": ",  "- ",  "\n", "'",    "\"",
                                          "&a ", "*a", "? ",    "| ",      "9e9", "-1",  "0",  "null", "*",
                                          "/",   ">=", "input", "\n---\n", "%",   "!x ", "#"};
    std::mt19937 random(7);
    for (const Sample& sample : samples()) {
        for (int round = 0; round < kRounds && !sample.text.empty(); ++round) {
            std::string text = sample.text;
            const std::size_t at = random() % text.size();
            text.replace(at, random() % 4, pieces[random() % pieces.size()]);
            read_quietly(sample, text);
        }
    }
}

}  // namespace robustness_test
}  // namespace dodona::files::testing
