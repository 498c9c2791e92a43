// Reports in the formats that they are printed in, word for word. DODONA_ACCEPT=1 rewrites the files in golden/. JSON has
// as much in a line there as fits.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/diagnostic.hpp"
#include "base/printable.hpp"
#include "goodput_scene.hpp"
#include "questions/diff/diff.hpp"
#include "questions/goodput/goodput.hpp"
#include "questions/limits/limits.hpp"
#include "questions/plans/plans.hpp"
#include "questions/predict/predict.hpp"
#include "questions/report/report.hpp"
#include "questions/validate/validate.hpp"
#include "report_scene.hpp"
#include "reports/accuracy_page.hpp"
#include "reports/collect/explanation_report.hpp"
#include "reports/collect/framework_report.hpp"
#include "reports/render/renderer.hpp"
#include "simulated_scene.hpp"
#include "sized_scene.hpp"
#include "threads_scene.hpp"
#include "trials_scene.hpp"

namespace dodona::reports::testing {
namespace golden_test {

const Subject kSubject{"gpt3-175b", "selene"};

struct Case {
    std::string file;  ///< its ending names the format
    std::function<Document()> document;
    Page page = {};
};

Document explanation_alone() {
    Document document;
    add_explanation(document, reasons_of_one(), {too_large()});
    return document;
}

Document comparison() { return questions::validate::document({.table = "runs.csv"}, compared_runs()); }

std::vector<Case> cases() {
    const auto plan = [](const search::Answer& answer, const std::string& saved = "") {
        return [=] { return questions::plans::document({.found = answer, .saved = saved}); };
    };
    const auto predict = [](const step::Prediction& prediction) {
        return [=] { return questions::predict::document({.subject = kSubject, .prediction = prediction}); };
    };
    const auto size = [](const SizeAnswer& answer) { return [=] { return questions::size::document(answer); }; };
    const auto largest = [](const LargestAnswer& answer) {
        return [=] { return questions::largest::document(answer); };
    };
    const auto limits = [](const search::LimitsAnswer& answer) {
        return [=] { return questions::limits::document(answer); };
    };
    const auto framework = [] { return framework_document(software()); };
    const auto simulate = [] { return simulate_document(); };
    const auto goodput = [](const reliability::Goodput& answer) {
        return [=] { return questions::goodput::document(kSubject, answer); };
    };
    const auto small_trials = [] { return small_document(small_study()); };
    const auto trials_run = [] { return run_document(true); };
    const auto tables_of = [](const tables::StepPrediction& answer) { return [=] { return placed_document(answer); }; };
    const auto with_noise = [] {
        const play::NoisySteps steps = noisy();
        const play::NoiseStudy loads = study();
        return simulate_document(simulated(), steps, loads);
    };
    const auto report = [] { return questions::report::document(small_report()); };
    const auto stopped_report = [] {
        Report stopped = small_report();
        stopped.complete = false;
        stopped.best = {};
        for (ReportStrategy& strategy : stopped.scalings[0].strategies) {
            strategy.points.clear();
        }
        stopped.scalings[0].answers.clear();
        return questions::report::document(stopped);
    };
    const auto diff = [] {
        const Report before = small_report();
        Report after = before;
        after.scalings[0].strategies[0].points[1] = point_with("data", 2, 4.4, 12_GiB);
        after.scalings[0].strategies[1].points.pop_back();
        after.scalings[0].answers[1] = after.scalings[0].strategies[0].points[1];
        after.scalings[0].answers[3] = after.scalings[0].strategies[0].points[3];
        return questions::diff::document(questions::diff::ask({{"a.json", before}, {"b.json", after}, 0.005}));
    };
    const auto frameworks = [] {
        return frameworks_document({software(), software()},
                                   {{.name = "graphs", .source = "a guide", .summary = "one call"}});
    };
    return {{"plan.txt", plan(two_plans())},
            {"plan-narrow.txt", plan(two_plans()), {.width = 72}},
            {"plan-saved.txt", plan(two_plans(), "best plan.yaml"), {.colour = true}},
            {"plan-nothing-fits.txt", plan(nothing_fits())},
            {"plan.csv", plan(two_plans())},
            {"plan-tied.txt", plan(tied_plans())},
            {"plan-explained.txt", plan(explained_plans())},
            {"plan-explained.md", plan(explained_plans())},
            {"plan-explained.json", plan(explained_plans())},
            {"predict.txt", predict(pipelined())},
            {"predict-mixed.txt", predict(mixed())},
            {"predict-too-large.txt", predict(too_large())},
            {"predict.json", predict(pipelined())},
            {"predict.csv", predict(pipelined())},
            {"predict-explained.txt", explanation_alone},
            {"predict-observed.txt", predict(observed())},
            {"predict-observed.md", predict(observed())},
            {"predict-observed.json", predict(observed())},
            {"goodput.txt", goodput(failing_run())},
            {"goodput.md", goodput(failing_run())},
            {"goodput.json", goodput(failing_run())},
            {"goodput.csv", goodput(failing_run())},
            {"goodput-none.txt", goodput(hopeless_run())},
            {"trials.txt", small_trials},
            {"trials.json", small_trials},
            {"trials.csv", small_trials},
            {"trials-run.txt", trials_run},
            {"trials-run.json", trials_run},
            {"tables.txt", tables_of(placed_tables())},
            {"tables.json", tables_of(placed_tables())},
            {"tables-none.txt", tables_of(homeless_tables())},
            {"threads.txt", threads_prediction},
            {"threads.json", threads_prediction},
            {"threads-none.txt", threads_too_large},
            {"simulate-noise.txt", with_noise},
            {"simulate-noise.json", with_noise},
            {"simulate.txt", simulate},
            {"simulate.json", simulate},
            {"simulate.csv", simulate},
            {"size.txt", size(sized())},
            {"size-machines.txt", size(compared_machines()), {.colour = true}},
            {"size-none.txt", size(too_late())},
            {"size-stopped.txt", size(stopped_early())},
            {"size.json", size(sized())},
            {"size.csv", size(compared_machines())},
            {"size.md", size(compared_machines())},
            {"largest.txt", largest(largest_depth())},
            {"largest-none.txt", largest(no_depth())},
            {"largest.json", largest(largest_depth())},
            {"largest.csv", largest(largest_depth())},
            {"largest.ndjson", largest(largest_depth())},
            {"limits.txt", limits(some_limits())},
            {"limits-one.txt", limits(limits_of_one())},
            {"limits.json", limits(some_limits())},
            {"limits.csv", limits(some_limits())},
            {"report.txt", report},
            {"report-narrow.txt", report, {.width = 72, .colour = true}},
            {"report-stopped.txt", stopped_report},
            {"report.md", report},
            {"report.csv", report},
            {"report.json", report},
            {"diff.txt", diff},
            {"diff.json", diff},
            {"framework.txt", framework},
            {"framework.json", framework},
            {"frameworks.txt", frameworks},
            {"frameworks.json", frameworks},
            {"validate.txt", comparison},
            {"validate.md", comparison},
            {"validate.csv", comparison},
            {"validate.json", comparison}};
}

using Json = nlohmann::ordered_json;

std::string filled(const Json& json, std::size_t indent = 0) {
    constexpr std::size_t kColumns = 110;
    if (!json.is_structured()) {
        return json.dump();
    }
    std::vector<std::string> parts;
    for (const auto& item : json.items()) {
        parts.push_back((json.is_object() ? Json(item.key()).dump() + ": " : "") + filled(item.value(), indent + 2));
    }
    const std::string ends = json.is_object() ? "{}" : "[]";
    const std::string line = join(parts);
    if (line.find('\n') == std::string::npos && indent + line.size() + 2 <= kColumns) {
        return ends[0] + line + ends[1];
    }
    const std::string margin = "\n" + std::string(indent, ' ');
    std::string text = ends.substr(0, 1);
    std::size_t used = kColumns;  // of the line
    for (const std::string& part : parts) {
        const bool long_part = part.find('\n') != std::string::npos;
        const bool new_line = long_part || used + part.size() + 2 > kColumns;
        text += (text.size() > 1 ? "," : "") + (new_line ? margin + "  " : " ") + part;
        used = long_part ? kColumns : (new_line ? indent : used) + part.size() + 2;
    }
    return text + margin + ends[1];
}

/// What the file holds; DODONA_ACCEPT=1 makes it hold `now`.
std::string golden(const std::string& file, const std::string& now) {
    const std::string path = std::string(std::getenv("DODONA_SOURCE")) + "/tests/reports/golden/" + file;
    const char* accept = std::getenv("DODONA_ACCEPT");
    if (accept != nullptr && std::string(accept) == "1") {
        std::ofstream(path, std::ios::binary) << now;
    }
    std::ifstream stream(path, std::ios::binary);
    std::stringstream before;
    before << stream.rdbuf();
    return before.str();
}

class Golden : public ::testing::TestWithParam<Case> {};

TEST_P(Golden, PrintsAsBefore) {
    const Case& test = GetParam();
    const Renderer* renderer = renderer_of_suffix(test.file.substr(test.file.find('.') + 1));
    ASSERT_NE(renderer, nullptr);
    std::string now = renderer->render(test.document(), test.page);
    if (test.file.ends_with(".json")) {
        const Json json = Json::parse(now);
        EXPECT_EQ(printable_json(json.dump(2)) + "\n", now);
        now = filled(json) + "\n";
    }
    EXPECT_EQ(golden(test.file, now), now) << "DODONA_ACCEPT=1 rewrites tests/reports/golden/" << test.file;
}

TEST(AccuracyPage, PrintsAsBefore) {
    const std::string now =
        accuracy_page({.tables = {"runs.csv"},
                       .columns = {{.column = {"more", Align::right}, .cells = {{"alpha", "15.0 %"}}}},
                       .about = "`more`: a column of another program.\n",
                       .how = "Written by a test.\n",
                       .after_groups = "\n## A section after the groups\n",
                       .before_record = "\n## A section before the record\n"},
                      compared_runs());
    EXPECT_EQ(golden("accuracy.md", now), now);
}

INSTANTIATE_TEST_SUITE_P(Reports, Golden, ::testing::ValuesIn(cases()), [](const auto& test) {
    std::string name;
    for (const char c : test.param.file) {
        name += c == '.' || c == '-' ? '_' : c;
    }
    return name;
});

TEST(PlanReport, HasAtMostSevenColumns) {
    const search::Answer answer = two_plans();
    EXPECT_LE(questions::plans::ranking_table(questions::plans::ranking_of(answer.plans)).columns.size(), 7U);
}

TEST(PlanReport, SaysWhatTheRunnerUpLosesMostFirst) {
    const auto plans = two_plans().plans;
    EXPECT_EQ(questions::plans::against_runner_up(questions::plans::ranking_of(plans), 8),
              "No. 2 takes 10.0 % longer: pipeline bubble +800 ms, TP communication +200 ms");
    const auto tied = tied_plans().plans;
    EXPECT_EQ(questions::plans::against_runner_up(questions::plans::ranking_of(tied), 8),
              "No. 2 takes 10.0 % longer: pipeline bubble +800 ms, TP communication +200 ms; "
              "measure both before a long run");
}

}  // namespace golden_test
}  // namespace dodona::reports::testing
