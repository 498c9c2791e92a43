#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "calibrate/measure/journal.hpp"

namespace dodona::calibrate {
namespace journal_test {

/// A file of this test's own, gone at its end.
class JournalTest : public testing::Test {
protected:
    ~JournalTest() override { std::filesystem::remove(path_); }

    [[nodiscard]] std::string text() const {
        std::ifstream file(path_);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(const std::string& text) const { std::ofstream(path_) << text; }

    std::string path_ = testing::TempDir() + "dodona_journal_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
};

Record measured(double m, Seconds time = 1_us) {
    Measurement what;
    what.of = {.benchmark = "made-up", .parameters = {{"m", m}}};
    what.time = {.least = time, .first_quartile = time, .median = time, .third_quartile = time, .samples = 10};
    return {.backend = "cpu", .pass = Pass::time, .date = "2026-11-20T12:00:00Z", .what = what};
}

TEST_F(JournalTest, WhatWasAppendedIsThereTheNextTime) {
    { Journal(path_).append(measured(8)); }
    const Journal again(path_);
    EXPECT_TRUE(again.has("cpu", Pass::time, {.benchmark = "made-up", .parameters = {{"m", 8.0}}}));
    EXPECT_FALSE(again.has("cuda", Pass::time, {.benchmark = "made-up", .parameters = {{"m", 8.0}}}));
    EXPECT_FALSE(again.has("cpu", Pass::counters, {.benchmark = "made-up", .parameters = {{"m", 8.0}}}));
    EXPECT_FALSE(again.has("cpu", Pass::time, {.benchmark = "made-up", .parameters = {{"m", 9.0}}}));
}

TEST_F(JournalTest, ALastLineThatWasCutShortIsCutOffAndTheRestIsKept) {
    { Journal(path_).append(measured(8)); }
    const std::string whole = text();
    write(whole + to_line(measured(9)).substr(0, 40));
    Journal journal(path_);
    EXPECT_EQ(journal.records().size(), 1u);
    journal.append(measured(10));
    EXPECT_EQ(text(), whole + to_line(measured(10)) + "\n");
}

TEST_F(JournalTest, ALastLineThatOnlyLacksItsEndIsKept) {
    write(to_line(measured(8)));
    Journal journal(path_);
    EXPECT_EQ(journal.records().size(), 1u);
    journal.append(measured(9));
    EXPECT_EQ(text(), to_line(measured(8)) + "\n" + to_line(measured(9)) + "\n");
}

TEST_F(JournalTest, AFileThatWasThereIsNotTouchedUntilSomethingIsAppended) {
    for (const std::string& before : {std::string(), to_line(measured(8)).substr(0, 40)}) {
        write(before);
        { const Journal nothing(path_); }
        EXPECT_EQ(text(), before);
        EXPECT_TRUE(std::filesystem::exists(path_));
    }
}

TEST_F(JournalTest, ABackEndMeasuresOneDevice) {
    const auto environment = [](const char* device) { return Environment{{{"device", device}}}; };
    Journal journal(path_);
    journal.append({.backend = "cuda", .date = "2026-11-20T12:00:00Z", .what = environment("A100")});
    journal.check_device("cuda", environment("A100"));
    journal.check_device("cpu", environment("Epyc"));
    journal.check_device("cuda", {{{"runtime", "12.2"}}});
    EXPECT_THROW(journal.check_device("cuda", environment("H200")), InputError);
}

TEST_F(JournalTest, WhatCannotBeWrittenSaysWhy) {
    try {
        const Journal journal(testing::TempDir());
        FAIL() << "a folder was opened";
    } catch (const InputError& error) {
        EXPECT_NE(error.diagnostics().front().message.find("Is a directory"), std::string::npos) << error.what();
    }
}

TEST_F(JournalTest, AFaultyLineInTheMiddleIsRefusedAtItsPlace) {
    write("{\"calibration\":1}\n" + to_line(measured(8)) + "\n");
    try {
        const Journal journal(path_);
        FAIL() << "a line without its keys was taken";
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().front().where.line, 1);
    }
}

TEST_F(JournalTest, TwoCalibrationsDoNotWriteOneFile) {
    const Journal first(path_);
    EXPECT_THROW(Journal second(path_), InputError);
}

TEST_F(JournalTest, WithoutARecordThereIsNoFile) {
    { const Journal nothing(path_); }
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(JournalTest, WhatFailedIsNotMeasured) {
    Journal journal(path_);
    const Case of{.benchmark = "made-up", .parameters = {{"m", 8.0}}};
    journal.append({.backend = "cpu", .date = "2026-11-20T12:00:00Z", .what = Failure{of, "out of memory"}});
    EXPECT_FALSE(journal.has("cpu", Pass::time, of));
}

TEST_F(JournalTest, OfACaseTheLatestMeasurementCounts) {
    const auto all = latest({measured(8, 3_us), measured(9, 5_us), measured(8, 2_us)});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].time.value(), 2_us);
    EXPECT_EQ(all[1].time.value(), 5_us);
}

}  // namespace journal_test
}  // namespace dodona::calibrate
