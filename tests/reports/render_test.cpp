// What renderers make of documents made by hand.
#include <algorithm>

#include <gtest/gtest.h>

#include "reports/collect/next_commands.hpp"
#include "reports/document/component_colours.hpp"
#include "reports/render/json.hpp"
#include "reports/render/markdown.hpp"
#include "reports/render/renderer.hpp"
#include "reports/render/text_layout.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {
namespace render_test {

using namespace dodona::literals;

Document document_of(std::vector<Block> blocks) {
    Document document;
    document.blocks = std::move(blocks);
    return document;
}

std::string text_of(std::vector<Block> blocks, std::size_t width = 100) {
    return render_text(document_of(std::move(blocks)), {.width = width});
}

TEST(DisplayColumns, CountWhatATerminalShows) {
    EXPECT_EQ(display_columns("step"), 4U);
    EXPECT_EQ(display_columns("█▓·"), 3U);
    EXPECT_EQ(display_columns("e\xCC\x81"), 1U);  // e and a combining acute accent
    EXPECT_EQ(display_columns("模型"), 4U);
    EXPECT_EQ(display_columns("\xFF\xE6"), 2U);  // not UTF-8: still ends
}

TEST(Wrapped, KeepsNumbersWithTheirUnits) {
    EXPECT_EQ(wrapped("needs 72.1 % of it", 10, "  "), "needs 72.1 %\n  of it");
    EXPECT_EQ(wrapped("", 10, "  "), "");
}

Table two_rows() {
    Table table({{"name"}, {"n", Align::right}});
    table.row({"模型", Count{1}});
    table.row({"x", Count{10}});
    return table;
}

TEST(Table, AlignsByDisplayColumns) {
    EXPECT_EQ(text_of({two_rows()}), "  name   n\n  模型   1\n  x     10\n");
    EXPECT_EQ(markdown(two_rows()), "| name | n |\n|---|---:|\n| 模型 | 1 |\n| x | 10 |\n");
}

TEST(Table, BreaksTheCellsOfItsWidestColumnWhereRoomIsScarce) {
    Table table({{"what"}, {"n", Align::right}});
    table.row({"a sentence that is longer than its column", Count{1}});
    EXPECT_EQ(text_of({table}, 28),
              "  what                     n\n  a sentence that is       1\n  longer than its column\n");
}

TEST(Table, LeavesColumnsOfDetailToOtherFormats) {
    Table table({{"a"}, {.title = "b", .align = Align::left, .detail = true}});
    table.row({"1", "2"});
    EXPECT_EQ(text_of({table}), "  a\n  1\n");
    EXPECT_NE(markdown(table).find("| 1 | 2 |"), std::string::npos);
}

TEST(Table, GivesRoomToTheColumnThatMakesItShorter) {
    Table table({{"plan"}, {"schedule"}});
    table.row({"tensor 4, pipeline 16, expert 64", "1f1b"});
    table.row({"tensor 8, pipeline 16, expert 32", "1f1b"});
    table.row({"data 8", "interleaved, 4 virtual stages"});
    EXPECT_EQ(text_of({table}, 54),
              "  plan                              schedule\n"
              "  tensor 4, pipeline 16, expert 64  1f1b\n"
              "  tensor 8, pipeline 16, expert 32  1f1b\n"
              "  data 8                            interleaved,\n"
              "                                    4 virtual stages\n");
}

TEST(Table, BreaksTitlesAboveFiguresBeforeItIsTooWide) {
    Table table({{"name"}, {"of the whole step", Align::right}});
    table.row({"nineteen-letter-words in two", Count{10}});
    EXPECT_EQ(text_of({table}, 30),
              "  name                      of\n"
              "                           the\n"
              "                         whole\n"
              "                          step\n"
              "  nineteen-letter-words     10\n"
              "  in two\n");
}

TEST(Table, HasItsFirstRowsAndCountsTheOthersUnlessAllAreAskedFor) {
    Table table({{"n", Align::right}});
    for (std::int64_t i = 1; i <= 4; ++i) {
        table.row({Count{i}});
    }
    table.brief_rows = 2;
    EXPECT_EQ(text_of({table}), "  n\n  1\n  2\n  and 2 more: --full\n");
    EXPECT_EQ(render_text(document_of({table}), {.full = true}), "  n\n  1\n  2\n  3\n  4\n");
    table.brief_rows = 3;
    EXPECT_EQ(text_of({table}), "  n\n  1\n  2\n  3\n  4\n") << "one more is as short as its count";
    EXPECT_NE(markdown(table).find("| 4 |"), std::string::npos);
}

TEST(Table, IsNextToAnotherWhereBothHaveRoom) {
    Table other({{"memory"}});
    other.row({"weights"});
    EXPECT_EQ(text_of({two_rows(), other}),
              "  name   n    memory\n"
              "  模型   1    weights\n"
              "  x     10\n");
    EXPECT_EQ(text_of({other, two_rows()}, 60),
              "  memory     name   n\n"
              "  weights    模型   1\n"
              "             x     10\n");
    EXPECT_NE(text_of({other, two_rows()}, 20).find("\n\n"), std::string::npos) << "too narrow";
    const std::string coloured = render_text(document_of({two_rows(), other}), {.colour = true});
    EXPECT_NE(coloured.find("  模型   1    weights\n"), std::string::npos) << coloured;
}

TEST(Bar, IsAlwaysAsWideAndAddsSmallPartsUp) {
    const StackedBar bar{.title = "time", .parts = {{"a", "a", 1}, {"b", "b", 1}, {"c", "c", 0.001}}, .whole = 4};
    const std::string text = text_of({bar});
    const std::size_t line = text.find('\n') + 1;
    EXPECT_EQ(display_columns(text.substr(line, text.find('\n', line) - line)), 2 + 72U);
    EXPECT_NE(text.find("a 25.0 %"), std::string::npos);
    EXPECT_NE(text.find("other < 0.1 %"), std::string::npos);
    EXPECT_EQ(text_of({StackedBar{}}), "") << "a bar without parts shows nothing";
}

TEST(Bar, GivesAComponentOneColourInEveryReport) {
    const StackedBar alone{.title = "t", .parts = {{"gradients", "gradient reduction", 1}}, .whole = 1};
    StackedBar second = alone;
    second.parts.insert(second.parts.begin(), {"forward", "forward", 1});
    second.whole = 2;
    const std::string colour = "38;5;" + std::to_string(colour_of("gradients").terminal) + "m";
    for (const StackedBar& bar : {alone, second}) {
        EXPECT_NE(render_text(document_of({bar}), {.colour = true}).find(colour), std::string::npos);
    }
}

TEST(Bar, HasAColourForEveryPartOfAStep) {
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        EXPECT_NE(&colour_of(step::name(static_cast<step::TimePart>(i))), &kOtherColour) << i;
    }
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        EXPECT_NE(&colour_of(step::name(static_cast<step::MemoryPart>(i))), &kOtherColour) << i;
    }
}

TEST(Chart, IsATableInText) {
    const Chart chart{.title = "throughput",
                      .x_title = "GPUs",
                      .x = {Count{8}, Count{16}},
                      .series = {{"data", "", {1_s, Estimate{2_s, 1_s, 3_s}}}}};
    EXPECT_EQ(text_of({chart}),
              "  throughput\n"
              "  GPUs                     data\n"
              "     8                   1.00 s\n"
              "    16  2.00 s (1.00 to 3.00 s)\n");
}

TEST(KeyFigures, StandBelowEachOther) {
    EXPECT_EQ(text_of({KeyFigures{{{.label = "MFU", .value = Percent{0.5}, .note = ""},
                                   {.label = "memory", .value = 1_GiB, .note = "of 2.00 GiB"}}}}),
              "  MFU     50.0 %\n  memory  1.00 GiB of 2.00 GiB\n");
}

TEST(Sections, AreLeftOutWhereTheyAreEmptyOrDetail) {
    Document document;
    add_section(document, {"Nothing"}, {List{}, Note{}});
    EXPECT_TRUE(document.blocks.empty());
    add_section(document, {.title = "Detail", .detail = true}, {List{{"item"}}});
    EXPECT_EQ(render_text(document, {}), "\n--full adds: detail\n");
    EXPECT_EQ(render_text(document, {.full = true}), "Detail\n  - item\n");
    EXPECT_EQ(render_text(document, {.most_lines = 8}), "") << "--brief";
    EXPECT_EQ(render_markdown(document, {}), "### Detail\n\n- item\n");
}

TEST(Csv, HasPathsForHeadersAndQuotesWhatNeedsIt) {
    Document document;
    document.rows = {{{"a", {{"b", 1}}}, {"list", std::vector<std::string>{"x", "y"}}, {"none", nullptr}},
                     {{"a", {{"b", 2}, {"c", "say \"no\", twice"}}}, {"objects", Record::List{{{"k", 1}}}}}};
    EXPECT_EQ(render_csv(document, {}), "a.b,list,none,a.c\n1,x; y,,\n2,,,\"say \"\"no\"\", twice\"\n");
}

TEST(Json, KeepsTheOrderAndPrintsWholeNumbersWithoutAPoint) {
    EXPECT_EQ(json_line({{"b", 64.0}, {"a", 0.5}, {"none", std::numeric_limits<double>::infinity()}}),
              R"({"b":64,"a":0.5,"none":null})");
    EXPECT_EQ(json_line(Record(64_GiB)), "68719476736");
}

TEST(Ndjson, IsARowALine) {
    Document document;
    document.record = {{"schema", "some/1"}};
    EXPECT_EQ(render_ndjson(document, {}), "{\"schema\":\"some/1\"}\n") << "without rows the record is the only one";
    document.rows = {{{"a", 1}}, {{"a", nullptr}}};
    EXPECT_EQ(render_ndjson(document, {}), "{\"a\":1}\n{\"a\":null}\n");
}

TEST(Renderers, HaveNamesAndSuffixesOfTheirOwn) {
    std::vector<std::string_view> names;
    for (const Renderer& renderer : renderers()) {
        names.push_back(renderer.name);
        EXPECT_EQ(renderer_named(renderer.name), &renderer);
        for (const std::string_view suffix : renderer.suffixes) {
            EXPECT_EQ(renderer_of_suffix(suffix), &renderer);
        }
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    EXPECT_EQ(renderer_named("jsn"), nullptr);
}

TEST(ShellWord, ReadsBackAsTyped) {
    EXPECT_EQ(shell_word("gpt3-175b"), "gpt3-175b");
    EXPECT_EQ(shell_word("my plan.yaml"), "'my plan.yaml'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word(""), "''");
}

/// Glyphs of the legend below a bar.
std::vector<std::string> legend_glyphs(const std::string& text) {
    std::vector<std::string> glyphs;
    for (std::size_t at = text.find("part"); at != std::string::npos; at = text.find("part", at + 1)) {
        const std::size_t begin = text.rfind(' ', at - 2);
        glyphs.push_back(text.substr(begin + 1, at - begin - 2));
    }
    return glyphs;
}

TEST(Legend, HasAGlyphOfItsOwnForEachPart) {
    StackedBar bar{.title = "a bar", .parts = {}, .whole = 15};
    for (int i = 0; i < 15; ++i) {
        bar.parts.push_back({"forward", "part" + std::to_string(i), 1.0});
    }
    std::vector<std::string> glyphs = legend_glyphs(text_of({bar}));
    ASSERT_EQ(glyphs.size(), 15U);
    std::sort(glyphs.begin(), glyphs.end());
    EXPECT_EQ(std::unique(glyphs.begin(), glyphs.end()), glyphs.end());
}

template <class Part>
void expect_distinct_colours(std::size_t parts) {
    std::vector<int> codes{kOtherColour.terminal};
    for (std::size_t i = 0; i < parts; ++i) {
        codes.push_back(colour_of(step::name(static_cast<Part>(i))).terminal);
    }
    std::sort(codes.begin(), codes.end());
    EXPECT_EQ(std::unique(codes.begin(), codes.end()), codes.end());
}

TEST(Legend, HasAColourOfItsOwnForEachPart) {
    expect_distinct_colours<step::TimePart>(step::kTimeParts);
    expect_distinct_colours<step::MemoryPart>(step::kMemoryParts);
}

TEST(Bar, FitsANarrowPage) {
    const StackedBar bar{.title = "a bar", .parts = {{"forward", "part", 1}}, .whole = 2};
    const std::string text = text_of({bar}, 60);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
        EXPECT_LE(display_columns(text.substr(begin, end - begin)), 60U);
    }
}

TEST(Table, ShowsRowsOneByOneWhereItsColumnsDoNotFit) {
    Table table({{"machine", Align::left}, {"a long title", Align::right}, {"another long title", Align::right}});
    table.row({"one", "1,000,000,000", "2,000,000,000"});
    table.row({"two", "3,000,000,000", Cell()});
    EXPECT_EQ(text_of({table}, 38),
              "  machine             one\n"
              "  a long title        1,000,000,000\n"
              "  another long title  2,000,000,000\n"
              "\n"
              "  machine             two\n"
              "  a long title        3,000,000,000\n");
}

TEST(Text, InFewLinesHasTheBlocksThatFit) {
    const std::vector<Block> blocks{Headline{"the answer"}, Paragraph{"why"}, two_rows(), Paragraph{"more"}};
    EXPECT_EQ(render_text(document_of(blocks), {.most_lines = 1}), "the answer\n");
    EXPECT_EQ(render_text(document_of(blocks), {.most_lines = 3}), "the answer\nwhy\n");
    EXPECT_EQ(render_text(document_of(blocks), {.most_lines = 20}), render_text(document_of(blocks), {}));
    EXPECT_EQ(render_text(document_of({Headline{"the answer"}, Section{"why"}, two_rows()}), {.most_lines = 4}),
              "the answer\n")
        << "no title without its section";
    EXPECT_EQ(render_text(document_of({two_rows()}), {.most_lines = 2}), "  name   n\n  模型   1\n");
    KeyFigures figures;
    figures.figures = {{.label = "step", .value = "1 s", .note = {}},
                       {.label = "memory", .value = "2 GiB", .note = {}}};
    EXPECT_EQ(render_text(document_of({Headline{"the answer"}, figures}), {.most_lines = 2}),
              "the answer\n  step    1 s\n")
        << "key figures as far as there is room";
    figures.figures.front().note = "on the fullest of 2 stages (embedding, positions, 12 x layers, norm)";
    EXPECT_EQ(render_text(document_of({Headline{"the answer"}, figures}), {.width = 60, .most_lines = 2}),
              "the answer\n  step    1 s on the fullest of 2 stages (embedding, ...\n")
        << "what goes on is marked";
    EXPECT_EQ(render_text(document_of({Headline{"none"}, Section{"why"}, two_rows()}), {.most_lines = 5}),
              "none\n\nwhy\n  name  n\n  模型  1\n")
        << "where no figures are the answer, the first rows are";
}

TEST(Csv, StartsWithWhatWasAskedAndHasOneColumnForAMesh) {
    Document document;
    set_asked(document, "net", "cluster", 8);
    document.rows = {Record{{"rank", 1}, {"mesh", {{"tensor", 4}, {"data", 2}}}},
                     Record{{"rank", 2}, {"mesh", {{"data", 8}}}}};
    EXPECT_EQ(render_csv(document, {}),
              "model,machine,gpus,rank,mesh\nnet,cluster,8,1,tensor=4 data=2\nnet,cluster,8,2,data=8\n");
}

}  // namespace render_test
}  // namespace dodona::reports
