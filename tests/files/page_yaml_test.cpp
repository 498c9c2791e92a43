// The reader of YAML that the module of `dodona explorer` has in the place of yaml-cpp: what both read is the same.
#include <filesystem>

#include <gtest/gtest.h>

#include "files/text.hpp"
#include "files/yaml_tree.hpp"
#include "reading.hpp"

#define parse_yaml parse_yaml_in_page
#include "../../explorer/module/json_tree.cpp"
#undef parse_yaml

namespace dodona::files {
namespace page_yaml_test {

std::string text_of(const Node& node) {
    std::string text = node.quoted ? "'" + node.text + "'" : node.text;
    for (const auto& item : node.items) {
        text += " -" + text_of(*item);
    }
    for (const Node::Member& member : node.members) {
        text += fmt::format(" {}@{}:{{{}}}", member.key, member.where.line, text_of(*member.value));
    }
    return fmt::format("({} {}{}{})", static_cast<int>(node.kind), text, node.size, node.depth);
}

/// In both readers, or what is wrong.
std::pair<std::string, std::string> read_in_both(const std::string& text) {
    const auto source = read_text(text, "a.yaml", {"YAML", ""}).source;
    const auto read = [&](auto reader) {
        Diagnostics faults;
        try {
            return text_of(*reader(text, source, faults)) + (faults.has_errors() ? " with faults" : "");
        } catch (const InputError& error) {
            return std::string("refused");
        }
    };
    return {read(parse_yaml), read(parse_yaml_in_page)};
}

TEST(YamlInThePage, IsReadAsTheProgramReadsIt) {
    for (const char* text :
         {"a: 1\nb: {c: d e, f: [1, 'x, y', \"z\\n\"]}  # e\n", "- a\n- b: 1\n  c: 2\n-\n  - 3\n- {d: e}\n",
          "a:\n- 1\n- 2\nb:\n  c: x:y\n  d: 'it''s'\n  e:\n", "# only\na: null\nb: ~\n",
          "{\"a\": {\"b\": [1, true, null]}}", "a: 1\na: 2\n", "a: [1, 2\n", "a: 1\n  b: 2\n", "a: \"x\n",
          "b: hidden / heads * (2 + kv)\n"}) {
        const auto [program, page] = read_in_both(text);
        EXPECT_EQ(page, program) << text;
    }
    EXPECT_EQ(read_in_both("a: &b 1\nc: *b\n").second, "refused");
    EXPECT_EQ(read_in_both("a: |\n  b\n").second, "refused");
}

TEST(YamlInThePage, IsWhatShippedFilesAreWrittenIn) {
    int compared = 0;
    for (const char* folder : {"models", "software", "hardware"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(testing::here() / "../.." / folder)) {
            if (entry.path().extension() != ".yaml") {
                continue;
            }
            const auto [program, page] = read_in_both(load_bytes(entry.path(), "a.yaml", {}));
            ASSERT_EQ(page, program) << entry.path();
            ++compared;
        }
    }
    EXPECT_GT(compared, 500);
}

TEST(YamlInThePage, IsWhatImportedNetworksAreWrittenIn) {
    const Library shipped(testing::here() / "../..");
    for (const char* name : {"afm-4.5b", "albert-base-v2", "deepseek-v4-flash", "qwen3-vl-8b"}) {
        const auto config = testing::here() / "../../models/hub" / (std::string(name) + ".json");
        const auto [program, page] = read_in_both(shipped.import_model(config.string()).text);
        EXPECT_EQ(page, program) << name;
        EXPECT_NE(page, "refused") << name;
    }
}

}  // namespace page_yaml_test
}  // namespace dodona::files
