// The journal of a run: what it keeps, and what it refuses.
#include "runner/journal.hpp"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/diagnostic.hpp"
#include "made_folder.hpp"

namespace dodona::runner::testing {
namespace journal_test {

constexpr Limits kLimits{.trials = 5, .nodes = 2, .slots = 3};

Attempt attempt(std::size_t trial, State state) {
    return {.trial = trial,
            .number = 1,
            .place = {.node = 1, .nodes = 1, .lane = 2},
            .start = 1.5 * unit::second,
            .end = 4 * unit::second,
            .state = state,
            .status = state == State::finished ? 0 : 3};
}

TEST(Journal, KeepsWhatHasEnded) {
    const MadeFolder place;
    {
        Journal journal(place.path(), 7, kLimits);
        EXPECT_TRUE(journal.attempts().empty());
        journal.note_start(attempt(0, State::finished));
        journal.note_start(attempt(4, State::failed));
        journal.note_end(attempt(4, State::failed));
    }
    const Journal again(place.path(), 7, kLimits);
    ASSERT_EQ(again.attempts().size(), 1U) << "trial 0 was under way";
    EXPECT_EQ(again.attempts().front().trial, 4U);
    EXPECT_EQ(again.attempts().front().state, State::failed);
    EXPECT_EQ(again.attempts().front().status, 3);
    EXPECT_EQ(again.attempts().front().place.lane, 2);
    EXPECT_EQ(again.attempts().front().start.in(unit::second), 1.5);
    EXPECT_EQ(again.end().in(unit::second), 4);
}

TEST(Journal, LeavesOutALineThatWasBeingWritten) {
    const MadeFolder place;
    {
        Journal journal(place.path(), 7, kLimits);
        journal.note_start(attempt(0, State::finished));
        journal.note_end(attempt(0, State::finished));
    }
    const std::string whole = place.content("journal");
    place.write("journal", whole + "start 1 1 0");
    {
        Journal journal(place.path(), 7, kLimits);
        EXPECT_EQ(journal.attempts().size(), 1U);
        journal.note_start(attempt(1, State::finished));
    }
    EXPECT_EQ(place.content("journal"), whole + "start 1 1 1 2 1.500\n");
}

std::string refused(const MadeFolder& place, std::uint64_t fingerprint) {
    try {
        const Journal journal(place.path(), fingerprint, kLimits);
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(Journal, IsOfOneStudyAndOneRun) {
    const MadeFolder place;
    {
        const Journal journal(place.path(), 7, kLimits);
        EXPECT_NE(refused(place, 7).find("is being written by another run"), std::string::npos);
    }
    EXPECT_EQ(refused(place, 7), "");
    EXPECT_NE(refused(place, 8).find("is of another study"), std::string::npos);
    place.write("journal", "something else\n");
    EXPECT_NE(refused(place, 7).find("is no journal of dodona"), std::string::npos);
    place.write("journal", "dodona-trials 1 0000000000000007\nend 3 1 finished 0 4\n");
    EXPECT_NE(refused(place, 7).find("journal:2:1: error: attempt 1 of trial 4 ends, which does not run"),
              std::string::npos);
    place.write("journal", "a file of somebody");
    EXPECT_NE(refused(place, 7).find("is no journal of dodona"), std::string::npos);
    EXPECT_EQ(place.content("journal"), "a file of somebody");
}

/// The fault of a journal with these lines after the heading; they are of study 7.
std::string refused_lines(const std::string& lines, const Limits& limits = kLimits) {
    const MadeFolder place;
    place.write("journal", "dodona-trials 1 0000000000000007\n" + lines);
    try {
        const Journal journal(place.path(), 7, limits);
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(Journal, ChecksEachLineAgainstTheStudyThatGoesOn) {
    const auto tells = [](const std::string& lines, const std::string& text, const Limits& limits = kLimits) {
        const std::string told = refused_lines(lines, limits);
        EXPECT_NE(told.find(text), std::string::npos) << lines << told;
        EXPECT_NE(told.find("help: "), std::string::npos) << told;
        EXPECT_TRUE(text.empty() == told.empty()) << told;
    };
    const std::string good = "start 0 1 1 2 1\nend 0 1 finished 0 2\n";
    EXPECT_EQ(refused_lines(good), "");
    tells(good, "journal:2:1: error: a trial ran on node 2, and there are 1 now",
          {.trials = 5, .nodes = 1, .slots = 3});
    tells(good, "journal:2:1: error: a trial ran in slot 3 of its node, and a node has 2 now",
          {.trials = 5, .nodes = 2, .slots = 2});
    tells("start 5 1 0 0 1\n", "trial 6 starts, and the study has 5");
    tells("start -1 1 0 0 1\n", "and the study has 5");
    tells("start 0 1 -1 0 1\n", "not an event");
    tells("start 0 1 0 -1 1\n", "not an event");
    tells("start 0 1 0 0 1e308\n", "its time is before that of the line above, or beyond 31 years");
    tells("start 0 1 0 0 -1\n", "its time is");
    tells("start 0 1 0 0 nan\n", "not an event");
    tells("start 0 1 0 0 1 more\n", "not an event");
    tells("start 0 2 0 0 1\n", "trial 1 does not start its attempt 2 here");
    tells(good + "start 0 2 0 0 3\n", "journal:4:1: error: trial 1 does not start its attempt 2 here");
    tells(good + "end 0 1 finished 0 2\n", "journal:4:1: error: attempt 1 of trial 1 ends, which does not run");
    tells(good + "start 1 1 0 0 1.5\n", "its time is before");
    tells("start 0 1 1 2 1\nend 0 1 finished 3 2\n", "journal:3:1: error: not an event");
    tells("start 0 1 1 2 1\nend 0 1 failed 256 2\n", "not an event");
    tells("start 0 1 1 2 1\nend 0 1 done 0 2\n", "not an event");
}

TEST(Journal, AKilledRunLeavesAttemptsThatTheNextBeginsAnew) {
    const std::string killed = "start 0 1 0 0 1\nstart 1 1 0 1 1\n";
    EXPECT_EQ(refused_lines(killed + "start 1 1 0 0 2\nend 1 1 finished 0 3\n"), "");
    EXPECT_NE(refused_lines(killed + "start 1 1 0 0 2\nend 0 1 finished 0 3\n").find("does not run"), std::string::npos)
        << "its place was given to another";
    const MadeFolder place;
    place.write("journal", "dodona-trials 1 0000000000000007\n" + killed + "start 1 1 0 0 2\nend 1 1 finished 0 3\n");
    EXPECT_EQ(Journal(place.path(), 7, kLimits).unfinished(), std::set<std::size_t>{0});
}

TEST(Journal, SaysWhenItCannotGrow) {
    // A limit on the size of files stands for a full disk.
    const MadeFolder place;
    Journal journal(place.path(), 7, kLimits);
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit full = before;
    full.rlim_cur = place.content("journal").size();
    setrlimit(RLIMIT_FSIZE, &full);
    std::string told;
    try {
        journal.note_start(attempt(0, State::finished));
    } catch (const InputError& error) {
        told = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(told.find("/journal cannot be written: File too large"), std::string::npos) << told;
    std::filesystem::remove(place.path() + "/journal");
    std::filesystem::create_symlink("/dev/null", place.path() + "/journal");
    EXPECT_NE(refused(place, 7).find("is no file"), std::string::npos);
}

}  // namespace journal_test
}  // namespace dodona::runner::testing
