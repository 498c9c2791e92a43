// `--config FILE`: options from a file. Those in config.txt have the commands below them, and what they print.
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/parse.hpp"
#include "running.hpp"

namespace dodona::cli::testing {
namespace config_test {

std::filesystem::path files() { return source() / "tests/cli/config.txt"; }

class Config : public ::testing::TestWithParam<std::string> {};

TEST_P(Config, IsReadOrRefusedWordForWord) {
    const Folder place;
    cases::unpack(files(), GetParam(), place.path());
    cases::expect(files(), GetParam(), replayed(cases::expected(files(), GetParam()), place));
}

INSTANTIATE_TEST_SUITE_P(All, Config, ::testing::ValuesIn(cases::names(files())),
                         [](const auto& test) { return cases::identifier(test.param); });

Command plan() {
    return {.name = "plan",
            .summary = {},
            .usage = {},
            .positionals = {{.name = "MODEL", .description = {}}, {.name = "MORE", .description = {}, .many = true}},
            .options = {{.names = "-p,--gpus", .value = "N", .description = {}},
                        {.names = "--micro-batch", .value = "B", .description = {}, .old_name = "--microbatch"},
                        {.names = "--set", .value = "NAME=VALUE", .description = {}, .repeats = true},
                        {.names = "--brief", .value = "", .description = {}}},
            .examples = {}};
}

/// Read together with these words.
Arguments read(const std::string& text, std::vector<std::string> words = {}) {
    const Folder place;
    const std::string file = (place.path() / "job.toml").string();
    std::ofstream(file) << text;
    words.insert(words.begin(), "--config=" + file);
    return parse(plan(), words, {});
}

using Values = std::vector<std::string>;

TEST(ConfigFile, SaysWhatIsNotTyped) {
    const std::string text = "gpus = 8\nmodel = \"resnet50\"\nset = [\"a=1\", \"b=2\"]\n";
    EXPECT_EQ(read(text).all("--gpus"), Values{"8"});
    EXPECT_EQ(read(text).all("MODEL"), Values{"resnet50"});
    EXPECT_EQ(read(text).all("--set"), (Values{"a=1", "b=2"}));
    EXPECT_EQ(read(text, {"-p16"}).all("--gpus"), Values{"16"});
    EXPECT_EQ(read(text, {"vgg16"}).all("MODEL"), Values{"vgg16"});
    EXPECT_EQ(read(text, {"--set", "c=3"}).all("--set"), Values{"c=3"}) << "all that is said of one option";
    EXPECT_EQ(read(text, {"--gpus="}).all("--gpus"), (Values{"8", ""})) << "a fault in any case";
}

TEST(ConfigFile, NamesOptionsAsPeopleWriteThem) {
    EXPECT_EQ(read("micro_batch = 2").all("--micro-batch"), Values{"2"});
    EXPECT_EQ(read("microbatch = 2").all("--micro-batch"), Values{"2"}) << "an old name";
    EXPECT_EQ(read("\"gpus\"=2").all("--gpus"), Values{"2"});
    EXPECT_EQ(read("; ini\n# toml\n\n  gpus=3 # three\r\n").all("--gpus"), Values{"3"});
}

TEST(ConfigFile, HasSwitches) {
    EXPECT_TRUE(read("brief = true").has("--brief"));
    EXPECT_TRUE(read("brief").has("--brief"));
    EXPECT_FALSE(read("brief = false").has("--brief"));
    EXPECT_TRUE(read("brief = false", {"--brief"}).has("--brief"));
    EXPECT_THROW(read("brief = maybe"), InputError);
}

TEST(ConfigFile, HasListsOverLines) {
    EXPECT_EQ(read("set = [a=1,\n  b=2,\n  \"c=3\"]\ngpus=2").all("--set"), (Values{"a=1", "b=2", "c=3"}));
    EXPECT_EQ(read("more = [\"a b\", c]").all("MORE"), (Values{"a b", "c"}));
    EXPECT_EQ(read("gpus = [1, 2]").all("--gpus"), Values{"1,2"}) << "as it is typed";
    EXPECT_EQ(read("gpus = 1,2").all("--gpus"), Values{"1,2"});
    EXPECT_EQ(read("gpus = 30 days").all("--gpus"), Values{"30 days"});
}

TEST(ConfigFile, SectionsGoBeforeWhatIsForAll) {
    const std::string text = "gpus = 8\n[plan]\ngpus = 16\n";
    EXPECT_EQ(read(text).all("--gpus"), Values{"16"});
    EXPECT_EQ(read("plan.gpus = 16\ngpus = 8").all("--gpus"), Values{"16"});
    EXPECT_EQ(read(text, {"--gpus", "4"}).all("--gpus"), Values{"4"});
    EXPECT_THROW(read("[size]\ngpus = 8"), InputError) << "no such command here";
    EXPECT_THROW(read("[[plan"), InputError);
}

TEST(ConfigFile, NothingInItIsIgnored) {
    for (const std::string text :
         {"x", "=", "= 3", "a=", "gpus", "gpus =", "gpsu = 3", "gpus = \"3", "set = [a=1,", "[plan",
          "gpus = 3\ngpus = 4", "help = true", "config = other.toml", "--gpus = 3", "\x01\x02\x03"}) {
        EXPECT_THROW(read(text), InputError) << text;
    }
}

TEST(ConfigFile, AnyBytesAreReadOrRefused) {
    const std::vector<std::string> parts{"gpus", "set", "model", "more", "brief", "plan", "x",    "=",   "=",  "[",
                                         "]",    "[[",  "\"",    "'",    "`",     ",",    ".",    " ",   "#",  ";",
                                         ":",    "-",   "{",     "}",    "\\",    "\r",   "\t",   "\n",  "\n", "\n[p",
                                         "++",   "--",  "%%",    "3",    "_",     "é",    "\xff", "\x01"};
    std::mt19937 draws(1);
    for (int i = 0; i < 3000; ++i) {
        std::string text;
        for (unsigned part = draws() % 24; part > 0; --part) {
            text += parts[draws() % parts.size()];
        }
        try {
            read(text);
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("job.toml:"), std::string::npos) << text << error.what();
        }
    }
}

TEST(ConfigFile, BadValuesHaveTheirPlace) {
    Arguments arguments = read("\n  gpus = many");
    arguments.count("--gpus");
    try {
        arguments.throw_if_faults();
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().front().where.line, 2);
        EXPECT_EQ(error.diagnostics().front().where.column, 3);
    }
}

}  // namespace config_test
}  // namespace dodona::cli::testing
