// Whatever bytes a file has, importing it ends: with records, or with an error message.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include "importing.hpp"

namespace dodona::calibrate::test {
namespace imports_robustness_test {

namespace fs = std::filesystem;

struct Sample {
    std::string name;
    std::string text;
};

std::vector<Sample> samples() {
    constexpr std::size_t kLargest = 9000;
    std::vector<Sample> all;
    for (const cases::Case& one : cases::read(log_cases())) {
        all.push_back({one.name, one.given});
    }
    std::erase_if(all, [](const Sample& sample) { return sample.text.size() > kLargest; });
    std::sort(all.begin(), all.end(), [](const Sample& a, const Sample& b) { return a.name < b.name; });
    return all;
}

class Robustness : public ::testing::Test {
protected:
    Robustness() : path_(fs::path(::testing::TempDir()) / fmt::format("dodona-robust-{}", std::random_device{}())) {}
    ~Robustness() override { fs::remove(path_); }

    /// Only an InputError may come out, and it says something; records are sound and so are levels.
    void import_quietly(const std::string& text) {
        std::ofstream(path_, std::ios::binary) << text;
        try {
            const Imported imported = import_file(path_.string(), dated());
            for (const Record& record : imported.records) {
                if (const auto* measured = std::get_if<Measurement>(&record.what)) {
                    ASSERT_GT(measured->time.value(), Seconds{}) << to_line(record);
                    ASSERT_GT(measured->time.samples, 0) << to_line(record);
                }
                static_cast<void>(record_from(to_line(record), {}));
            }
            for (const Topology& topology : imported.topologies) {
                static_cast<void>(levels_of(topology, {.device = "h100"}));
            }
        } catch (const InputError& error) {
            EXPECT_FALSE(error.diagnostics().empty());
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what() << " from\n" << text;
        }
    }

    fs::path path_;
};

TEST_F(Robustness, OfFilesCutShort) {
    constexpr std::size_t kCuts = 16;
    for (const Sample& sample : samples()) {
        for (std::size_t cut = 0; cut < kCuts; ++cut) {
            import_quietly(sample.text.substr(0, sample.text.size() * cut / kCuts));
        }
    }
}

TEST_F(Robustness, OfFilesWithFlippedBytes) {
    constexpr int kRounds = 12;
    std::mt19937 random(20211);
    for (const Sample& sample : samples()) {
        for (int round = 0; round < kRounds; ++round) {
            std::string text = sample.text;
            for (int flip = 0; flip <= round / 4; ++flip) {
                text[random() % text.size()] = static_cast<char>(random() % 256);
            }
            import_quietly(text);
        }
    }
}

TEST_F(Robustness, OfFilesWithSwappedPieces) {
    constexpr int kRounds = 16;
    const std::vector<std::string> pieces{"[",
                                          "]",
                                          "{",
                                          "}",
                                          "\"",
                                          ":",
                                          ",",
                                          "null",
                                          "-1",
                                          "0",
                                          "1e308",
                                          "NaN",
                                          "\n",
                                          " ",
                                          "\t",
                                          "#",
                                          "N/A",
                                          "nan",
                                          "9999999999999999999",
                                          "0.00",
                                          "GPU0",
                                          " X ",
                                          "<cpu",
                                          "/>",
                                          "&#x0;",
                                          "time",
                                          "size",
                                          "[]",
                                          "[[1]]",
                                          "Rank",
                                          "true",
                                          "\\u",
                                          "_perf ",
                                          "-n 3"};
    std::mt19937 random(7);
    for (const Sample& sample : samples()) {
        for (int round = 0; round < kRounds; ++round) {
            std::string text = sample.text;
            const std::size_t at = random() % text.size();
            text.replace(at, random() % 6, pieces[random() % pieces.size()]);
            import_quietly(text);
        }
    }
}

TEST_F(Robustness, OfLinesInAnotherOrder) {
    constexpr int kRounds = 5;
    std::mt19937 random(3);
    for (const Sample& sample : samples()) {
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < sample.text.size(); at = sample.text.find('\n', at) + 1) {
            lines.push_back(sample.text.substr(at, sample.text.find('\n', at) - at + 1));
            if (sample.text.find('\n', at) == std::string::npos) {
                break;
            }
        }
        for (int round = 0; round < kRounds; ++round) {
            std::swap(lines[random() % lines.size()], lines[random() % lines.size()]);
            std::string text;
            for (const std::string& line : lines) {
                text += line;
            }
            import_quietly(text);
        }
    }
}

TEST_F(Robustness, OfDeepXml) {
    std::string deep = "<system version=\"1\"><cpu>";
    for (int i = 0; i < 5000; ++i) {
        deep += "<pci class=\"0x060400\">";
    }
    import_quietly(deep);
    for (int i = 0; i < 5000; ++i) {
        deep += "</pci>";
    }
    import_quietly(deep + "</cpu></system>");
}

}  // namespace imports_robustness_test
}  // namespace dodona::calibrate::test
