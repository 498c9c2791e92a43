#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "calibrate/record/exchange.hpp"
#include "calibrate/storage/scratch.hpp"
#include "calibrate/storage/storage.hpp"

namespace dodona::calibrate {
namespace storage_test {

/// A folder of its own for every test, so that what is left behind is seen.
class Storage : public testing::Test {
protected:
    Storage()
        : directory_(testing::TempDir() + "/storage-" + testing::UnitTest::GetInstance()->current_test_info()->name()) {
        std::filesystem::remove_all(directory_);
        std::filesystem::create_directory(directory_);
    }
    ~Storage() override { std::filesystem::remove_all(directory_); }

    [[nodiscard]] Case file(const char* operation, double bytes, double writers) const {
        Case of{.benchmark = "file",
                .parameters = {{"operation", operation}, {"writers", writers}, {"directory", directory_}}};
        if (bytes > 0) {
            of.parameters["bytes"] = bytes;
        }
        return of;
    }
    [[nodiscard]] bool is_empty() const { return std::filesystem::is_empty(directory_); }

    std::string directory_;
};

/// What the back end answers, the environment first.
std::vector<Record> answers(const std::vector<Case>& cases) {
    int to[2];
    int from[2];
    EXPECT_EQ(pipe(to), 0);
    EXPECT_EQ(pipe(from), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(to[1]);
        close(from[0]);
        _exit(measure_storage(to[0], from[1]));
    }
    close(to[0]);
    close(from[1]);
    std::string asked = to_line(Settings{.quick = true, .most_seconds = 0.1}) + "\n";
    for (const Case& each : cases) {
        asked += to_line(each) + "\n";
    }
    EXPECT_EQ(write(to[1], asked.data(), asked.size()), static_cast<ssize_t>(asked.size()));
    close(to[1]);
    std::string text;
    char more[4096];
    for (ssize_t count = 0; (count = read(from[0], more, sizeof more)) > 0;) {
        text.append(more, static_cast<std::size_t>(count));
    }
    close(from[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    std::vector<Record> records;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        records.push_back(record_from(text.substr(at, end - at), {}));
        at = end + 1;
    }
    return records;
}

TEST_F(Storage, EveryOperationTakesTimeAndLeavesNothing) {
    std::vector<Case> cases;
    for (const double writers : {2., 1.}) {
        for (const char* operation : {"write", "read"}) {
            cases.push_back(file(operation, 0x1p20, writers));
        }
        for (const char* operation : {"create", "stat", "remove"}) {
            cases.push_back(file(operation, 0, writers));
        }
    }
    const std::vector<Record> records = answers(cases);
    ASSERT_EQ(records.size(), cases.size() + 1);
    for (std::size_t i = 1; i < records.size(); ++i) {
        const auto* measured = std::get_if<Measurement>(&records[i].what);
        ASSERT_NE(measured, nullptr) << cases[i - 1].key();
        EXPECT_GT(measured->time.least, 0.02_us) << cases[i - 1].key();  // each is a call of the system at least
        EXPECT_EQ(measured->of, cases[i - 1]);
    }
    const auto& written = std::get<Measurement>(records[1].what);
    EXPECT_DOUBLE_EQ(written.values.at("bandwidth"), 2 * 0x1p20 / written.time.value().in(1_s));
    EXPECT_TRUE(is_empty());
}

TEST_F(Storage, CheckpointsAreWrittenAndRestored) {
    std::vector<Case> cases;
    for (const char* format : {"raw", "safetensors", "npz", "npz-compressed"}) {
        for (const char* operation : {"write", "read"}) {
            cases.push_back({.benchmark = "checkpoint",
                             .parameters = {{"operation", operation},
                                            {"format", format},
                                            {"bytes", 0x1p18},
                                            {"tensors", 4.},
                                            {"directory", directory_}}});
        }
    }
    const std::vector<Record> records = answers(cases);
    ASSERT_EQ(records.size(), cases.size() + 1);
    for (std::size_t i = 1; i < records.size(); ++i) {
        const auto* measured = std::get_if<Measurement>(&records[i].what);
        ASSERT_NE(measured, nullptr) << cases[i - 1].key();
        const bool writes = cases[i - 1].word("operation") == "write";
        EXPECT_GT(measured->values.at(writes ? "encode_bandwidth" : "decode_bandwidth"), 0);
        const double ratio = measured->values.at("ratio");
        if (cases[i - 1].word("format") == "npz-compressed") {
            EXPECT_LT(ratio, 0.99) << "normally distributed numbers compress a little";
            EXPECT_GT(ratio, 0.85);
        } else {
            EXPECT_GE(ratio, 1);
            EXPECT_LT(ratio, 1.01);
        }
    }
    EXPECT_TRUE(is_empty());
}

TEST_F(Storage, CheckpointsThatCannotBeWrittenAreASentence) {
    const auto checkpoint = [&](const char* operation, const char* format, double bytes) {
        return Case{.benchmark = "checkpoint",
                    .parameters = {{"operation", operation},
                                   {"format", format},
                                   {"bytes", bytes},
                                   {"tensors", 4.},
                                   {"directory", directory_}}};
    };
    const std::vector<std::string> sentences{
        "checkpoints in \"hdf5\" are not written here; raw, safetensors, npz and npz-compressed are",
        "\"burn\" is no operation on checkpoints; there are write and read",
        "checkpoint needs tensors, a whole number, and bytes, 4 or more for each; give the case both"};
    const std::vector<Record> records =
        answers({checkpoint("write", "hdf5", 1024), checkpoint("burn", "raw", 1024), checkpoint("write", "raw", 8)});
    ASSERT_EQ(records.size(), 4U);
    for (std::size_t i = 1; i < records.size(); ++i) {
        const auto* failure = std::get_if<Failure>(&records[i].what);
        ASSERT_NE(failure, nullptr);
        EXPECT_EQ(failure->why, sentences[i - 1]);
    }
}

TEST_F(Storage, WhatCannotBeMeasuredIsASentence) {
    Case nowhere = file("write", 0x1p20, 1);
    nowhere.parameters["directory"] = std::string("/no/such/directory");
    const std::vector<Record> records = answers({nowhere,
                                                 file("shred", 0, 1),
                                                 file("write", 0, 1),
                                                 file("write", 0x1p20, 0),
                                                 file("write", 0x1p52, 1),
                                                 {.benchmark = "matmul", .parameters = {}}});
    ASSERT_EQ(records.size(), 7U);
    const std::vector<std::string> sentences{
        "no file can be made in /no/such/directory: No such file or directory; give a directory that you may write to",
        "\"shred\" is no operation on files; there are write, read, create, stat and remove",
        "file needs bytes, a whole number from 1 to 9007199254740992; give the case one",
        "file needs writers, a whole number from 1 to 256; give the case one",
        directory_ + " has no room for 4503599.6 GB of files; give another directory or fewer bytes",
        "the storage back end has no benchmark matmul; it has file and checkpoint"};
    for (std::size_t i = 1; i < records.size(); ++i) {
        const auto* failure = std::get_if<Failure>(&records[i].what);
        ASSERT_NE(failure, nullptr);
        EXPECT_EQ(failure->why, sentences[i - 1]);
    }
    EXPECT_TRUE(is_empty());
}

TEST_F(Storage, AFolderGoesWithTheProcessThatMadeIt) {
    for (const int signal : {SIGINT, SIGKILL}) {
        const pid_t child = fork();
        if (child == 0) {
            const ScratchFolder folder(directory_);
            const OpenFile left(creat((folder.path() + "/left").c_str(), 0600));
            pause();
            _exit(0);
        }
        const auto wait_for = [&](bool empty) {
            for (int i = 0; i < 1000 && is_empty() != empty; ++i) {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
            return is_empty() == empty;
        };
        EXPECT_TRUE(wait_for(false));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the file and the guard are there
        kill(child, signal);
        waitpid(child, nullptr, 0);
        EXPECT_TRUE(wait_for(true)) << signal;
    }
}

}  // namespace storage_test
}  // namespace dodona::calibrate
