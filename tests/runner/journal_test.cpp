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
        Journal journal(place.path(), 7);
        EXPECT_TRUE(journal.attempts().empty());
        journal.note_start(attempt(0, State::finished));
        journal.note_start(attempt(4, State::failed));
        journal.note_end(attempt(4, State::failed));
    }
    const Journal again(place.path(), 7);
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
        Journal journal(place.path(), 7);
        journal.note_start(attempt(0, State::finished));
        journal.note_end(attempt(0, State::finished));
    }
    const std::string whole = place.content("journal");
    place.write("journal", whole + "start 1 1 0");
    {
        Journal journal(place.path(), 7);
        EXPECT_EQ(journal.attempts().size(), 1U);
        journal.note_start(attempt(1, State::finished));
    }
    EXPECT_EQ(place.content("journal"), whole + "start 1 1 1 2 1.500\n");
}

std::string refused(const MadeFolder& place, std::uint64_t fingerprint) {
    try {
        const Journal journal(place.path(), fingerprint);
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(Journal, IsOfOneStudyAndOneRun) {
    const MadeFolder place;
    {
        const Journal journal(place.path(), 7);
        EXPECT_NE(refused(place, 7).find("is being written by another run"), std::string::npos);
    }
    EXPECT_EQ(refused(place, 7), "");
    EXPECT_NE(refused(place, 8).find("is of another study"), std::string::npos);
    place.write("journal", "something else\n");
    EXPECT_NE(refused(place, 7).find("is no journal of dodona"), std::string::npos);
    place.write("journal", "dodona-trials 1 0000000000000007\nend 3 1 finished 0 4\n");
    EXPECT_NE(refused(place, 7).find("line 2: not an event"), std::string::npos);
}

TEST(Journal, SaysWhenItCannotGrow) {
    // A limit on the size of files stands for a full disk.
    const MadeFolder place;
    Journal journal(place.path(), 7);
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
