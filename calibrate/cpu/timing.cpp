#include "calibrate/cpu/timing.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

#include "calibrate/record/sampling.hpp"

namespace dodona::calibrate::cpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPatience = 4;      ///< switched samples in a row before they count after all
constexpr double kBatch = 20e-6;  ///< seconds that a batch of short runs takes at least

/// How often the scheduler took the CPU from a thread that wanted to go on.
long switches(int threads) {
    rusage usage{};
    getrusage(threads > 1 ? RUSAGE_SELF : RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

struct Run {
    double wall = 0, cpu = 0;
    bool switched = false;
};

Run timed(const std::function<void(Laps&)>& run, int threads, Laps& laps, int times = 1) {
    const long before = switches(threads);
    const double cpu = cpu_seconds();
    const Clock::time_point begin = Clock::now();
    laps.begin();
    for (int i = 0; i < times; ++i) {
        run(laps);
    }
    const double wall = std::chrono::duration<double>(Clock::now() - begin).count() / times;
    return {.wall = wall, .cpu = (cpu_seconds() - cpu) / times, .switched = switches(threads) != before};
}

/// Runs in a batch so that the clock's own cost does not matter.
int batch_of(const Job& job) {
    Laps laps;
    const double once = timed(job.run, 1, laps).wall;
    const double again = timed(job.run, 1, laps).wall;
    return std::clamp(static_cast<int>(kBatch / std::max(std::min(once, again), 1e-9)), 1, 10'000);
}

/// Takes samples of a job, cold or warm, and remembers the best.
class Sampler {
public:
    Sampler(const Job& job, int threads, const CacheFlush* flush)
        : job_(job), threads_(threads), flush_(flush), times_(flush == nullptr ? batch_of(job) : 1) {}

    Timed operator()() {
        if (flush_ != nullptr) {
            (*flush_)(job_.own_threads);
        }
        Laps laps;
        const Run run = timed(job_.run, threads_, laps, times_);
        if (run.switched && !gave_up_) {
            in_a_row_ = kept_ ? 0 : in_a_row_ + 1;
            gave_up_ = in_a_row_ >= kPatience;
            return {.time = run.wall * 1_s, .rejected = "switched"};
        }
        kept_ = true;
        const double time = gave_up_ && threads_ == 1 ? run.cpu : run.wall;
        if (time < best_) {
            best_ = time;
            best_cpu_ = run.cpu;
            best_parts_ = laps.parts();
        }
        return {.time = time * 1_s};
    }
    [[nodiscard]] double cpu() const { return best_cpu_; }
    [[nodiscard]] const std::map<std::string, double>& parts() const { return best_parts_; }
    /// Whether it took switched samples after all, as there were no others.
    [[nodiscard]] bool gave_up() const { return gave_up_; }
    [[nodiscard]] int times() const { return times_; }

private:
    const Job& job_;
    int threads_;
    const CacheFlush* flush_;
    int times_;
    int in_a_row_ = 0;
    bool kept_ = false, gave_up_ = false;
    double best_ = std::numeric_limits<double>::infinity();
    double best_cpu_ = 0;
    std::map<std::string, double> best_parts_;
};

SamplingRule rule(Seconds limit, bool quick) {
    return {.estimator = Estimator::least, .fewest = quick ? 5 : kFewest, .limit = limit};
}

/// Least of a few cold runs of what stands beside a job.
double beside_time(const Job& job, int threads, const CacheFlush& flush) {
    constexpr int kRuns = 5;
    double least = std::numeric_limits<double>::infinity();
    Laps laps;
    for (int i = 0; i < kRuns; ++i) {
        flush(job.own_threads);
        const Run run = timed(job.beside.run, threads, laps);
        least = std::min(least, threads == 1 ? std::min(run.wall, run.cpu) : run.wall);
    }
    return least;
}

}  // namespace

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Seconds hot_time(const Job& job, Seconds limit) {
    const int times = batch_of(job);
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit.in(1_s)));
    double least = std::numeric_limits<double>::infinity();
    Laps laps;
    do {
        least = std::min(least, timed(job.run, 1, laps, times).wall);
    } while (Clock::now() < end);
    return least * 1_s;
}

Measurement measure(const Case& asked, const Job& job, int threads, const Settings& settings, const CacheFlush& flush) {
    constexpr Seconds kQuick = 0.05_s;
    const Seconds limit = settings.quick ? min(kQuick, settings.most_seconds * 1_s) : settings.most_seconds * 1_s;
    Laps laps;
    laps.begin();
    job.run(laps);  // pages, code and just-in-time kernels
    Sampler main(job, threads, job.warm ? nullptr : &flush);
    Sampler other(job, threads, job.warm ? &flush : nullptr);
    Measurement measured{.of = asked,
                         .time = sample(rule(limit, settings.quick), std::ref(main)),
                         .values = job.values,
                         .words = job.words};
    measured.values["cpu"] = main.cpu();
    for (const auto& [part, seconds] : main.parts()) {
        measured.values[part] = seconds / main.times();
    }
    if (main.gave_up()) {
        measured.words["clock"] = threads == 1 ? "process" : "wall, of switched samples";
    }
    try {
        const Statistics beside = sample(rule(limit / 4, true), std::ref(other));
        measured.values[job.warm ? "cold" : "hot"] = beside.least.in(1_s);
    } catch (const CannotMeasure&) {
        measured.words["lacks"] = job.warm ? "cold: every sample was switched" : "hot: every sample was switched";
    }
    if (job.beside.run) {
        measured.values[job.beside.name] = beside_time(job, threads, flush);
    }
    return measured;
}

}  // namespace dodona::calibrate::cpu
