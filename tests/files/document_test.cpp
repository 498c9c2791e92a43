// What yaml-cpp would let pass, and what text is no text.
#include "files/document.hpp"

#include <fstream>

#include "reading.hpp"

namespace dodona::files::testing {
namespace document_test {

std::string parse_fault(const std::string& text) {
    return fault_of([&] { static_cast<void>(parse_document(text, "x.yaml")); });
}

TEST(Document, KnowsWhereEveryNodeStands) {
    const Document document = parse_document("a: 1\nlist:\n  - {b: \"two\", c: [3, 4]}\n", "x.yaml");
    const Node& root = *document.root;
    ASSERT_EQ(root.members.size(), 2U);
    EXPECT_EQ(root.members[1].key, "list");
    EXPECT_EQ(root.members[1].where.line, 2);
    const Node& entry = *root.members[1].value->items.at(0);
    EXPECT_EQ(entry.where.line, 3);
    EXPECT_EQ(entry.where.column, 5);
    EXPECT_EQ(entry.where.length, 21);
    const Node& two = *entry.members[0].value;
    EXPECT_TRUE(two.quoted);
    EXPECT_EQ(two.text, "two");
    EXPECT_EQ(two.where.column, 9);
    EXPECT_EQ(two.where.length, 5);
    EXPECT_EQ(two.inside().column, 10);
    EXPECT_EQ(two.inside().length, 3);
}

TEST(Document, ReadsJson) {
    const Document document =
        parse_document("{\n\t\"a\": [1, 2.5, true],\n\t\"b\": {\"c\": \"d\\u00e9\\/\"}\n}\n", "x.json");
    ASSERT_EQ(document.root->members.size(), 2U);
    EXPECT_EQ(document.root->members[0].value->items.size(), 3U);
    EXPECT_EQ(document.root->members[1].value->members[0].value->text, "d\xC3\xA9/");
}

TEST(Document, ReadsWindowsLineEndsAndAByteOrderMark) {
    const Document document = parse_document(
        "\xEF\xBB\xBF"
        "a: 1\r\nb: 2\r\n",
        "x.yaml");
    EXPECT_EQ(document.source->lines, (std::vector<std::string>{"a: 1", "b: 2"}));
    EXPECT_EQ(document.root->members[1].value->text, "2");
    EXPECT_EQ(document.root->members[1].where.line, 2);
}

TEST(Document, SharesWhatAnAliasStandsFor) {
    const Document document = parse_document("a: &x {k: 1}\nb: *x\n", "x.yaml");
    EXPECT_EQ(document.root->members[0].value, document.root->members[1].value);
}

TEST(Document, TellsOfTabsInTheIndentation) {
    EXPECT_NE(parse_fault("a:\n\tb: 1\n").find("x.yaml:2"), std::string::npos) << parse_fault("a:\n\tb: 1\n");
}

TEST(Document, IsNoBinaryFile) {
    EXPECT_EQ(parse_fault(std::string("a: 1\nb: \0\n", 10)),
              "x.yaml: error: byte 9 (line 2) is not text\n  help: a file is YAML or JSON text in UTF-8\n");
    EXPECT_NE(parse_fault("a: \xFF\n").find("byte 4"), std::string::npos);
    EXPECT_NE(parse_fault("a: \xC3").find("byte 4"), std::string::npos);
}

TEST(Document, HasAMostSize) {
    EXPECT_EQ(parse_fault(std::string(kMaxBytes + 1, 'a')),
              "x.yaml: error: larger than 16 MiB\n  help: write layers that repeat as a block with `repeat:`\n");
    std::string many = "layers:\n";
    for (int i = 0; i < 100'000; ++i) {
        many += "- {name: a}\n";
    }
    EXPECT_NE(parse_fault(many).find("more than 200000 values in one file"), std::string::npos);
}

TEST(Document, OfAMillionLayersIsRefusedAndNotRead) {
    std::string many = "model: million\nsource: \"none\"\ninput: {x: {channel: 1, width: 1}}\nlayers:\n";
    for (int i = 0; i < 1'000'000; ++i) {
        many += "- {name: l" + std::to_string(i) + ", op: relu}\n";
    }
    EXPECT_NE(model_fault(many), "");
}

TEST(Document, NestsOnlySoDeep) {
    for (const char* bracket : {"[", "{a: ", "- ", "? "}) {
        std::string deep;
        for (int i = 0; i < 200'000; ++i) {
            deep += bracket;
        }
        EXPECT_NE(parse_fault(deep), "") << bracket;
    }
    std::string chain = "a0: &a0 [1]\n";
    for (int i = 1; i < 1000; ++i) {
        const std::string name = "a" + std::to_string(i);
        chain += name + ": &" + name + " [*a" + std::to_string(i - 1) + "]\n";
    }
    EXPECT_NE(parse_fault(chain).find("more than 64 deep"), std::string::npos);
}

TEST(Document, MustBeAFileThatCanBeRead) {
    const auto load = [](const std::filesystem::path& path) {
        return fault_of([&] { static_cast<void>(load_document(path, "x.yaml", command_line())); });
    };
    EXPECT_EQ(load(here() / "no-such.yaml"), "command line: error: there is no file x.yaml\n");
    EXPECT_EQ(load(here()), "command line: error: x.yaml is a directory; expected a file\n");
}

TEST(Document, TellsAllRepeatedKeys) {
    Document document = parse_document("a: 1\nb: {c: 1, c: 2}\na: 2\n", "x.yaml");
    ASSERT_EQ(document.faults.all().size(), 2U);
    EXPECT_EQ(document.faults.all()[0].message, "b.c: repeated key; first given on line 2");
    EXPECT_EQ(document.faults.all()[1].message, "a: repeated key; first given on line 1");
}

}  // namespace document_test
}  // namespace dodona::files::testing
