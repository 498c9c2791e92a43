// Every format of every report, word for word. DODONA_ACCEPT=1 rewrites the files in golden/.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "reports/accuracy_page.hpp"
#include "reports/csv.hpp"
#include "reports/framework.hpp"
#include "reports/json/answer.hpp"
#include "reports/json/comparison.hpp"
#include "reports/json/explanation.hpp"
#include "reports/json/largest.hpp"
#include "reports/json/limits.hpp"
#include "reports/json/sizing.hpp"
#include "reports/text/answer.hpp"
#include "reports/text/comparison.hpp"
#include "reports/text/explanation.hpp"
#include "reports/text/largest.hpp"
#include "reports/text/limits.hpp"
#include "reports/text/prediction.hpp"
#include "reports/text/sizing.hpp"
#include "sized_scene.hpp"

namespace dodona::reports::testing {
namespace golden_test {

const Subject kSubject{"gpt3-175b", "selene"};

struct Case {
    std::string file;
    std::function<std::string()> report;
};

std::string answer_csv(const search::Answer& answer) {
    const Json rows = ranking_json(answer.plans);
    return csv({rows.begin(), rows.end()});
}

std::string runs_csv(const validate::Comparison& comparison) {
    std::vector<Json> rows;
    for (const validate::RunResult& row : comparison.rows) {
        rows.push_back(run_json(row));
    }
    return csv(rows);
}

std::vector<Case> cases() {
    return {{"plan.txt", [] { return answer_text(two_plans(), "", {}); }},
            {"plan-saved.txt", [] { return answer_text(two_plans(), "best plan.yaml", {.colour = true}); }},
            {"plan-nothing-fits.txt", [] { return answer_text(nothing_fits(), "", {}); }},
            {"plan.json", [] { return printed(answer_json(two_plans())); }},
            {"plan.csv", [] { return answer_csv(two_plans()); }},
            {"plan.md", [] { return answer_markdown(two_plans()); }},
            {"predict.txt", [] { return prediction_text(kSubject, pipelined(), {}); }},
            {"predict-mixed.txt", [] { return prediction_text(kSubject, mixed(), {}); }},
            {"predict-mixed.md", [] { return prediction_markdown(kSubject, mixed()); }},
            {"predict-too-large.txt", [] { return prediction_text(kSubject, too_large(), {}); }},
            {"predict.json", [] { return printed(prediction_json(pipelined())); }},
            {"predict.csv", [] { return csv({prediction_json(pipelined())}); }},
            {"predict.md", [] { return prediction_markdown(kSubject, pipelined()); }},
            {"size.txt", [] { return sizing_text(sized(), {}); }},
            {"size-machines.txt", [] { return sizing_text(compared_machines(), {.colour = true}); }},
            {"size-none.txt", [] { return sizing_text(too_late(), {}); }},
            {"size-stopped.txt", [] { return sizing_text(stopped_early(), {}); }},
            {"size.json", [] { return printed(sizing_json(sized())); }},
            {"size.csv", [] { return csv(sizing_rows(compared_machines())); }},
            {"size.md", [] { return sizing_markdown(compared_machines()); }},
            {"largest.txt", [] { return largest_text(largest_depth(), {}); }},
            {"largest-none.txt", [] { return largest_text(no_depth(), {}); }},
            {"largest.json", [] { return printed(largest_json(largest_depth())); }},
            {"largest.csv", [] { return csv(largest_rows(largest_depth())); }},
            {"largest.md", [] { return largest_markdown(largest_depth()); }},
            {"plan-tied.txt", [] { return answer_text(tied_plans(), "", {}); }},
            {"plan-tied.md", [] { return answer_markdown(tied_plans()); }},
            {"plan-explained.txt", [] { return answer_text(explained_plans(), "", {}); }},
            {"plan-explained.md", [] { return answer_markdown(explained_plans()); }},
            {"explanation.json", [] { return printed(explanation_json(some_reasons())); }},
            {"predict-explained.txt", [] { return explanation_text(reasons_of_one(), {too_large()}, {}); }},
            {"predict-explained.md", [] { return explanation_markdown(reasons_of_one(), {too_large()}); }},
            {"predict-observed.txt", [] { return prediction_text(kSubject, observed(), {}); }},
            {"predict-observed.md", [] { return prediction_markdown(kSubject, observed()); }},
            {"predict-observed.json", [] { return printed(prediction_json(observed())); }},
            {"limits.txt", [] { return limits_text(some_limits(), {}); }},
            {"limits-one.txt", [] { return limits_text(limits_of_one(), {}); }},
            {"limits.md", [] { return limits_markdown(some_limits()); }},
            {"limits.json", [] { return printed(limits_json(some_limits())); }},
            {"limits.csv", [] { return limits_csv(some_limits()); }},
            {"framework.txt", [] { return framework_text(software(), {}); }},
            {"framework.md", [] { return framework_markdown(software()); }},
            {"framework.json", [] { return printed(framework_json(software())); }},
            {"frameworks.txt",
             [] {
                 return frameworks_table({software(), software()}).to_text({}, "");
             }},
            {"frameworks.json", [] { return printed(frameworks_json({software()})); }},
            {"validate.txt", [] { return comparison_text({.table = "runs.csv"}, compared_runs()); }},
            {"validate.md",
             [] { return comparison_markdown({.table = "runs.csv", .worst = 5, .style = Style{}}, compared_runs()); }},
            {"accuracy.md",
             [] {
                 return accuracy_page({.tables = {"runs.csv"},
                                       .columns = {{.column = {"more", Align::right}, .cells = {{"alpha", "15.0 %"}}}},
                                       .about = "`more`: a column of another program.\n",
                                       .how = "Written by a test.\n",
                                       .after_groups = "\n## A section after the groups\n",
                                       .before_record = "\n## A section before the record\n"},
                                      compared_runs());
             }},
            {"validate.csv", [] { return runs_csv(compared_runs()); }},
            {"validate.json", [] { return printed(comparison_json(compared_runs())); }}};
}

class Golden : public ::testing::TestWithParam<Case> {};

TEST_P(Golden, PrintsAsBefore) {
    const std::string path = std::string(std::getenv("DODONA_SOURCE")) + "/tests/reports/golden/" + GetParam().file;
    const std::string now = GetParam().report();
    const char* accept = std::getenv("DODONA_ACCEPT");
    if (accept != nullptr && std::string(accept) == "1") {
        std::ofstream(path, std::ios::binary) << now;
    }
    std::ifstream stream(path, std::ios::binary);
    std::stringstream before;
    before << stream.rdbuf();
    EXPECT_EQ(before.str(), now) << "DODONA_ACCEPT=1 rewrites " << path;
}

INSTANTIATE_TEST_SUITE_P(Reports, Golden, ::testing::ValuesIn(cases()), [](const auto& test) {
    std::string name;
    for (const char c : test.param.file) {
        name += c == '.' || c == '-' ? '_' : c;
    }
    return name;
});

TEST(AnswerText, HasAtMostSevenColumns) {
    const std::string table = ranking(two_plans().plans).to_markdown();
    EXPECT_EQ(std::count(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(table.find('\n')), '|'), 7 + 1);
}

TEST(AnswerText, SaysWhatTheRunnerUpLosesMostFirst) {
    const auto plans = two_plans().plans;
    EXPECT_EQ(against_runner_up(plans[0], plans[1]),
              "No. 2 takes 10.0 % longer: pipeline bubble +800 ms, layer collectives +200 ms");
    const auto tied = tied_plans().plans;
    EXPECT_EQ(against_runner_up(tied[0], tied[1]),
              "No. 2 takes 10.0 % longer: pipeline bubble +800 ms, layer collectives +200 ms; "
              "predictions may miss by more, so measure both before a long run");
}

}  // namespace golden_test
}  // namespace dodona::reports::testing
