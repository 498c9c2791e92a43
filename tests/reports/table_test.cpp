#include "reports/table.hpp"

#include <gtest/gtest.h>

#include "reports/bar.hpp"
#include "reports/csv.hpp"
#include "reports/text/next.hpp"

namespace dodona::reports {
namespace table_test {

TEST(DisplayColumns, CountWhatATerminalShows) {
    EXPECT_EQ(display_columns("step"), 4U);
    EXPECT_EQ(display_columns("█▓·"), 3U);
    EXPECT_EQ(display_columns("e\xCC\x81"), 1U);  // e and a combining acute accent
    EXPECT_EQ(display_columns("模型"), 4U);
    EXPECT_EQ(display_columns("\xFF\xE6"), 2U);  // not UTF-8: still ends
}

TEST(Table, AlignsByDisplayColumns) {
    Table table({{"name"}, {"n", Align::right}});
    table.row({"模型", "1"});
    table.row({"x", "10"});
    EXPECT_EQ(table.to_text({}, ""), "name   n\n模型   1\nx     10\n");
    EXPECT_EQ(table.to_markdown(), "| name | n |\n|---|---:|\n| 模型 | 1 |\n| x | 10 |\n");
}

TEST(Wrapped, KeepsNumbersWithTheirUnits) {
    EXPECT_EQ(wrapped("needs 72.1 % of it", 10, "  "), "needs\n  72.1 % of\n  it");
    EXPECT_EQ(wrapped("", 10, "  "), "");
}

TEST(Bar, IsAlwaysAsWideAndAddsSmallPartsUp) {
    const Bar bar{.parts = {{"a", 1}, {"b", 1}, {"c", 0.001}}, .whole = 4};
    const std::string text = to_text(bar, {}, "");
    EXPECT_EQ(display_columns(text.substr(0, text.find('\n'))), 72U);
    EXPECT_NE(text.find("a 25.0 %"), std::string::npos);
    EXPECT_NE(text.find("other < 0.1 %"), std::string::npos);
    EXPECT_EQ(to_text({}, {}, ""), "");
}

TEST(Csv, HasPathsForHeadersAndQuotesWhatNeedsIt) {
    const std::vector<Json> records{{{"a", {{"b", 1}}}, {"list", {"x", "y"}}, {"none", nullptr}},
                                    {{"a", {{"b", 2}, {"c", "say \"no\", twice"}}}, {"objects", {{{"k", 1}}}}}};
    EXPECT_EQ(csv(records), "a.b,list,none,a.c\n1,x; y,,\n2,,,\"say \"\"no\"\", twice\"\n");
}

TEST(ShellWord, ReadsBackAsTyped) {
    EXPECT_EQ(shell_word("gpt3-175b"), "gpt3-175b");
    EXPECT_EQ(shell_word("my plan.yaml"), "'my plan.yaml'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word(""), "''");
}

}  // namespace table_test
}  // namespace dodona::reports
