// Where a worker's thread of compute meets its thread of communication: messages become ready in order, and end in any.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace dodona::calibrate {

class Gate {
public:
    /// `messages` in each round.
    explicit Gate(std::size_t messages) : ended_(messages, 0) {}

    /// The next message is ready.
    void make_ready() {
        const std::scoped_lock lock(mutex_);
        ++ready_;
        changed_.notify_all();
    }
    /// Until more than `count` messages of all rounds are ready; returns how many.
    std::size_t wait_ready(std::size_t count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ready_ > count; });
        return ready_;
    }
    [[nodiscard]] std::size_t ready() {
        const std::scoped_lock lock(mutex_);
        return ready_;
    }
    void end(std::size_t message) {
        const std::scoped_lock lock(mutex_);
        ++ended_[message];
        changed_.notify_all();
    }
    /// Until a message has ended in so many rounds.
    void wait_end(std::size_t message, std::size_t rounds) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_[message] >= rounds; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t ready_ = 0;
    std::vector<std::size_t> ended_;
};

}  // namespace dodona::calibrate
