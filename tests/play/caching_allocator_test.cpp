// PyTorch's allocator: its documented rules one by one, and drawn sequences against what holds for all.
#include "play/caching_allocator.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dodona::play {
namespace caching_allocator_test {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

TEST(CachingAllocator, RoundsRequestsAndTakesSegmentsByTheirSize) {
    const auto reserved = [](std::int64_t bytes) {
        CachingAllocator allocator(Segments::fixed, kPlenty);
        EXPECT_TRUE(allocator.allocate(bytes));
        return std::pair(allocator.allocated(), allocator.reserved());
    };
    EXPECT_EQ(reserved(1), std::pair(std::int64_t{512}, 2 * kMiB));
    EXPECT_EQ(reserved(513), std::pair(std::int64_t{1024}, 2 * kMiB));
    EXPECT_EQ(reserved(kMiB), std::pair(kMiB, 2 * kMiB));
    EXPECT_EQ(reserved(kMiB + 1), std::pair(kMiB + 512, 20 * kMiB));
    EXPECT_EQ(reserved(10 * kMiB - 512), std::pair(10 * kMiB - 512, 20 * kMiB));
    // What is left of 12 MiB is no more than 1 MiB and stays with the block.
    EXPECT_EQ(reserved(11 * kMiB), std::pair(12 * kMiB, 12 * kMiB));
    EXPECT_EQ(reserved(31 * kMiB), std::pair(32 * kMiB, 32 * kMiB));
}

TEST(CachingAllocator, TakesTheSmallestFreeBlockAndSplitsIt) {
    CachingAllocator allocator(Segments::fixed, kPlenty);
    const auto large = *allocator.allocate(100 * kMiB);
    const auto middle = *allocator.allocate(40 * kMiB);
    allocator.free(large);
    allocator.free(middle);
    EXPECT_EQ(*allocator.allocate(30 * kMiB), middle);
    EXPECT_EQ(*allocator.allocate(10 * kMiB), middle + 30 * kMiB) << "what the split left";
    EXPECT_EQ(*allocator.allocate(10 * kMiB), large);
    EXPECT_EQ(allocator.reserved(), 140 * kMiB);
}

TEST(CachingAllocator, JoinsFreeBlocksOfASegmentOnly) {
    CachingAllocator allocator(Segments::fixed, kPlenty);
    const auto whole = *allocator.allocate(60 * kMiB);
    allocator.free(whole);
    std::vector<CachingAllocator::Tensor> thirds;
    for (int i = 0; i < 3; ++i) {
        thirds.push_back(*allocator.allocate(20 * kMiB));
    }
    for (const std::size_t i : {0, 2, 1}) {
        allocator.free(thirds[i]);
    }
    EXPECT_EQ(*allocator.allocate(60 * kMiB), whole) << "three neighbours are one block again";
    const auto beside = *allocator.allocate(60 * kMiB);
    allocator.free(whole);
    allocator.free(beside);
    EXPECT_TRUE(allocator.allocate(120 * kMiB));
    EXPECT_EQ(allocator.reserved(), 240 * kMiB) << "two segments are no block of 120 MiB";
}

TEST(CachingAllocator, WithExpandableSegmentsJoinsWhatSegmentsWouldSeparate) {
    CachingAllocator allocator(Segments::expandable, kPlenty);
    const auto first = *allocator.allocate(60 * kMiB);
    const auto second = *allocator.allocate(60 * kMiB);
    allocator.free(first);
    allocator.free(second);
    EXPECT_TRUE(allocator.allocate(130 * kMiB));
    EXPECT_EQ(allocator.reserved(), 140 * kMiB) << "a page of 20 MiB more";
}

TEST(CachingAllocator, GivesSegmentsBackBeforeItFails) {
    CachingAllocator allocator(Segments::fixed, 100 * kMiB);
    const auto first = *allocator.allocate(60 * kMiB);
    EXPECT_FALSE(allocator.allocate(60 * kMiB));
    allocator.free(first);
    const auto held = *allocator.allocate(30 * kMiB);  // half of the 60
    EXPECT_FALSE(allocator.allocate(70 * kMiB)) << "a segment with a tensor stays";
    allocator.free(held);
    EXPECT_TRUE(allocator.allocate(70 * kMiB));
    EXPECT_EQ(allocator.reserved(), 70 * kMiB);
    EXPECT_EQ(allocator.most_reserved(), 70 * kMiB);
}

TEST(CachingAllocator, KeepsItsBooksOverDrawnSequences) {
    std::mt19937 random(7);  // NOLINT: the same sequences each time
    for (const Segments segments : {Segments::fixed, Segments::expandable}) {
        CachingAllocator allocator(segments, kPlenty);
        std::vector<CachingAllocator::Tensor> live;
        for (int i = 0; i < 5000; ++i) {
            if (live.empty() || random() % 3 > 0) {
                const std::int64_t bytes = std::int64_t{1} << (random() % 28);
                live.push_back(*allocator.allocate(bytes + static_cast<std::int64_t>(random() % 1000)));
            } else {
                const std::size_t which = random() % live.size();
                allocator.free(live[which]);
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
            }
            ASSERT_LE(allocator.allocated(), allocator.reserved());
            ASSERT_GE(allocator.most_reserved(), allocator.most_allocated());
        }
        const std::int64_t reserved = allocator.reserved();
        for (const auto tensor : live) {
            allocator.free(tensor);
        }
        EXPECT_EQ(allocator.allocated(), 0);
        EXPECT_EQ(allocator.reserved(), reserved) << "segments stay";
    }
}

}  // namespace caching_allocator_test
}  // namespace dodona::play
