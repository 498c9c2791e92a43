// Frameworks fitted to runs that a known framework made.
#include "lab/evidence/fits/framework_fit.hpp"

#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "files/library.hpp"
#include "validate/comparison.hpp"

namespace dodona::calibrate {
namespace framework_fit_test {

using plan::FrameworkParameter;

std::string root() { return std::getenv("DODONA_SOURCE"); }

/// The published layouts of Megatron, timed by `truth` instead of a clock.
std::vector<files::MeasuredRun> runs_timed_by(const plan::Framework& truth) {
    std::vector<files::MeasuredRun> runs;
    for (const char* table : {"korthikanti-tab5", "megatron-sc21"}) {
        const std::string path = root() + "/lab/evidence/tables/" + table + ".csv";
        for (files::MeasuredRun& run : files::load_runs(path, files::command_line())) {
            runs.push_back(std::move(run));
        }
    }
    validate::Questions questions{files::Library(root())};
    questions.replace(truth);
    const validate::Comparison made =
        validate::compare(runs, questions, [](std::int64_t, std::int64_t) { return true; });
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].step_time = made.rows.at(i).predicted->value;
    }
    return runs;
}

plan::Framework megatron() {
    plan::Framework framework = files::Library(root()).framework("megatron-2021");
    for (plan::Framework::Number& number : framework.numbers) {
        number.bounds.reset();
    }
    return framework;
}

TEST(FrameworkFit, FindsTheParametersThatMadeTheRuns) {
    plan::Framework truth = megatron();
    truth.number(FrameworkParameter::matmul).value = 1.2;
    truth.number(FrameworkParameter::stream).value = 1.6;
    const std::vector<files::MeasuredRun> runs = runs_timed_by(truth);
    plan::Framework start = megatron();
    start.number(FrameworkParameter::matmul) = {1, 1, 1, plan::Framework::Number::Bounds{0.8, 1.6}, "free"};
    start.number(FrameworkParameter::stream) = {1, 1, 1, plan::Framework::Number::Bounds{0.8, 3}, "free"};
    validate::Questions questions{files::Library(root())};
    const FrameworkFit fitted = fit(runs, questions, start, [](const std::string&) {});
    EXPECT_NEAR(fitted.framework[FrameworkParameter::matmul], 1.2, 0.03);
    EXPECT_NEAR(fitted.framework[FrameworkParameter::stream], 1.6, 0.1);
    EXPECT_LT(fitted.error, 0.005);
    EXPECT_LT(fitted.spread, 0.01);
    EXPECT_LT(fitted.framework.numbers[1].lo, fitted.framework.numbers[1].value);
    EXPECT_GT(fitted.framework.numbers[1].hi, fitted.framework.numbers[1].value);
    EXPECT_EQ(fitted.framework[FrameworkParameter::launch], truth[FrameworkParameter::launch])
        << "without bounds: kept";
}

TEST(FrameworkFit, OneRunThatIsFarOffDoesNotMoveTheRest) {
    plan::Framework truth = megatron();
    truth.number(FrameworkParameter::matmul).value = 1.2;
    std::vector<files::MeasuredRun> runs = runs_timed_by(truth);
    runs.back().step_time = 3.0 * *runs.back().step_time;
    plan::Framework start = megatron();
    start.number(FrameworkParameter::matmul) = {1, 1, 1, plan::Framework::Number::Bounds{0.8, 1.6}, "free"};
    validate::Questions questions{files::Library(root())};
    const FrameworkFit fitted = fit(runs, questions, start, [](const std::string&) {});
    EXPECT_NEAR(fitted.framework[FrameworkParameter::matmul], 1.2, 0.05);
}

TEST(FrameworkFit, GroupsAreHeldOutInTurn) {
    plan::Framework truth = megatron();
    truth.number(FrameworkParameter::matmul).value = 1.2;
    const std::vector<files::MeasuredRun> runs = runs_timed_by(truth);
    plan::Framework start = megatron();
    start.number(FrameworkParameter::matmul) = {1, 1, 1, plan::Framework::Number::Bounds{0.8, 1.6}, "free"};
    validate::Questions questions{files::Library(root())};
    const auto errors = errors_held_out(runs, questions, start);
    ASSERT_EQ(errors.size(), 2U);
    EXPECT_EQ(errors.at("korthikanti-tab5").runs, 8U);
    EXPECT_LT(errors.at("korthikanti-tab5").mean, 0.02);
    EXPECT_LT(errors.at("megatron-sc21").mean, 0.02);
}

TEST(FrameworkFit, SpreadIsTheLargerOfFittedAndTheMiddleGroupHeldOut) {
    const FrameworkFit fitted{.framework = {}, .error = 0.05, .spread = 0.03};
    EXPECT_EQ(spread_of(fitted, {}), 0.03);
    const std::map<std::string, GroupError> held_out{
        {"a", {0.01, 0.02, 3}}, {"b", {0.05, 0.1645, 4}}, {"c", {0.3, 0.9, 2}}};
    EXPECT_NEAR(spread_of(fitted, held_out), 0.1, 1e-9);
}

TEST(GroupError, OfMoreRunsIsTheirWeightedMean) {
    GroupError error{0.1, 0.2, 1};
    error.add({0.4, 0.1, 2});
    EXPECT_NEAR(error.mean, 0.3, 1e-12);
    EXPECT_NEAR(error.most, 0.4 / 3, 1e-12);
    EXPECT_EQ(error.runs, 3U);
}

}  // namespace framework_fit_test
}  // namespace dodona::calibrate
