// Whatever bytes a file has, reading it ends: with a value or with a fault that is told.
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "../cases.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace robustness_test {

namespace fs = std::filesystem;

struct Sample {
    std::string kind;
    std::string text;
    fs::path folder;
};

/// A file says what it describes in its first key.
std::string kind_of(const std::string& text) {
    std::size_t line = 0;
    while (text.substr(line, 1) == "#") {
        line = text.find('\n', line) + 1;
    }
    return text.substr(line, text.find(':', line) - line);
}

/// Every bad file up to a size (the large ones say nothing new here), and the good ones of the small library.
std::vector<Sample> samples() {
    constexpr std::size_t kLargest = 1500;
    std::vector<Sample> all;
    for (const auto& file : fs::recursive_directory_iterator(here())) {
        const fs::path& path = file.path();
        if (path.parent_path() == here() / "bad" && path.stem() != "runs") {
            for (const cases::Case& one : cases::read(path)) {
                all.push_back({path.stem().string(), one.given, path.parent_path()});
            }
        } else if (path.extension() == ".yaml" && path.string().starts_with((here() / "library").string())) {
            const std::string text = cases::content(path);
            all.push_back({kind_of(text), text, path.parent_path()});
        }
    }
    std::erase_if(all, [](const Sample& sample) { return sample.text.size() > kLargest; });
    std::sort(all.begin(), all.end(),
              [](const Sample& a, const Sample& b) { return std::pair(a.kind, a.text) < std::pair(b.kind, b.text); });
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
