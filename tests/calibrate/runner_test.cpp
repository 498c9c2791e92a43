// The runner against back ends that answer, fail, die and hang.
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "calibrate/measure/runner.hpp"

namespace dodona::calibrate {
namespace runner_test {

/// Measures m seconds of everything; dies at 13, fails at 7.
class Odd : public Instrument {
public:
    Environment environment() override { return {{{"device", "odd"}}}; }
    Measurement measure(const Case& asked) override {
        const double m = asked.number("m");
        if (m == 13) {
            std::raise(SIGKILL);
        }
        if (m == 7) {
            throw CannotMeasure("seven is odd");
        }
        Measurement measured;
        measured.of = asked;
        measured.time = {.least = m * 1_s, .first_quartile = m * 1_s, .median = m * 1_s, .third_quartile = m * 1_s};
        measured.time.samples = 1;
        return measured;
    }
};

std::unique_ptr<Instrument> odd(const Settings&) { return std::make_unique<Odd>(); }

BackEnd back_end() {
    return {.name = "odd", .passes = {Pass::time}, .start = [] {
                return Child::forked([](int in, int out) { return serve("odd", odd, in, out); });
            }};
}

Case sized(double m) { return {.benchmark = "made-up", .parameters = {{"m", m}}}; }

class RunnerTest : public testing::Test {
protected:
    ~RunnerTest() override { std::filesystem::remove(path_); }
    std::string path_ = testing::TempDir() + "dodona_runner_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
};

TEST_F(RunnerTest, ACaseThatKillsItsProcessOrFailsCostsOnlyItself) {
    Journal journal(path_);
    const BackEnd odd = back_end();
    const Outcome outcome =
        run({.backend = odd, .settings = {}, .cases = {sized(1), sized(13), sized(7), sized(2)}}, journal, {});
    EXPECT_EQ(outcome.measured, 2u);
    EXPECT_FALSE(outcome.lacking.has_value());
    ASSERT_EQ(outcome.failures.size(), 2u);
    for (const Failure& failure : outcome.failures) {
        const bool killed = failure.of == sized(13);
        EXPECT_EQ(failure.why, killed ? "its process was ended by signal 9 (Killed)" : "seven is odd");
    }
    EXPECT_TRUE(journal.has("odd", Pass::time, sized(1)));
    EXPECT_TRUE(journal.has("odd", Pass::time, sized(2)));
}

TEST_F(RunnerTest, ASecondRunMeasuresOnlyWhatIsMissing) {
    Journal journal(path_);
    const BackEnd odd = back_end();
    static_cast<void>(run({.backend = odd, .settings = {}, .cases = {sized(1), sized(7)}}, journal, {}));
    const Outcome second =
        run({.backend = odd, .settings = {}, .cases = {sized(1), sized(7), sized(3), sized(3)}}, journal, {});
    EXPECT_EQ(second.before, 1u);
    EXPECT_EQ(second.measured, 1u);
    EXPECT_EQ(second.failures.size(), 1u);
    const Outcome again = run({.backend = odd, .settings = {}, .cases = {sized(1)}, .again = true}, journal, {});
    EXPECT_EQ(again.measured, 1u);
}

TEST_F(RunnerTest, AnInterruptKeepsWhatIsMeasured) {
    Journal journal(path_);
    const BackEnd odd = back_end();
    int asked = 0;
    const Watch watch{
        .asked = [&](const Case& /*of*/) { ++asked; }, .answered = {}, .interrupted = [&] { return asked > 2; }};
    const Outcome outcome =
        run({.backend = odd, .settings = {}, .cases = {sized(1), sized(2), sized(3), sized(4)}}, journal, watch);
    EXPECT_TRUE(outcome.interrupted);
    EXPECT_EQ(outcome.measured, 2u);
    EXPECT_TRUE(outcome.failures.empty());
}

TEST_F(RunnerTest, ABackEndThatDiesAtEveryCaseIsGivenUp) {
    Journal journal(path_);
    const BackEnd odd = back_end();
    std::vector<Case> cases;
    for (int i = 0; i < 40; ++i) {
        cases.push_back(sized(13));
        cases.back().parameters["i"] = static_cast<double>(i);
    }
    const Outcome outcome = run({.backend = odd, .settings = {}, .cases = cases}, journal, {});
    ASSERT_TRUE(outcome.lacking.has_value());
    EXPECT_EQ(outcome.lacking->why, "the back end odd dies at every case");
    EXPECT_LT(outcome.failures.size(), 10u);
}

TEST_F(RunnerTest, WhatABackEndLacksIsSaid) {
    Journal journal(path_);
    const BackEnd absent{.name = "absent", .passes = {Pass::time}, .start = []() -> Child {
                             throw InstrumentMissing({.why = "it was not built", .help = "build it"});
                         }};
    const Outcome outcome = run({.backend = absent, .settings = {}, .cases = {sized(1)}}, journal, {});
    EXPECT_EQ(outcome.lacking->why, "it was not built");
    const BackEnd silent{.name = "silent", .passes = {Pass::time}, .start = [] {
                             return Child::program({"sh", "-c", "echo no such library >&2; exit 4"});
                         }};
    EXPECT_EQ(run({.backend = silent, .settings = {}, .cases = {sized(1)}}, journal, {}).lacking->why,
              "the back end silent ended with status 4: no such library");
    const auto none = environment_of(silent, {}, {});
    EXPECT_EQ(std::get<Lacking>(none).why, "the back end silent ended with status 4: no such library");
}

TEST_F(RunnerTest, AnAnswerToAnotherCaseThanAskedIsRefused) {
    class Deaf : public Odd {
    public:
        Measurement measure(const Case& /*asked*/) override { return Odd::measure(sized(99)); }
    };
    const BackEnd deaf{
        .name = "deaf", .passes = {Pass::time}, .start = [] {
            return Child::forked([](int in, int out) {
                return serve(
                    "deaf", [](const Settings&) -> std::unique_ptr<Instrument> { return std::make_unique<Deaf>(); }, in,
                    out);
            });
        }};
    Journal journal(path_);
    const Outcome outcome = run({.backend = deaf, .settings = {}, .cases = {sized(1)}}, journal, {});
    EXPECT_EQ(outcome.measured, 0u);
    ASSERT_TRUE(outcome.lacking.has_value());
    EXPECT_NE(outcome.lacking->why.find("asked for made-up m=1"), std::string::npos) << outcome.lacking->why;
    EXPECT_FALSE(journal.has("deaf", Pass::time, sized(99)));
}

// Records are handed on: they tell no paths, and a directory of another disk is measured anew.
TEST_F(RunnerTest, ADirectoryIsAMarkInTheRecords) {
    const auto in = [](const std::string& directory, double m) {
        Case of = sized(m);
        of.parameters["directory"] = directory;
        return of;
    };
    const std::string here = std::filesystem::temp_directory_path().string();
    Journal journal(path_);
    const BackEnd odd = back_end();
    static_cast<void>(run({.backend = odd, .settings = {}, .cases = {in(here, 1), in(here, 7)}}, journal, {}));
    for (const Record& record : journal.records()) {
        EXPECT_EQ(to_line(record).find(here), std::string::npos) << to_line(record);
    }
    const auto before = [&](const std::string& directory) {
        return run({.backend = odd, .settings = {}, .cases = {in(directory, 1)}}, journal, {}).before;
    };
    EXPECT_EQ(before(here), 1u);
    EXPECT_EQ(before(here + "/."), 1u) << "the same directory";
    EXPECT_EQ(before("/"), 0u);
}

TEST_F(RunnerTest, ABackEndThatWritesWithoutEndIsRefused) {
    Journal journal(path_);
    const BackEnd flood{.name = "flood", .passes = {Pass::time}, .start = [] {
                            return Child::program({"sh", "-c", "yes | tr -d '\\n'"});
                        }};
    const Outcome outcome = run({.backend = flood, .settings = {}, .cases = {sized(1)}}, journal, {});
    ASSERT_TRUE(outcome.lacking.has_value());
    EXPECT_NE(outcome.lacking->why.find("the back end flood wrote \"yyyy"), std::string::npos) << outcome.lacking->why;
}

TEST_F(RunnerTest, WhatItRunsOnIsToldWithoutMeasuring) {
    const auto found = environment_of(back_end(), {}, {});
    EXPECT_EQ(std::get<Environment>(found).facts.at("device"), "odd");
}

}  // namespace runner_test
}  // namespace dodona::calibrate
