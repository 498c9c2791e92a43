// Files within 16 MiB that would take a hundred times their size in memory, or minutes, are refused at the place where
// they become too much. Each is a file that did (a table of commas took 5.3 GB, brackets 4 GB, wrong names a minute).
#include <gtest/gtest.h>

#include "base/expression.hpp"
#include "files/csv.hpp"
#include "files/document.hpp"
#include "files/model_file.hpp"
#include "files/run_table.hpp"
#include "files/strategy_file.hpp"

namespace dodona::files {
namespace size_limits_test {

constexpr std::size_t kLarge = std::size_t{7} << 20;  // just over each limit

std::string repeated(const std::string& text, std::size_t bytes) {
    std::string all;
    all.reserve(bytes + text.size());
    while (all.size() < bytes) {
        all += text;
    }
    return all;
}

template <class Read>
std::string refusal(Read read) {
    try {
        read();
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

std::string of_table(const std::string& text) {
    return refusal([&] { static_cast<void>(read_csv(text, "it.csv")); });
}
std::string of_yaml(const std::string& text) {
    return refusal([&] { throw_faults(parse_document(text, "it.yaml")); });
}
std::string of_model(const std::string& text) {
    return refusal([&] { static_cast<void>(read_model(parse_document(text, "it.yaml"), {}, {})); });
}

TEST(SizeLimits, OfTablesAreCellsColumnsAndRows) {
    EXPECT_EQ(of_table(repeated(",", kLarge)), "more than 1000 columns");
    EXPECT_EQ(of_table("a,b\n" + repeated("1,\n", 2 * kLarge)), "more than 4000000 cells in one table");
    const std::string rows = "id,model,global_batch,microbatch,machine,gpus,precision,strategy\n" +
                             repeated("1,a,8,8,m,1,fp32,none\n", 2'000'000);
    EXPECT_EQ(refusal([&] { static_cast<void>(read_runs(read_csv(rows, "it.csv"))); }), "more than 50000 rows");
}

TEST(SizeLimits, OfYamlAreBracketsValuesAndDepth) {
    EXPECT_EQ(of_yaml(repeated("[", kLarge)), "more than 1000 brackets are open here");
    EXPECT_EQ(of_yaml(repeated("{a: ", kLarge)), "more than 1000 brackets are open here");
    for (const char* const words : {"[]", "[[x'],y']", "'a' ", "!a "}) {
        EXPECT_EQ(of_yaml(repeated(words, kLarge)), "more than 400000 words on one line or in one bracket") << words;
    }
    EXPECT_EQ(of_yaml(repeated("- ", 1000)), "nested more than 64 deep");
    EXPECT_EQ(of_yaml(repeated("- 1\n", kLarge)), "more than 200000 values in one file");
}

TEST(SizeLimits, OfModelsAreParametersAndFaults) {
    const std::string head = "model: x\nsource: here\ninput: {image: {channel: 3, height: 8, width: 8}}\n";
    std::string parameters = "parameters: {";
    for (int i = 0; i < 2000; ++i) {
        parameters += "p" + std::to_string(i) + ": 1, ";
    }
    EXPECT_EQ(of_model(head + parameters + "}\nlayers:\n  - {name: r, op: relu}\n"), "more than 1000 parameters");
    std::string layers = "layers:\n";
    for (int i = 0; i < 15'000; ++i) {
        layers += "  - {name: layer" + std::to_string(i) + ", op: relu, from: lay" + std::to_string(i) + "}\n";
    }
    EXPECT_EQ(of_model(head + layers), "layers[0].from: no entry \"lay0\" before this one");
}

TEST(SizeLimits, OfStrategiesAreAxes) {
    std::string axes;
    for (int i = 0; i < 40; ++i) {
        axes += (i > 0 ? ", a" : "a") + std::to_string(i);
    }
    const std::string strategy =
        "strategy: s\nsource: here\naxes: [" + axes + "]\neverywhere: {batch: [" + axes + "]}\n";
    EXPECT_EQ(refusal([&] { static_cast<void>(read_strategy(parse_document(strategy, "it.yaml"))); }),
              "axes: 40 axes; at most 10 are laid out");
}

}  // namespace size_limits_test
}  // namespace dodona::files
