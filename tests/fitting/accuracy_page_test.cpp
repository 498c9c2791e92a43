// What the page of errors over published runs has beside that of any table of runs.
#include "lab/evidence/accuracy_page.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "lab/evidence/leave_one_out.hpp"
#include "validate/statistics.hpp"

namespace dodona::calibrate {
namespace accuracy_page_test {

validate::RunResult run(const std::string& id, const std::string& group, double error, bool fits) {
    validate::RunResult result{.id = id, .group = group};
    result.measured = Seconds::of_base(1);
    result.predicted = Estimate::exactly(Seconds::of_base(1 + error));
    result.error = error;
    result.fits = fits;
    result.measured_compute = Seconds::of_base(0.8);
    result.measured_communication = Seconds::of_base(0.2);
    return result;
}

validate::Comparison compared() {
    validate::Comparison comparison;
    comparison.rows = {run("1", "alpha", 0.1, true), run("2", "alpha", 0.3, false), run("3", "beta-paged", -0.5, true)};
    const auto* rows = comparison.rows.data();
    comparison.groups = {validate::statistics("alpha", std::vector{rows, rows + 1}),
                         validate::statistics("beta-paged", std::vector{rows + 2})};
    comparison.overall = validate::statistics("all", std::vector{rows, rows + 1, rows + 2});
    return comparison;
}

TEST(EvidencePage, HasWhatOthersPublishAndErrorsLeftOut) {
    const std::string page = accuracy_page(
        {.tables = {"runs.csv"},
         .peers = {{.group = "alpha", .peer = "Other", .error = 0.2, .source = "its paper"},
                   {.group = "alpha", .peer = "Other", .error = 0.05, .of_memory = true, .over = "its own"},
                   {.group = "gamma", .peer = "Other", .error = 0.3, .source = "no such group"}},
         .left_out = {{"alpha", 0.123}},
         .totals = {}},
        compared());
    EXPECT_NE(page.find("| 12.3 % | Other 20.0 %, Other (memory) 5.0 % * |"), std::string::npos) << page;
    EXPECT_NE(page.find("- alpha, Other: its paper\n"), std::string::npos) << page;
    EXPECT_EQ(page.find("no such group"), std::string::npos) << page;
}

TEST(EvidencePage, AddsUpRunsInPartsByGroupAndFit) {
    const std::string page =
        accuracy_page({.tables = {"runs.csv"},
                       .peers = {},
                       .left_out = {},
                       .totals = {{.title = "all"},
                                  {.title = "fitting, not paged", .without = "*-paged", .fitting = true},
                                  {.title = "paged", .groups = "*-paged"},
                                  {.title = "of no group", .groups = "gamma"}}},
                      compared());
    EXPECT_NE(page.find("| all | 3 | 30.0 % |"), std::string::npos) << page;
    EXPECT_NE(page.find("| fitting, not paged | 1 | 10.0 % |"), std::string::npos) << page;
    EXPECT_NE(page.find("| paged | 1 | 50.0 % |"), std::string::npos) << page;
    EXPECT_EQ(page.find("of no group"), std::string::npos) << page;
}

TEST(EvidencePage, ReadsWhatTheFitWrites) {
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "left_out.yaml";
    write_left_out(file.string(), {{"alpha", 0.125}, {"beta", 0.5}});
    EXPECT_EQ(load_left_out(file.string(), {}), (std::map<std::string, double>{{"alpha", 0.125}, {"beta", 0.5}}));
    std::filesystem::remove(file);
}

}  // namespace accuracy_page_test
}  // namespace dodona::calibrate
