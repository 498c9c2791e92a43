#include "lab/executor/executor.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

namespace dodona::calibrate {

namespace {

/// What is ready and what waits of the section under way, shared by its workers.
class ReadyList {
public:
    explicit ReadyList(const threads::OperatorGraph& graph) : graph_(graph) {}

    /// Begins a section and wakes its workers.
    void begin(const std::vector<std::size_t>& order, threads::Part part) {
        const std::lock_guard lock(mutex_);
        missing_.assign(graph_.operators.size(), 0);
        released_.assign(graph_.operators.size(), {});
        std::vector<bool> inside(graph_.operators.size());
        for (std::size_t place = part.from; place < part.to; ++place) {
            inside[order[place]] = true;
        }
        for (std::size_t place = part.from; place < part.to; ++place) {
            const std::size_t number = order[place];
            for (const std::size_t before : graph_.operators[number].after) {
                if (inside[before]) {
                    ++missing_[number];
                    released_[before].push_back(number);
                }
            }
            if (missing_[number] == 0) {
                ready_.push_back(number);
            }
        }
        left_ = part.to - part.from;
        changed_.notify_all();
    }

    /// The next operator; false: the list is closed.
    bool take(std::size_t& number) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || !ready_.empty(); });
        if (ready_.empty()) {
            return false;
        }
        number = ready_.front();
        ready_.pop_front();
        return true;
    }

    void end(std::size_t number) {
        const std::lock_guard lock(mutex_);
        std::size_t more = 0;
        for (const std::size_t next : released_[number]) {
            if (--missing_[next] == 0) {
                ready_.push_back(next);
                ++more;
            }
        }
        --left_;
        if (left_ == 0 || more > 1) {
            changed_.notify_all();
        } else if (more == 1) {
            changed_.notify_one();
        }
    }

    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return left_ == 0; });
    }

    void close() {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        changed_.notify_all();
    }

private:
    const threads::OperatorGraph& graph_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::size_t> missing_;                ///< of each operator: those that have not ended
    std::vector<std::vector<std::size_t>> released_;  ///< by each operator
    std::deque<std::size_t> ready_;
    std::size_t left_ = 0;  ///< operators of the section
    bool is_closed_ = false;
};

/// Workers of one setting that wait for work until they are closed.
class Workers {
public:
    Workers(const threads::OperatorGraph& graph, const threads::Setting& setting, const RunPart& run) : list_(graph) {
        for (std::int64_t worker = 0; worker < setting.workers; ++worker) {
            threads_.emplace_back([this, threads = setting.threads, &run] { work(threads, run); });
        }
    }
    ~Workers() {
        list_.close();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    void run(const std::vector<std::size_t>& order, threads::Part part) {
        list_.begin(order, part);
        list_.wait();
    }

private:
    void work(std::int64_t threads, const RunPart& run) {
        tbb::task_arena arena(static_cast<int>(threads), 1);
        std::size_t number = 0;
        while (list_.take(number)) {
            if (threads == 1) {
                run(number, 0, 1);
            } else {
                arena.execute([&] {
                    tbb::parallel_for(
                        tbb::blocked_range<std::int64_t>(0, threads, 1),
                        [&](const tbb::blocked_range<std::int64_t>& parts) {
                            for (std::int64_t part = parts.begin(); part < parts.end(); ++part) {
                                run(number, part, threads);
                            }
                        },
                        tbb::static_partitioner{});
                });
            }
            list_.end(number);
        }
    }

    ReadyList list_;
    std::vector<std::thread> threads_;
};

}  // namespace

std::vector<Seconds> run_passes(const threads::OperatorGraph& graph, const std::vector<std::size_t>& order,
                                const std::vector<RunSection>& sections, const RunPart& run, int passes) {
    using Clock = std::chrono::steady_clock;
    std::int64_t most = 1;
    std::deque<Workers> pools;
    std::vector<std::size_t> pool_of;
    std::vector<threads::Setting> settings;
    for (const RunSection& section : sections) {
        most = std::max(most, section.setting.workers * section.setting.threads);
        const auto known = std::find(settings.begin(), settings.end(), section.setting);
        pool_of.push_back(static_cast<std::size_t>(known - settings.begin()));
        if (known == settings.end()) {
            settings.push_back(section.setting);
        }
    }
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(most) + 1);
    for (const threads::Setting& setting : settings) {
        pools.emplace_back(graph, setting, run);
    }
    std::vector<Seconds> times;
    for (int pass = 0; pass <= passes; ++pass) {
        const Clock::time_point begin = Clock::now();
        for (std::size_t i = 0; i < sections.size(); ++i) {
            pools[pool_of[i]].run(order, sections[i].part);
        }
        const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
        if (pass > 0) {
            times.push_back(taken * unit::second);
        }
    }
    return times;
}

}  // namespace dodona::calibrate
