// Reports: what follows from their points, the way to JSON and back, and that nothing of a user's text is markup.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "base/diagnostic.hpp"
#include "questions/diff/diff.hpp"
#include "questions/report/analysis.hpp"
#include "questions/report/charts.hpp"
#include "questions/report/report.hpp"
#include "report_scene.hpp"
#include "reports/render/html.hpp"
#include "reports/render/json.hpp"
#include "reports/render/json_reader.hpp"
#include "reports/render/plot_axis.hpp"
#include "reports/render/renderer.hpp"
#include "reports/render/svg.hpp"
#include "reports/render/vega_lite.hpp"

namespace dodona::reports::testing {
namespace report_test {

std::vector<std::string> names(const std::vector<PlacedPlan>& plans) {
    std::vector<std::string> all;
    for (const PlacedPlan& placed : plans) {
        all.push_back(placed.strategy->name + " " + std::to_string(placed.point->devices));
    }
    return all;
}

TEST(Report, TakesTheAnswersAndSaysWhereAStrategyIsOvertaken) {
    const Report report = small_report();
    EXPECT_EQ(names(best_plans(report.scalings[0])),
              (std::vector<std::string>{"data 1", "data 2", "sharded 4", "sharded 8"}));
    const auto best = recommended(report.scalings[0]);
    ASSERT_TRUE(best);
    EXPECT_EQ(best->strategy->name, "sharded");
    EXPECT_DOUBLE_EQ(efficiency(report.scalings[0], *best->point), 1);
    // On 4 GPUs data is as fast as the answer (2.5 and 2.49 s).
    const auto changes = strategy_changes(report.scalings[0]);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(change_text(changes[0]),
              "8 GPUs: sharded overtakes data, which takes 100.0 % longer there: backward +500 ms, forward +250 ms, "
              "gradient reduction +250 ms");
}

TEST(Report, DoesNotRecommendWhatIsNotWorthwhile) {
    Report report = small_report();
    // data on 8 GPUs: 64 / 2 / 8 = 4 samples a second and GPU of at most 8.
    report.scalings[0].answers[3] = point_with("data", 8, 2, 12_GiB);
    EXPECT_EQ(recommended(report.scalings[0])->point->devices, 8);
    report.scalings[0].answers[3] = point_with("data", 8, 2.1, 12_GiB);
    EXPECT_EQ(recommended(report.scalings[0])->point->devices, 4);
}

TEST(Report, PutsOnTheFrontWhatNothingBeats) {
    const Report report = small_report();
    // sharded on 8 GPUs costs as much as data on 1 (8 GPU-seconds) and needs least memory; on 2 GPUs it is slower, but
    // smaller, than data; on 4 equally fast and smaller.
    EXPECT_EQ(names(pareto_front(report.inputs, report.scalings[0])),
              (std::vector<std::string>{"data 1", "data 2", "sharded 2", "sharded 4", "sharded 8"}));
}

TEST(Report, IsTheSameAfterItsWayThroughJson) {
    const Report report = small_report();
    const std::string text = json_page(report_record(report));
    const Report again = report_from(record_of_json(text, "a.json"), "a.json");
    EXPECT_EQ(json_page(report_record(again)), text);
    EXPECT_EQ(render_text(questions::report::document(again), {}),
              render_text(questions::report::document(report), {}));
}

TEST(Report, IsReadBackFromItsPage) {
    const Report report = small_report();
    const std::string page = render_html(questions::report::document(report), {});
    const Record record = record_of_json(result_text(page, "a.html"), "a.html");
    EXPECT_EQ(json_line(record), json_line(report_record(report)));
}

std::string fault_of(const std::string& text) {
    try {
        report_from(record_of_json(result_text(text, "a.json"), "a.json"), "a.json");
    } catch (const InputError& error) {
        std::string all;
        for (const Diagnostic& one : error.diagnostics()) {
            all += one.message + "\n";
        }
        return all;
    }
    return "none";
}

TEST(Report, NamesWhatIsWrongInAFile) {
    EXPECT_EQ(fault_of("{\"schema\": 1"), "this is no JSON from here on\n");
    EXPECT_EQ(fault_of("<html>"), "the page carries no result of dodona\n");
    EXPECT_EQ(fault_of("[]"), "the whole: an object is expected\nschema: dodona/report/1 is expected\n");
    EXPECT_EQ(fault_of("{\"schema\": \"dodona/plan/1\"}"), "schema: dodona/report/1 is expected\n");
    nlohmann::json broken = nlohmann::json::parse(json_line(report_record(small_report())));
    broken["inputs"]["modle"] = broken["inputs"]["model"];
    broken["inputs"].erase("model");
    broken["scalings"][0]["strategies"][1]["points"][0]["gpus"] = "eight";
    const std::string faults = fault_of(broken.dump());
    EXPECT_NE(faults.find("inputs.model: the key is missing\n"), std::string::npos) << faults;
    EXPECT_NE(faults.find("inputs.modle: unknown key; did you mean \"model\"?\n"), std::string::npos) << faults;
    EXPECT_NE(faults.find("scalings[0].strategies[1].points[0].gpus: a whole number is expected\n"), std::string::npos)
        << faults;
}

TEST(Report, IsCheckedBeforeItIsUsed) {
    const nlohmann::json whole = nlohmann::json::parse(json_line(report_record(small_report())));
    const auto tells = [&](const char* at, const nlohmann::json& value, const std::string& message) {
        nlohmann::json changed = whole;
        changed[nlohmann::json::json_pointer(at)] = value;
        const std::string faults = fault_of(changed.dump());
        EXPECT_NE(faults.find(message), std::string::npos) << at << "\n" << faults;
    };
    const std::string point = "/scalings/0/strategies/0/points/1";
    tells("/scalings", nlohmann::json::array(), "scalings: one at least is expected\n");
    tells("/inputs/gpus", nlohmann::json::array(), "inputs.gpus: one number at least is expected\n");
    tells((point + "/gpus").c_str(), 1, "points[1].gpus: a number above that of the point before is expected\n");
    tells((point + "/gpus").c_str(), -2, "points[1].gpus: -2 is not in 0..1000000000\n");
    tells((point + "/batch").c_str(), 63, "points[1].batch: 64 is expected\n");
    tells((point + "/plan/step_time_s/value").c_str(), 0, "plan.step_time_s: a time above 0 within its interval");
    tells((point + "/plan/samples_per_s").c_str(), 1e308, "plan.samples_per_s: 1e+308 is beyond 1e+30\n");
    tells((point + "/plan/tokens_per_s").c_str(), 0, "plan.tokens_per_s: a number above 0 is expected\n");
    tells("/best/timeline/bars/0/stage", 99, "bars[0].stage: one of 2 stages, counted from 0, is expected\n");
    tells("/best/timeline/bars/0/start_s", 1e9, "bars[0].start_s: a bar within the step is expected\n");
    tells("/best/timeline/bars/0/component", "\x1b[2J", "bars[0].component: no part of a step is called that\n");
    tells("/best/sensitivity/table/rows/0", {"a", "b", "c"}, "table.rows[0]: at most 2 cells are expected\n");
}

TEST(Report, GetsThinnerAndKeepsItsEnds) {
    Report report = small_report();
    report.best->devices = 2;
    EXPECT_EQ(thinned(report, 4).inputs.counts, (std::vector<std::int64_t>{1, 2, 4, 8}));
    EXPECT_EQ(thinned(report, 3).inputs.counts, (std::vector<std::int64_t>{1, 2, 8}));
    report.best->devices = 8;
    EXPECT_EQ(thinned(report, 2).inputs.counts, (std::vector<std::int64_t>{1, 8}));
    EXPECT_EQ(thinned(report, 2).scalings[0].strategies[0].points.size(), 2U);
    EXPECT_TRUE(thinned(report, 2).thinned);
    report.inputs.counts.clear();
    for (std::int64_t count = 1; count <= 1000; ++count) {
        report.inputs.counts.push_back(count);
    }
    EXPECT_EQ(thinned(report, 4).inputs.counts, (std::vector<std::int64_t>{1, 8, 10, 1000}));
    report.best.reset();  // a factor of ten apart
    EXPECT_EQ(thinned(report, 4).inputs.counts, (std::vector<std::int64_t>{1, 10, 100, 1000}));
}

// `folded` has two axes and uses one of them on 2 and 4 GPUs: there it is `data`. On 8 it is faster.
TEST(Report, NamesALayoutOnceByTheSimplestStrategyThatMakesIt) {
    Report report = small_report();
    ReportScaling& scaling = report.scalings[0];
    scaling.strategies[1] = {.name = "folded", .most = 8, .set_by = "the machine has 8", .axes = 2, .points = {}};
    scaling.strategies[1].points = {point_with("folded", 2, 4, 12_GiB), point_with("folded", 4, 2.5, 12_GiB),
                                    point_with("folded", 8, 1, 4_GiB)};
    std::swap(scaling.strategies[0], scaling.strategies[1]);
    const auto names = [](const std::vector<PlacedPlan>& plans) {
        std::vector<std::string> all;
        for (const PlacedPlan& placed : plans) {
            all.push_back(std::to_string(placed.point->devices) + " " + placed.strategy->name);
        }
        return all;
    };
    EXPECT_EQ(names(layouts(scaling)), (std::vector<std::string>{"1 data", "2 data", "4 data", "8 folded", "8 data"}));
    scaling.answers = {scaling.strategies[1].points[0], scaling.strategies[1].points[1],
                       scaling.strategies[1].points[2], scaling.strategies[0].points[2]};
    EXPECT_EQ(scaling_chart(report, scaling).series[1].label, "data");
    EXPECT_EQ(front_chart(report.inputs, scaling).x.size(), 5U);
}

TEST(Report, LeavesOutPlansThatNobodyRunsUnlessTheyAreAskedFor) {
    Report report = small_report();
    ReportScaling& scaling = report.scalings[0];
    ReportPlan& unusual = *scaling.strategies[1].points[3].plan;
    unusual.unusual = {"sharded 8 is in use for tables only"};
    scaling.answers[3] = scaling.strategies[0].points[3];
    EXPECT_EQ(names(best_plans(scaling)), (std::vector<std::string>{"data 1", "data 2", "sharded 4", "data 8"}));
    EXPECT_EQ(names(layouts(scaling)),
              (std::vector<std::string>{"data 1", "data 2", "sharded 2", "data 4", "sharded 4", "data 8"}));
    EXPECT_EQ(recommended(scaling)->strategy->name, "data");
    const auto plans_on_8 = [](const Report& of) {
        std::vector<std::string> all;
        for (const ReportStrategy& strategy : of.scalings[0].strategies) {
            if (const ReportPoint* point = point_on(strategy.points, 8); point != nullptr && point->plan) {
                all.push_back(strategy.name);
            }
        }
        return all;
    };
    EXPECT_EQ(plans_on_8(without_unusual(report)), (std::vector<std::string>{"data"}));
    EXPECT_EQ(without_unusual(report).scalings[0].strategies[1].points[3].why_not,
              "nobody runs it: sharded 8 is in use for tables only");
    Report asked = report;
    asked.inputs.settings.push_back({"--strategy", "data,sharded"});
    EXPECT_EQ(plans_on_8(without_unusual(asked)), (std::vector<std::string>{"data", "sharded"}));
    EXPECT_NE(render_text(questions::report::document(asked), {}).find("plans that nobody runs"), std::string::npos);
    for (ReportPoint& point : scaling.strategies[1].points) {
        if (point.plan) {
            point.plan->unusual = unusual.unusual;
        }
    }
    EXPECT_EQ(without_unusual(report).scalings[0].strategies.size(), 1U);
    scaling.strategies[0].points.pop_back();
    EXPECT_EQ(names(layouts(scaling)).back(), "sharded 8") << "nothing usual fits";
    EXPECT_EQ(plans_on_8(without_unusual(report)), (std::vector<std::string>{"sharded"}));
}

TEST(Report, DrawsCurvesThatCoincideAsOneLine) {
    Report report = small_report();
    ReportScaling& scaling = report.scalings[0];
    scaling.strategies[1].points = {point_with("sharded", 1, 8.1, 8_GiB), point_with("sharded", 2, 4, 8_GiB),
                                    point_with("sharded", 4, 2.51, 6_GiB), point_with("sharded", 8, 2, 4_GiB)};
    scaling.answers = scaling.strategies[0].points;
    ASSERT_EQ(charted(scaling, 6).size(), 1U);
    EXPECT_EQ(charted(scaling, 6)[0].label(), "data, sharded (equal)");
    EXPECT_EQ(
        (Curve{&scaling.strategies[0], {"zero1", "zero2", "zero3", "hybrid-shard", "sharded"}, "deepspeed"}.label()),
        "data and 5 equal, deepspeed");
    const Chart chart = scaling_chart(report, scaling);
    EXPECT_EQ(series_colours(chart)[0].hex, series_colours(chart)[1].hex) << "measured runs of data";
    scaling.strategies[1].points[2] = point_with("sharded", 4, 2.6, 6_GiB);
    EXPECT_EQ(charted(scaling, 6).size(), 2U) << "4 % apart";
}

// A million samples take 1e6 / (64 / 2) s x 8 GPUs = 69.4 GPU-hours with data on 8, 34.7 with sharded, and with data on 1
// 1e6 / 8 s = 34.7. 2 USD an hour.
TEST(Report, SaysWhatRunsCostAndWhatStopsThem) {
    Report report = small_report();
    const Chart cost = cost_chart(report.inputs, report.scalings[0]);
    EXPECT_EQ(cost.series[0].label, "sharded");
    EXPECT_EQ(text(cost.series[0].points[3]), "69.4 USD");
    EXPECT_EQ(text(cost.series[1].points[3]), "139 USD");
    report.inputs.price_per_gpu_hour.reset();
    EXPECT_EQ(text(cost_chart(report.inputs, report.scalings[0]).series[1].points[3]), "69.4");
    const Chart parts = time_parts_chart(report.scalings[0]);
    EXPECT_EQ(text(parts.level->value), "34.7");
    EXPECT_TRUE(parts.title.ends_with("GPU-hours for a million samples (ideal: 34.7)")) << parts.title;
    EXPECT_EQ(svg(parts).find(">ideal 34.7<"), std::string::npos) << "bars are higher";
    EXPECT_EQ(text(parts.series[0].points[2]), "10.8") << "forward on 4: a quarter of 1e6 / 64 x 2.49 s x 4 GPUs";
    const Chart sure = certainty_chart(report, report.scalings[0]);
    EXPECT_EQ(text(sure.series[0].points[0]), "100.0 % (90.0 to 125.0 %)");
    EXPECT_EQ(text(sure.series[1].points[2]), "96.0 %") << "2.4 s measured, 2.5 s predicted";
}

TEST(Report, ShowsMeasuredRunsOverCurvesOfTheirBatch) {
    Report report = small_report();
    const auto measured = [](const Chart& chart) {
        return std::any_of(chart.series.begin(), chart.series.end(),
                           [](const Series& series) { return series.label == "data, measured"; });
    };
    EXPECT_TRUE(measured(scaling_chart(report, report.scalings[0])));
    report.measured[0].batch = 32;
    EXPECT_FALSE(measured(scaling_chart(report, report.scalings[0])));
    report.scalings.push_back({.batch = std::nullopt,
                               .batch_per_gpu = 8,
                               .strategies = report.scalings[0].strategies,
                               .answers = report.scalings[0].answers});
    EXPECT_TRUE(measured(scaling_chart(report, report.scalings[1])));
}

// Runs with own plans: 64 samples in 2.5 s on 4 GPUs, 128 in 4 s on 8.
TEST(Report, DrawsMeasuredRunsBesideTheirOwnPlans) {
    Report report = small_report();
    report.measured.push_back(
        {.id = "run-2", .strategy = "data", .devices = 8, .batch = 128, .measured = 5_s, .predicted = {4_s, 4_s, 4_s}});
    const Document document = questions::report::document(report);
    const auto found = std::find_if(document.blocks.begin(), document.blocks.end(), [](const Block& block) {
        const auto* chart = std::get_if<Chart>(&block);
        return chart != nullptr && chart->name == "measured";
    });
    ASSERT_NE(found, document.blocks.end());
    const auto& chart = std::get<Chart>(*found);
    ASSERT_EQ(chart.series.size(), 2U);
    EXPECT_EQ(text(chart.series[0].points[0]), "25.6 samples/s (21.3 to 28.4 samples/s)");
    EXPECT_EQ(text(chart.series[0].points[1]), "32.0 samples/s");
    EXPECT_EQ(text(chart.series[1].points[1]), "25.6 samples/s");
}

TEST(Timeline, LeavesOutNoTimeOfAStage) {
    const play::SimulatedStep step = simulated();
    const ReportTimeline timeline = report_timeline(step);
    ASSERT_EQ(timeline.stages, (std::vector<std::int64_t>{1, 2}));
    for (std::int64_t stage = 0; stage < 2; ++stage) {
        double busy = 0;
        for (const ReportBar& bar : timeline.bars) {
            busy += bar.stage == stage ? bar.duration.in(unit::second) : 0;
        }
        EXPECT_NEAR(busy, step.stages[static_cast<std::size_t>(stage)].busy().in(unit::second), 1e-4);
    }
}

/// A report in which every text of a user tries to be markup.
Report hostile() {
    const std::string bad = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\"'&|`";
    Report report = small_report();
    report.inputs.model = bad;
    report.inputs.machine = bad;
    report.inputs.model_source = bad;
    report.inputs.settings = {{"--set", bad}};
    report.scalings[0].strategies[0].name = bad;
    report.scalings[0].strategies[1].points[0].why_not = bad;
    report.measured[0].id = bad;
    report.measured[0].strategy = bad;
    report.best->timeline->bars[0].label = bad;
    return report;
}

TEST(HtmlPage, EscapesWhateverAUserWrote) {
    const std::string page = render_html(questions::report::document(hostile()), {.scripts = "var x"});
    EXPECT_EQ(page.find("<img"), std::string::npos);
    EXPECT_EQ(page.find("alert(2)</script>"), std::string::npos);
    const auto count = [&page](const std::string& word) {
        std::size_t all = 0;
        for (std::size_t at = page.find(word); at != std::string::npos; at = page.find(word, at + 1)) {
            ++all;
        }
        return all;
    };
    EXPECT_EQ(count("<script"), 4U) << "result, charts, their scripts, the page's own";
    EXPECT_EQ(count("</script>"), 4U);
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(page.find("http://"), std::string::npos) << "nothing is loaded";
    for (const auto& [name, image] : images(questions::report::document(hostile()), "x")) {
        EXPECT_EQ(image.find("<img"), std::string::npos) << name;
        EXPECT_EQ(image.find("<script"), std::string::npos) << name;
    }
}

TEST(HtmlPage, KeepsNumbersWithTheirUnits) {
    Document document;
    add(document, Headline{"megatron on 512 GPUs (tensor 8, data 64), 1.5 s of 3 <4"});
    EXPECT_NE(render_html(document, {})
                  .find("<h1>megatron on\u00a0512\u00a0GPUs (tensor\u00a08, data\u00a064), "
                        "1.5\u00a0s of\u00a03\u00a0&lt;4</h1>"),
              std::string::npos);
    document.blocks = {Paragraph{"interval 3,510,000 to 5,790,000 tokens/s"}};
    EXPECT_NE(render_html(document, {}).find("<p>interval 3,510,000\u00a0to 5,790,000\u00a0tokens/s</p>"),
              std::string::npos)
        << "too long for one line";
}

TEST(HtmlPage, HasThreeChartsInARowFirst) {
    const std::string page = render_html(questions::report::document(small_report()), {.scripts = "var x"});
    const std::size_t row = page.find("<div class=\"row\">");
    const std::size_t end = page.find("</figure>\n</div>", row);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LT(end, page.find("<h2"));
    const std::string charts = page.substr(row, end - row);
    for (const char* title : {"What to run, and what it costs", "How far it scales, and what stops it", "How sure"}) {
        EXPECT_NE(charts.find(fmt::format("<figcaption>{}", title)), std::string::npos) << title;
    }
}

TEST(HtmlPage, HasNoScriptsForChartsWhereThereAreNone) {
    const std::string page = render_html(questions::report::document(small_report()), {});
    EXPECT_EQ(page.find("dodona-charts\">"), std::string::npos);
    EXPECT_NE(page.find("<td class=\"r\" data-v=\"8\">8</td>"), std::string::npos) << "tables say the same";
}

TEST(Base64, IsThatOfRfc4648) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64(std::string("\xff\x00\xfe", 3)), "/wD+");
}

TEST(Markdown, HasImagesOnlyWhereItHasFiles) {
    const Document document = questions::report::document(small_report());
    const std::string with = render_markdown(document, {.images = "my page"});
    EXPECT_NE(with.find("](my%20page-strong-scaling.svg)"), std::string::npos);
    EXPECT_EQ(render_markdown(document, {}).find("svg"), std::string::npos);
    const auto files = images(document, "my page");
    EXPECT_EQ(files.size(), 7U);
    EXPECT_TRUE(
        std::any_of(files.begin(), files.end(), [](const auto& file) { return file.first == "my page-step.svg"; }));
}

TEST(PlotAxis, PutsValuesBetweenItsEnds) {
    const Report report = small_report();
    const Chart chart = scaling_chart(report, report.scalings[0]);
    const PlotAxis y = y_axis(chart, 7);
    for (const Series& series : chart.series) {
        for (const Cell& cell : series.points) {
            if (const auto value = number_of(cell.value)) {
                EXPECT_GT(y.place(*value), 0) << series.label;
                EXPECT_LT(y.place(*value), 1) << series.label;
            }
        }
    }
    EXPECT_EQ(x_axis(chart, 13).ticks, (std::vector<double>{1, 2, 4, 8}));
    EXPECT_GE(y_axis(time_parts_chart(report.scalings[0]), 6).hi, 43.2) << "on 4 GPUs, the most expensive";
}

/// The axis of a logarithmic chart of two values.
PlotAxis value_axis(double lo, double hi) {
    return y_axis({.title = "",
                   .x_title = "",
                   .x = {Count{1}, Count{2}},
                   .series = {{.label = "a", .component = "", .points = {Number{lo}, Number{hi}}}},
                   .logarithmic = true,
                   .form = ChartForm::lines},
                  7);
}

TEST(PlotAxis, LabelsTicksThatDiffer) {
    constexpr double kLetters = 0.045;  // of a chart's height that a line of text takes
    for (const double hi : {1.0, 1.0002, 1.01, 1.1, 1.2, 1.3, 1.9, 3.0, 9.0, 40.0, 700.0, 5e4, 1e9}) {
        for (double lo = 6.5e-3; lo < 1e7; lo *= 1.7) {
            const PlotAxis axis = value_axis(lo, hi * lo);
            for (std::size_t i = 1; i < axis.ticks.size(); ++i) {
                EXPECT_GT(axis.place(axis.ticks[i]) - axis.place(axis.ticks[i - 1]), kLetters) << lo << " " << hi;
                EXPECT_NE(axis.tick_text(axis.ticks[i]), axis.tick_text(axis.ticks[i - 1])) << lo << " " << hi;
            }
        }
    }
}

TEST(PlotAxis, HasRoundTicksWhereThereIsHardlyAPowerOfTen) {
    const auto ticks = [](double lo, double hi) { return value_axis(lo, hi).ticks; };
    EXPECT_EQ(ticks(124, 799), (std::vector<double>{200, 500}));
    EXPECT_EQ(ticks(60, 3000), (std::vector<double>{100, 200, 500, 1000, 2000}));
    EXPECT_EQ(ticks(2.2, 4.6), (std::vector<double>{3, 4}));
    EXPECT_EQ(ticks(1, 100), (std::vector<double>{1, 10, 100}));
    EXPECT_EQ(ticks(7, 7), (std::vector<double>{6.5, 7, 7.5}));
    EXPECT_EQ(ticks(0, 4), (std::vector<double>{0, 1, 2, 3, 4})) << "no logarithm of 0";
}

TEST(Chart, MeasuredPointsHaveTheColourOfTheirStrategy) {
    const Report report = small_report();
    const Chart chart = scaling_chart(report, report.scalings[0]);
    const auto place = [&](const std::string& label) {
        return static_cast<std::size_t>(std::find_if(chart.series.begin(), chart.series.end(),
                                                     [&](const Series& one) { return one.label == label; }) -
                                        chart.series.begin());
    };
    const auto colours = series_colours(chart);
    EXPECT_EQ(colours.at(place("data, measured")).hex, colours.at(place("data")).hex);
    EXPECT_NE(colours.at(place("sharded")).hex, colours.at(place("data")).hex);
}

/// The schema that comes with Vega-Lite, where a build has fetched it.
std::filesystem::path vega_lite_schema() {
    return std::filesystem::path(std::getenv("DODONA_PROGRAM")).parent_path() / "reports" / "assets" /
           "vega-lite-schema.json";
}

TEST(VegaLite, SpecificationsAreValid) {
    if (!std::filesystem::exists(vega_lite_schema())) {
        GTEST_SKIP() << "`ninja report_assets` fetches the schema of Vega-Lite";
    }
    std::ifstream stream(vega_lite_schema());
    const nlohmann::json published = nlohmann::json::parse(stream);
    valijson::Schema schema;
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(published), schema);
    const auto is_valid = [&schema](const nlohmann::json& spec) {
        return valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(spec), nullptr);
    };
    std::size_t charts = 0;
    for (const Report& report : {small_report(), hostile()}) {
        for (const Block& block : questions::report::document(report).blocks) {
            nlohmann::json spec;
            if (const auto* chart = std::get_if<Chart>(&block)) {
                spec = nlohmann::json::parse(json_line(vega_lite(*chart)));
            } else if (const auto* timeline = std::get_if<TimelineChart>(&block)) {
                spec = nlohmann::json::parse(json_line(vega_lite(*timeline)));
            } else {
                continue;
            }
            ++charts;
            EXPECT_TRUE(is_valid(spec)) << spec.dump(1).substr(0, 2000);
            spec["layer"][0]["mark"]["type"] = "barr";
            EXPECT_FALSE(is_valid(spec));
        }
    }
    EXPECT_EQ(charts, 14U);
}

TEST(Difference, FindsWhatChanged) {
    const Report before = small_report();
    Report after = before;
    const auto within = [&](double tolerance) {
        return questions::diff::ask({{"a.json", before}, {"b.json", after}, tolerance});
    };
    EXPECT_FALSE(within(0).differs());
    after.inputs.machine = "crate";
    after.scalings[0].strategies[0].points[1] = point_with("data", 2, 4.4, 12_GiB);
    after.scalings[0].strategies[1].points.pop_back();
    const questions::diff::Answer found = within(0.05);
    EXPECT_EQ(found.inputs, (std::vector<std::string>{"machine: box -> crate"}));
    EXPECT_EQ(std::count_if(found.points.begin(), found.points.end(), [](const auto& point) { return point.differs; }),
              1);
    EXPECT_FALSE(within(0.11).differs()) << "10 % are within 11 %";
    EXPECT_EQ(render_text(questions::diff::document(found), {}).substr(0, 61),
              "1 of 7 points that both reports have differ by more than 5.0 ");
}

}  // namespace report_test
}  // namespace dodona::reports::testing
