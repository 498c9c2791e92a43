#include "calibrate/cuda/stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/kernels.hpp"

namespace dodona::calibrate::cuda {

namespace {

/// What the host and the held kernel see of each other; a line of its own for each writer.
struct Shared {
    alignas(64) volatile std::int32_t released;
    alignas(64) volatile std::int32_t late;
    alignas(64) std::uint64_t probed[2];  ///< cycles, nanoseconds
};

constexpr double kProbe = 50e3;       // ns
constexpr double kWarmProbe = 20e6;   // ns
constexpr int kWarmProbes = 100;      // of kWarmProbe, 2 s
constexpr double kReturnProbe = 2e6;  // ns
constexpr int kReturnProbes = 100;    // of kReturnProbe, 0.2 s
constexpr double kReturned = 0.98;    // of the best clock
constexpr int kEmptyLaps = 15;
constexpr int kEmptyKernels = 400;

Shared& seen(const PinnedBuffer& buffer) { return *static_cast<Shared*>(buffer.get()); }

}  // namespace

Stopwatch::Stopwatch(const BenchmarkContext& context)
    : bench_(context),
      cache_sized_(max(2.0 * context.facts.l2, 32_MiB), "a buffer of twice the cache"),
      shared_(Bytes::of_base(sizeof(Shared))) {
    double before = 0;
    for (int probe = 0; probe < kWarmProbes; ++probe) {
        const double now = clock_now(kWarmProbe);
        best_clock_ = std::max(best_clock_, now);
        if (probe >= 4 && now <= 1.01 * before) {
            break;
        }
        before = now;
    }
    measure_events();
}

void Stopwatch::warm() {
    for (int probe = 0; probe < kReturnProbes && clock_now(kReturnProbe) < kReturned * best_clock_; ++probe) {
    }
}

void Stopwatch::measure_events() {
    Work empty;
    empty.run = empty_kernel;
    std::vector<Seconds> one;
    std::vector<Seconds> many;
    for (int lap = 0; lap < kEmptyLaps; ++lap) {
        one.push_back(hot(empty, 1).time);
        many.push_back(hot(empty, kEmptyKernels).time);
    }
    std::sort(one.begin(), one.end());
    std::sort(many.begin(), many.end());
    among_ = many[kEmptyLaps / 2];
    around_ = max(one[kEmptyLaps / 2] - among_, Seconds{});
}

double Stopwatch::clock_now(double nanoseconds) {
    probe_clock(seen(shared_).probed, static_cast<std::uint64_t>(nanoseconds), bench_.stream.get());
    check(cudaStreamSynchronize(bench_.stream.get()), "reading the GPU's clock");
    const auto* const probed = seen(shared_).probed;
    const double clock = probed[1] > 0 ? 1e9 * static_cast<double>(probed[0]) / static_cast<double>(probed[1]) : 0;
    best_clock_ = std::max(best_clock_, clock);
    return clock;
}

void Stopwatch::overwrite_cache() {
    check(cudaMemsetAsync(cache_sized_.get(), 0, static_cast<std::size_t>(cache_sized_.size().in(1_B)),
                          bench_.stream.get()),
          "overwriting the cache");
}

void Stopwatch::hold() {
    seen(shared_).released = 0;
    seen(shared_).late = 0;
    hold_queue(&seen(shared_).released, const_cast<std::int32_t*>(&seen(shared_).late), kLongestHold,
               bench_.stream.get());
}

void Stopwatch::release() { seen(shared_).released = 1; }

Lap Stopwatch::lap(const Event& begin, const Event& end, int executions) {
    const double clock = clock_now(kProbe);  // waits for all before it
    check(cudaGetLastError(), "running the work");
    const Seconds time = max(between(begin, end) - around_, among_);
    return {time / static_cast<double>(executions), clock, seen(shared_).late != 0};
}

Lap Stopwatch::cold(const Work& work) { return hot(work, 0); }

Lap Stopwatch::hot(const Work& work, int repeats) {
    if (repeats == 0) {
        overwrite_cache();
    }
    seen(shared_).late = 0;
    if (work.queued) {
        hold();
    }
    try {
        begin_.record(bench_.stream);
        for (int repeat = 0; repeat < std::max(repeats, 1); ++repeat) {
            work.run(bench_.stream.get());
        }
        end_.record(bench_.stream);
    } catch (...) {
        release();
        throw;
    }
    release();
    return lap(begin_, end_, work.executions * std::max(repeats, 1));
}

Lap Stopwatch::lasting(const Work& work, Seconds length, Seconds each) {
    const auto begin = std::chrono::steady_clock::now();
    const int batch = std::clamp(static_cast<int>(0.02_s / max(each, 1_us)), 1, 200);
    Lap last;
    do {
        begin_.record(bench_.stream);
        for (int repeat = 0; repeat < batch; ++repeat) {
            work.run(bench_.stream.get());
        }
        end_.record(bench_.stream);
        end_.wait();
        last.time = between(begin_, end_) / static_cast<double>(batch * work.executions);
    } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 1_s < length);
    last.clock = clock_now(kProbe);
    return last;
}

Lap Stopwatch::own(const Work& work) {
    overwrite_cache();
    const Seconds time = work.timed();
    return {time, clock_now(kProbe), false};
}

}  // namespace dodona::calibrate::cuda
