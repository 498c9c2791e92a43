#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace dodona::parallel_test {
namespace {

TEST(ParallelFor, calls_every_index_once) {
    for (const int workers : {0, 1, 2, 7, 64}) {
        std::vector<std::atomic<int>> calls(50);
        parallel_for(calls.size(), workers, [&](std::size_t i) { ++calls[i]; });
        for (const std::atomic<int>& each : calls) {
            EXPECT_EQ(each, 1) << workers << " workers";
        }
    }
}

TEST(ParallelFor, uses_no_more_threads_than_workers) {
    std::mutex lock;
    std::set<std::thread::id> seen;
    parallel_for(1000, 3, [&](std::size_t) {
        const std::scoped_lock guard(lock);
        seen.insert(std::this_thread::get_id());
    });
    EXPECT_LE(seen.size(), 3);
    seen.clear();
    parallel_for(1000, 1, [&](std::size_t) { seen.insert(std::this_thread::get_id()); });
    EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
}

TEST(ParallelFor, does_nothing_for_no_indices) {
    parallel_for(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, throws_the_first_exception_and_stops) {
    std::atomic<int> calls = 0;
    const auto work = [&](std::size_t i) {
        ++calls;
        if (i == 3) {
            throw std::runtime_error("three");
        }
    };
    EXPECT_THROW(parallel_for(1'000'000, 2, work), std::runtime_error);
    EXPECT_LT(calls, 1'000'000);
}

}  // namespace
}  // namespace dodona::parallel_test
