#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace dodona {

/// Calls `work(i)` once for every i in [0, count), from `workers` threads, the calling one among them (0: as many as there are
/// processors). Indices are handed out in order; which thread gets which is unspecified. After an exception no further index is
/// handed out, and the first exception is thrown again here once all threads are done. Threads that the system refuses are done
/// without: in a browser there are none.
template <typename Work>
void parallel_for(std::size_t count, int workers, const Work& work) {
    std::atomic<std::size_t> next = 0;
    std::mutex failing;
    std::exception_ptr failure;
    const auto take_indices = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                work(i);
            } catch (...) {
                next = count;
                const std::scoped_lock lock(failing);
                if (!failure) {
                    failure = std::current_exception();
                }
            }
        }
    };
    std::size_t threads = workers > 0 ? static_cast<std::size_t>(workers) : std::thread::hardware_concurrency();
    threads = threads < count ? threads : count;
    std::vector<std::thread> others;
    others.reserve(threads);
    try {
        for (std::size_t i = 1; i < threads; ++i) {
            others.emplace_back(take_indices);
        }
    } catch (const std::system_error&) {  // the indices are for those that there are
    }
    take_indices();
    for (std::thread& other : others) {
        other.join();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace dodona
