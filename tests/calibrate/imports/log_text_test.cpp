#include "calibrate/imports/log_text.hpp"

#include <gtest/gtest.h>

#include "calibrate/imports/collective_name.hpp"
#include "calibrate/imports/osu.hpp"

namespace dodona::calibrate {
namespace imports_log_text_test {

std::vector<std::string> texts(const std::vector<LogWord>& words) {
    std::vector<std::string> all;
    for (const LogWord& word : words) {
        all.emplace_back(word.text);
    }
    return all;
}

TEST(LogText, MarksOfLaunchersAndColoursBecomeBlanksAndColumnsStay) {
    for (const std::string mark : {"[1,0]<stdout>:", " 12: ", "0: ", "> ", "\x1b[4m", "[0m", "[1,3]<stderr>: > "}) {
        const LogLine line(mark + "1048576 float", 1);
        ASSERT_EQ(texts(line.words()), (std::vector<std::string>{"1048576", "float"})) << mark;
        EXPECT_EQ(line.words()[0].column, static_cast<int>(mark.size()) + 1) << mark;
    }
}

TEST(LogText, WhatOnlyLooksLikeAMarkStays) {
    EXPECT_EQ(texts(LogLine("12:30 x", 1).words()), (std::vector<std::string>{"12:30", "x"}));
    EXPECT_EQ(texts(LogLine("[0] NCCL", 1).words()), (std::vector<std::string>{"[0]", "NCCL"}));
    EXPECT_EQ(texts(LogLine("a [0x07] b", 1).words()), (std::vector<std::string>{"a", "[0x07]", "b"}));
}

TEST(LogText, ATagIsLeftOutWhereTheLineRepeatsItToo) {
    LogLine line("[0]  8388608  float  -1[0]  420.1 [0x18]", 1);
    line.leave_out("[0]");
    EXPECT_EQ(texts(line.words()), (std::vector<std::string>{"8388608", "float", "-1", "420.1", "[0x18]"}));
    EXPECT_EQ(line.words()[0].column, 6);
    LogLine other("node-b: Rank on node-b", 1);
    other.leave_out("node-a:");
    EXPECT_EQ(texts(other.words()), (std::vector<std::string>{"Rank", "on", "node-b"}));
    LogLine without("8388608 float", 1);
    without.leave_out("[0]");
    EXPECT_EQ(texts(without.words()), (std::vector<std::string>{"8388608", "float"}));
}

TEST(LogText, CellsAreWhatTwoBlanksSeparate) {
    EXPECT_EQ(texts(LogLine("# Size      Bandwidth (MB/s)\tIterations", 1).cells()),
              (std::vector<std::string>{"# Size", "Bandwidth (MB/s)", "Iterations"}));
}

TEST(LogText, APrintedNumberIsWithinHalfItsLastDigit) {
    EXPECT_EQ(printed("12.50")->value, 12.5);
    EXPECT_DOUBLE_EQ(printed("12.50")->half_step, 0.005);
    EXPECT_DOUBLE_EQ(printed("7")->half_step, 0.5);
    EXPECT_DOUBLE_EQ(printed("1.2e+05")->half_step, 0.5 * 1e4);
    for (const std::string none : {"N/A", "nan", "inf", "", "1,5", "12us", "1e999999"}) {
        EXPECT_FALSE(printed(none)) << none;
    }
}

TEST(LogText, WholeNumbersHaveNoSign) {
    EXPECT_EQ(whole("42"), 42);
    for (const std::string none : {"-1", "+1", "4.2", "", "99999999999999999999"}) {
        EXPECT_FALSE(whole(none)) << none;
    }
}

TEST(CollectiveName, ProgramsAreToldByTheLongestName) {
    const std::vector<std::pair<std::string, std::string>> names{{"./build/all_reduce_perf -b 8", "all-reduce"},
                                                                 {"reduce_scatter_perf_mpi", "reduce-scatter"},
                                                                 {"alltoall_perf", "all-to-all"},
                                                                 {"alltoallv_perf", "all-to-all-v"},
                                                                 {"reduce_perf", "reduce"},
                                                                 {"gather_perf", "gather"},
                                                                 {"AllGather-8xH100.log", "all-gather"},
                                                                 {"rccl-all2all.txt", "all-to-all"},
                                                                 {"sendrecv_perf", "send"}};
    for (const auto& [text, collective] : names) {
        ASSERT_NE(program_named(text), nullptr) << text;
        EXPECT_EQ(program_named(text)->collective, collective) << text;
    }
    EXPECT_EQ(program_named("nccl.log"), nullptr);
    EXPECT_EQ(program_of("gather"), nullptr);
    EXPECT_EQ(program_of("reduce-scatter")->stem, "reduce_scatter");
}

TEST(CollectiveName, BandwidthsNarrowItDown) {
    EXPECT_EQ(programs_like(1.75, 0.01, 8, true, false).size(), 1U);
    EXPECT_EQ(programs_like(0.875, 0.01, 8, true, false).front()->collective, "reduce-scatter");
    EXPECT_GT(programs_like(0.875, 0.01, 8, false, false).size(), 1U);  // all-gather, all-to-all
    EXPECT_TRUE(programs_like(1.3, 0.01, 8, true, false).empty());
}

TEST(Launch, RanksAndNodesAreReadOfCommandLines) {
    const std::vector<std::pair<std::string, Launch>> lines{
        {"mpirun -np 8 -npernode 4 ./osu_allreduce", {8, 4}},
        {"$ mpirun -n 4 -N 2 osu_bw", {4, 2}},
        {"mpiexec -n 16 -ppn 8 ./osu_bcast -f", {16, 8}},
        {"srun -N2 --ntasks-per-node=4 osu_allgather", {8, 4}},
        {"srun -N 2 -n 8 osu_allgather -n 3", {8, 4}},
        {"srun -n 8 osu_allgather", {8, 0}},
        {"/usr/bin/srun --nodes=4 --ntasks=4 osu_latency", {4, 1}},
        {"mpirun osu_bw -n 5", {0, 0}},
    };
    for (const auto& [text, launch] : lines) {
        const LogLine line(text, 1);
        EXPECT_EQ(launched(line.words()), launch) << text;
    }
    const LogLine other("# Size   -n 8", 1);
    EXPECT_FALSE(launched(other.words()));
}

}  // namespace imports_log_text_test
}  // namespace dodona::calibrate
