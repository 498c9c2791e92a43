// Runs of real commands: what ends, what fails, what goes on. Nothing depends on how long a command takes.
#include "runner/run_study.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/diagnostic.hpp"
#include "made_folder.hpp"
#include "runner/process.hpp"

namespace dodona::runner::testing {
namespace run_study_test {

const GoOn kAlways = [] { return true; };
const Progress kSilent = [](std::size_t, std::size_t) {};

StudyRun study(const MadeFolder& place, const std::string& command, int trials = 4, std::int64_t slots = 2) {
    StudyRun run{.trials = {},
                 .jobs = {},
                 .pool = {1, {.cores = slots}},
                 .command = command,
                 .nodes = {"localhost"},
                 .folder = place.path()};
    for (int i = 0; i < trials; ++i) {
        run.trials.push_back({{"x", std::to_string(i)}});
        run.jobs.push_back({{}, {.cores = 1}});
    }
    return run;
}

TEST(RunStudy, RunsEachTrialOnceWithItsSettings) {
    const MadeFolder place;
    const StudyDone done = run_study(study(place, "echo x is {x} on {node}, $OMP_NUM_THREADS core"), kAlways, kSilent);
    EXPECT_EQ(done.finished, 4U);
    EXPECT_EQ(done.attempts.size(), 4U);
    EXPECT_TRUE(done.failed.empty());
    EXPECT_EQ(done.stopped, "");
    EXPECT_EQ(place.content("trial-0003/log"), "x is 2 on localhost, 1 core\n");
}

TEST(RunStudy, AFailureStopsNobodyElseAndIsTriedAgain) {
    const MadeFolder place;
    StudyRun run = study(place, "echo try; test {x} != 1");
    run.tries = 3;
    const StudyDone done = run_study(run, kAlways, kSilent);
    EXPECT_EQ(done.finished, 3U);
    EXPECT_EQ(done.failed, std::vector<std::size_t>{1});
    EXPECT_EQ(done.tries_of[1], 3);
    EXPECT_EQ(place.content("trial-0002/log"), "try\ntry\ntry\n");
}

TEST(RunStudy, ATrialThatFailsOnceFinishesTheSecondTime) {
    const MadeFolder place;
    const StudyDone done =
        run_study(study(place, "test -e {folder}/again || { touch {folder}/again; exit 3; }"), kAlways, kSilent);
    EXPECT_EQ(done.finished, 4U);
    EXPECT_EQ(done.attempts.size(), 8U);
}

TEST(RunStudy, GoesOnWhereItStopped) {
    const MadeFolder place;
    const StudyRun run = study(place, "echo {x} >> {folder}/../ran", 6, 1);
    std::size_t seen = 0;
    const Progress count = [&](std::size_t ended, std::size_t) { seen = ended; };
    const StudyDone first = run_study(
        run, [&] { return seen < 2; }, count);
    EXPECT_EQ(first.stopped, "interrupted");
    ASSERT_GE(first.finished, 2U);
    ASSERT_LT(first.finished, 6U);
    const StudyDone second = run_study(run, kAlways, kSilent);
    EXPECT_EQ(second.finished, 6U);
    EXPECT_EQ(second.resumed, first.finished);
    const std::string ran = place.content("ran");
    EXPECT_EQ(ran.substr(0, 4), "0\n1\n");
    EXPECT_EQ(std::count(ran.begin(), ran.end(), '0'), 1) << "what had finished is not run again";
    EXPECT_GT(second.makespan, first.makespan);
    const StudyDone third = run_study(run, kAlways, kSilent);
    EXPECT_EQ(third.resumed, 6U);
    EXPECT_EQ(place.content("ran"), ran);
}

TEST(RunStudy, WithFewerTriesEachTrialThatFailedIsCountedOnce) {
    const MadeFolder place;
    StudyRun run = study(place, "exit 3", 2, 1);
    run.tries = 3;
    EXPECT_EQ(run_study(run, kAlways, kSilent).failed, (std::vector<std::size_t>{0, 1}));
    run.tries = 1;
    EXPECT_EQ(run_study(run, kAlways, kSilent).failed, (std::vector<std::size_t>{0, 1}));
}

TEST(RunStudy, DoesNotGoOnWithLessThanTheJournalTellsOf) {
    const MadeFolder place;
    StudyRun run = study(place, "true", 2, 2);
    static_cast<void>(run_study(run, kAlways, kSilent));
    run.pool.node.cores = 1;
    EXPECT_THROW(run_study(run, kAlways, kSilent), InputError);
}

TEST(RunStudy, EndsWhatRunsWhenItIsStopped) {
    const MadeFolder place;
    const StudyRun run = study(place, "touch {folder}/began; sleep 600; touch {folder}/ended", 2, 2);
    const auto began = [&](const char* trial) {
        return std::filesystem::exists(place.path() + "/" + trial + "/began");
    };
    const StudyDone done = run_study(
        run, [&] { return !began("trial-0001") || !began("trial-0002"); }, kSilent);
    EXPECT_EQ(done.stopped, "interrupted");
    EXPECT_EQ(done.finished, 0U);
    EXPECT_TRUE(done.attempts.empty()) << "an attempt that was ended is begun anew";
    EXPECT_FALSE(std::filesystem::exists(place.path() + "/trial-0001/ended"));
}

TEST(RunStudy, EndsWhatATrialLeavesBehind) {
    const MadeFolder place;
    ASSERT_EQ(run_study(study(place, "sleep 600 & true", 1), kAlways, kSilent).finished, 1U);
    EXPECT_TRUE(is_free(place.path() + "/trial-0001/log", {})) << "nothing has its log any more";
}

TEST(RunStudy, ATrialHasTimeToEnd) {
    const MadeFolder place;
    const StudyRun run = study(place,
                               "sh -c 'trap \"touch {folder}/saved; exit 0\" TERM; touch {folder}/began; while true; "
                               "do sleep 0.01; done'; true",
                               1);
    const StudyDone done = run_study(
        run, [&] { return !std::filesystem::exists(place.path() + "/trial-0001/began"); }, kSilent);
    EXPECT_EQ(done.stopped, "interrupted");
    EXPECT_TRUE(std::filesystem::exists(place.path() + "/trial-0001/saved"))
        << "the shell ends at once, what it started a moment later";
}

TEST(RunStudy, DoesNotStartATrialThatStillRuns) {
    const MadeFolder place;
    StudyRun run = study(place, "touch {folder}/began; cat {folder}/../pipe", 1);
    run.patience = std::chrono::milliseconds(100);
    static_cast<void>(run_study(
        run, [&] { return !std::filesystem::exists(place.path() + "/trial-0001/began"); }, kSilent));
    const int log = ::open((place.path() + "/trial-0001/log").c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(::flock(log, LOCK_EX | LOCK_NB), 0);  // as its processes do
    place.write("pipe", "");
    const StudyDone waited = run_study(run, kAlways, kSilent);
    EXPECT_NE(waited.stopped.find("trial 1 of an earlier run still runs"), std::string::npos) << waited.stopped;
    EXPECT_TRUE(waited.attempts.empty());
    ::close(log);
    EXPECT_EQ(run_study(run, kAlways, kSilent).finished, 1U);
}

TEST(RunStudy, WithoutItsCommandItStops) {
    const MadeFolder place;
    const StudyDone done = run_study(study(place, "no-such-command-of-dodona {x}", 10, 1), kAlways, kSilent);
    EXPECT_EQ(done.stopped, "3 attempts in a row found no command");
    EXPECT_EQ(done.attempts.size(), 3U);
    EXPECT_EQ(done.attempts.front().status, 127);
}

TEST(RunStudy, ANodeThatIsLostLosesNoTrial) {
    const MadeFolder place;
    StudyRun run = study(place, "true");
    run.pool = {2, {.cores = 1}};
    run.nodes = {"good", "dead"};
    run.launcher = "test {node} = good || exit 255; sh -c {command}";
    const StudyDone done = run_study(run, kAlways, kSilent);
    EXPECT_EQ(done.finished, 4U);
    EXPECT_EQ(done.lost, std::vector<std::string>{"dead"});
    EXPECT_TRUE(done.failed.empty());
    for (const Attempt& attempt : done.attempts) {
        EXPECT_EQ(attempt.state == State::node_lost, attempt.place.node == 1);
    }
}

TEST(RunStudy, WithoutAnyNodeItStops) {
    const MadeFolder place;
    StudyRun run = study(place, "true");
    run.launcher = "exit 255; {command}";
    const StudyDone done = run_study(run, kAlways, kSilent);
    EXPECT_EQ(done.stopped, "no node is left that a trial fits on");
    EXPECT_EQ(done.finished, 0U);
    EXPECT_TRUE(done.failed.empty()) << "nothing is known of the trials";
}

TEST(RunStudy, EachTrialHasGpusOfItsOwn) {
    const MadeFolder place;
    StudyRun run = study(place,
                         "echo $CUDA_VISIBLE_DEVICES {gpu_ids} >> {folder}/../gpus; while [ $(wc -l < "
                         "{folder}/../gpus) -lt 2 ]; do sleep 0.01; done",
                         2);
    run.pool = {1, {.gpus = 4}};
    run.jobs = {{{}, {.gpus = 2}}, {{}, {.gpus = 2}}};
    run.assigns_gpus = true;
    ASSERT_EQ(run_study(run, kAlways, kSilent).finished, 2U);
    const std::string gpus = place.content("gpus");
    EXPECT_NE(gpus.find("0,1 0,1\n"), std::string::npos) << gpus;
    EXPECT_NE(gpus.find("2,3 2,3\n"), std::string::npos) << gpus;
}

TEST(RunStudy, RefusesAnotherStudyInTheSameFolder) {
    const MadeFolder place;
    static_cast<void>(run_study(study(place, "true"), kAlways, kSilent));
    EXPECT_THROW(run_study(study(place, "true again"), kAlways, kSilent), InputError);
    EXPECT_THROW(run_study(study(place, "true", 5), kAlways, kSilent), InputError);
}

TEST(RunStudy, ReadsTheLastResultOfEachTrialThatEndedAsItShould) {
    const MadeFolder place;
    StudyRun run = study(place, "echo acc 0.{x}; echo acc 0.5{x}; test {x} != 2");
    run.result = {.pattern = "acc ([0-9.]+)"};
    run.tries = 1;
    const StudyDone done = run_study(run, kAlways, kSilent);
    EXPECT_EQ(done.results, (std::vector<std::optional<double>>{0.50, 0.51, std::nullopt, 0.53}));
    run.result = {.key = "loss", .file = "out.json"};
    run.command = "echo '{\"loss\": 1.{x}}' > {folder}/out.json";
    const MadeFolder other;
    run.folder = other.path();
    EXPECT_EQ(run_study(run, kAlways, kSilent).results[3], 1.3);
}

TEST(RunStudy, DoesNotWaitForAPipeThatATrialCallsItsResults) {
    const MadeFolder place;
    StudyRun run = study(place, "mkfifo {folder}/out; echo acc 1");
    run.result = {.pattern = "acc ([0-9.]+)", .file = "out"};
    EXPECT_EQ(run_study(run, kAlways, kSilent).results, std::vector<std::optional<double>>(4));
}

/// One after the other; one of four continues at the first step: 6, 3 and 0 are worse than 9.
TEST(RunStudy, StopsTrialsThatAreWorseThanOthersAndGoesOnWithoutThem) {
    const MadeFolder place;
    StudyRun run = study(place, "echo acc $((9 - 3 * {x})); test {x} = 0 || exec sleep 100", 4, 1);
    run.result = {.pattern = "acc ([0-9.]+)"};
    run.stopping = trials::StoppingRule::asha;
    run.eta = 4;
    const StudyDone done = run_study(run, kAlways, kSilent);
    EXPECT_EQ(done.finished, 1U);
    EXPECT_EQ(done.early, (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_TRUE(done.failed.empty());
    EXPECT_EQ(done.results[1], 6);
    EXPECT_EQ(done.attempts.back().state, State::stopped);
    const StudyDone again = run_study(run, kAlways, kSilent);
    EXPECT_EQ(again.attempts.size(), 4U) << "nothing is left to run";
    EXPECT_EQ(again.early, done.early);
}

}  // namespace run_study_test
}  // namespace dodona::runner::testing
