// Times of a checkpoint, by hand.
#include "reliability/checkpoint_time.hpp"

#include <gtest/gtest.h>

namespace dodona::reliability::testing {
namespace checkpoint_time_test {

/// 800 GB on 8 nodes of 4 devices; a node needs 200 GB to continue.
CheckpointTimes times(CheckpointWriters writers, CheckpointRates rates, Bytes size = 800_GB) {
    return checkpoint_times(
        {.tensors = 800_GB, .size = size, .held_by_node = 200_GB, .devices = 32, .nodes = 8, .writers = writers},
        rates);
}

CheckpointRates rates() {
    return {.copy = 25_GB_per_s,
            .encode = 5_GB_per_s,
            .decode = 10_GB_per_s,
            .node_write = 4_GB_per_s,
            .node_read = 8_GB_per_s};
}

TEST(CheckpointTime, OfShardedWritersIsThatOfOnePart) {
    const CheckpointTimes sharded = times(CheckpointWriters::sharded, rates());
    EXPECT_EQ(sharded.copy, 1_s);    // 25 GB of each device
    EXPECT_EQ(sharded.encode, 5_s);  // the same
    EXPECT_EQ(sharded.write, 25_s);  // 100 GB of each node
    EXPECT_EQ(sharded.read, 25_s);   // 200 GB of each node
    EXPECT_EQ(sharded.decode, 5_s);  // 50 GB of each device
    EXPECT_EQ(sharded.copy_back, 2_s);
    EXPECT_EQ(sharded.all(), 31_s);
    EXPECT_EQ(sharded.restore(), 32_s);
}

TEST(CheckpointTime, OfCompressedFilesIsLessForFilesAlone) {
    const CheckpointTimes half = times(CheckpointWriters::sharded, rates(), 400_GB);
    EXPECT_EQ(half.copy, 1_s);
    EXPECT_EQ(half.encode, 5_s);
    EXPECT_EQ(half.write, 12.5_s);
    EXPECT_EQ(half.read, 12.5_s);
    EXPECT_EQ(half.decode, 5_s);
}

TEST(CheckpointTime, OfOneWriterIsThatOfTheWhole) {
    const CheckpointTimes single = times(CheckpointWriters::rank0, rates());
    EXPECT_EQ(single.copy, 32_s);
    EXPECT_EQ(single.encode, 160_s);
    EXPECT_EQ(single.write, 200_s);
    EXPECT_EQ(single.read, 100_s);
}

TEST(CheckpointTime, EndsAtTheRateOfTheFileSystem) {
    CheckpointRates shared = rates();
    shared.system_write = 10_GB_per_s;
    shared.system_read = 20_GB_per_s;
    EXPECT_EQ(times(CheckpointWriters::sharded, shared).write, 80_s);
    EXPECT_EQ(times(CheckpointWriters::sharded, shared).read, 80_s);  // 8 x 200 GB
    EXPECT_EQ(times(CheckpointWriters::rank0, shared).write, 200_s) << "a node is slower still";
}

TEST(CheckpointTime, PausesTrainingForTheCopyOnlyWhereItIsAsynchronous) {
    const CheckpointTimes sharded = times(CheckpointWriters::sharded, rates());
    EXPECT_EQ(sharded.pause(CheckpointMode::blocking), 31_s);
    EXPECT_EQ(sharded.background(CheckpointMode::blocking), 0_s);
    EXPECT_EQ(sharded.pause(CheckpointMode::asynchronous), 1_s);
    EXPECT_EQ(sharded.background(CheckpointMode::asynchronous), 30_s);
}

TEST(CheckpointTime, HasNoPartForAFormatWhoseRateIsNotKnown) {
    CheckpointRates bare = rates();
    bare.encode = bare.decode = std::nullopt;
    EXPECT_EQ(times(CheckpointWriters::sharded, bare).encode, 0_s);
    EXPECT_EQ(times(CheckpointWriters::sharded, bare).decode, 0_s);
}

}  // namespace checkpoint_time_test
}  // namespace dodona::reliability::testing
