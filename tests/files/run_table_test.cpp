// Comma-separated tables, and runs read from them.
#include "files/run_table.hpp"

#include <fstream>
#include <sstream>

#include "files/run_conventions.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace run_table_test {

std::vector<std::vector<std::string>> cells_of(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    for (const std::vector<CsvCell>& row : read_csv(text, "t.csv").rows) {
        std::vector<std::string>& cells = rows.emplace_back();
        for (const CsvCell& cell : row) {
            cells.push_back(cell.text);
        }
    }
    return rows;
}

using Rows = std::vector<std::vector<std::string>>;

TEST(Csv, ReadsQuotedCellsAsRfc4180Says) {
    EXPECT_EQ(cells_of("a,b\n1,2\n"), (Rows{{"1", "2"}}));
    EXPECT_EQ(cells_of("a,b\r\n1,2\r\n"), (Rows{{"1", "2"}}));
    EXPECT_EQ(cells_of("a,b\n1,2"), (Rows{{"1", "2"}})) << "the last line end may be missing";
    EXPECT_EQ(cells_of("\xEF\xBB\xBF\"a\",b\n\"1,5\",\"say \"\"two\"\"\"\n"), (Rows{{"1,5", "say \"two\""}}));
    EXPECT_EQ(cells_of("a,b\n\"two\nlines\",x\n,\n"), (Rows{{"two\nlines", "x"}, {"", ""}}));
    EXPECT_EQ(cells_of("a,b\n\"\",\"\"\n"), (Rows{{"", ""}}));
    EXPECT_EQ(cells_of("a\n\n1\n\n\n2\n"), (Rows{{"1"}, {"2"}})) << "empty lines are none";
    EXPECT_EQ(cells_of("a,b\n1,"), (Rows{{"1", ""}}));
}

TEST(Csv, KnowsThePlaceOfEveryCell) {
    const CsvTable table = read_csv("a,b,c\n\"x\ny\",22,\"333\"\n4,,6\n", "t.csv");
    const auto place = [&](std::size_t row, std::size_t column) {
        const Location& where = table.rows[row][column].where;
        return std::vector<int>{where.line, where.column, where.length};
    };
    EXPECT_EQ(place(0, 0), (std::vector<int>{2, 2, 1}));
    EXPECT_EQ(place(0, 1), (std::vector<int>{3, 4, 2}));
    EXPECT_EQ(place(0, 2), (std::vector<int>{3, 8, 3}));
    EXPECT_EQ(place(1, 0), (std::vector<int>{4, 1, 1}));
    EXPECT_EQ(place(1, 1), (std::vector<int>{4, 3, 1}));
    EXPECT_EQ(place(1, 2), (std::vector<int>{4, 4, 1}));
}

std::string long_table() {
    std::ifstream stream(here() / "../../lab/evidence/tables/korthikanti-tab5.csv", std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

TEST(RunTable, ReadsWhatARowSaysAndWhatItLeavesOut) {
    const std::vector<files::MeasuredRun> runs = read_runs(read_csv(long_table(), "k.csv"));
    ASSERT_EQ(runs.size(), 8U);
    const files::MeasuredRun& run = runs[3];
    EXPECT_EQ(run.id, "MEGA-0058");
    EXPECT_EQ(run.group, "korthikanti-tab5");
    EXPECT_EQ(run.model, "gpt3-175b");
    EXPECT_EQ(run.input, "seq");
    EXPECT_EQ(run.extents, std::vector<std::int64_t>{2048});
    EXPECT_EQ(run.gpus, 64);
    EXPECT_EQ(run.precision, Precision::fp16);
    EXPECT_EQ(run.virtual_stages, 3);
    EXPECT_EQ(run.cell("sequence_parallel"), "yes");
    EXPECT_DOUBLE_EQ(run.step_time->in(unit::second), 13.75);
    EXPECT_EQ(run.where.line, 5);
    EXPECT_EQ(run.device, "a100-sxm4-80gb");
    EXPECT_EQ(run.cell("context"), "1") << "a column that the table leaves out";
    EXPECT_EQ(run.shard, plan::ShardLevel::none);
    EXPECT_FALSE(run.peak_memory);
}

TEST(RunTable, SplitsOverridesAndShapes) {
    const files::MeasuredRun run =
        read_runs(read_csv("id,model,model_overrides,input,global_batch,microbatch,machine,gpus,precision,"
                           "strategy\n1,m,layers=12;kv_heads=16,image=3x224x224,1,1,x,1,fp32,none\n",
                           "t.csv"))
            .front();
    ASSERT_EQ(run.model_overrides.size(), 2U);
    EXPECT_EQ(run.model_overrides[1].name, "kv_heads");
    EXPECT_EQ(run.model_overrides[1].value, "16");
    EXPECT_EQ(run.model_overrides[1].where.column, 15);
    EXPECT_EQ(run.extents, (std::vector<std::int64_t>{3, 224, 224}));
    EXPECT_EQ(run.device, "") << "the machine's";
    EXPECT_EQ(run.cell("channel"), "1");
    EXPECT_FALSE(run.compute_time);
}

TEST(RunTable, SurvivesBeingCutAnywhere) {
    const std::string whole = long_table();
    for (std::size_t length = 0; length < whole.size(); length += 7) {
        static_cast<void>(fault_of([&] { static_cast<void>(read_runs(read_csv(whole.substr(0, length), "t.csv"))); }));
    }
}

TEST(RunConventions, FillColumnsIn) {
    const std::vector<files::MeasuredRun> runs = read_runs(read_csv(long_table(), "k.csv"));
    EXPECT_EQ(filled("round_up(50257, 128*{tensor})", runs[0]), "round_up(50257, 128*8)");
    EXPECT_EQ(filled("{tensor}x{pipeline}", runs[2]), "8x8");
    EXPECT_EQ(filled("4*hidden", runs[0]), "4*hidden");
}

std::string conventions_fault(const std::string& text) {
    return fault_of([&] { static_cast<void>(read_run_conventions(parse_document(text, "c.yaml"))); });
}

TEST(RunConventions, TellWhatIsWrongWithThem) {
    const std::string rest = "\nsource: s\ninputs: {}\noptimizers: []\n";
    EXPECT_EQ(conventions_fault("conventions: c" + rest + "strategies: []\n"), "");
    EXPECT_NE(conventions_fault("conventions: c" + rest + "strategies: [{when: {stratgy: data}, use: data}]\n")
                  .find("\"stratgy\" is no column of a table of runs; did you mean \"strategy\"?"),
              std::string::npos);
    EXPECT_NE(conventions_fault("conventions: c" + rest + "strategies: [{when: {strategy: data}}]\n")
                  .find("strategies[0].use: missing"),
              std::string::npos);
}

}  // namespace run_table_test
}  // namespace dodona::files::testing
