// Times work on the GPU: what stands around one sample.
//
// A sample: the L2 cache is overwritten, a kernel holds the queue until the host has put everything into it (else the
// host's launching is timed), an event, the work, an event, a kernel that compares the SM's cycles with the clock on
// the wall. Source for the order: NVBench, docs/benchmarks.md, "cold measurements", and its throttle detection.
//
// What two events add to a kernel that it would not have among others in a full queue (2.3 us on an H200) is measured
// with empty kernels and taken off. The overwritten cache holds changed lines, as after a kernel that wrote its result;
// their writing back belongs to the sample.
#pragma once

#include "calibrate/cuda/benchmark_context.hpp"
#include "calibrate/cuda/memory.hpp"

namespace dodona::calibrate::cuda {

struct Lap {
    Seconds time;
    double clock = 0;   ///< of a multiprocessor just after, Hz
    bool late = false;  ///< the queue was not filled in time: the host was interrupted
};

class Stopwatch {
public:
    /// Runs the device warm: until its clock no longer rises, 2 s at most.
    explicit Stopwatch(const BenchmarkContext& context);

    /// Waits until a clock that fell while a case was prepared is back, 0.2 s at most.
    void warm();

    /// One execution after the cache was overwritten.
    Lap cold(const Work& work);
    /// One of `repeats` executions, one after another.
    Lap hot(const Work& work, int repeats);
    /// One of the last executions of as many as last `length`: with clocks as power and temperature leave them.
    Lap lasting(const Work& work, Seconds length, Seconds each);
    /// The work's own time, after the cache was overwritten.
    Lap own(const Work& work);

    [[nodiscard]] double best_clock() const { return best_clock_; }

private:
    void overwrite_cache();
    void hold();
    void release();
    Lap lap(const Event& begin, const Event& end, int executions);
    void measure_events();
    double clock_now(double nanoseconds);

    const BenchmarkContext& bench_;
    DeviceBuffer cache_sized_;
    PinnedBuffer shared_;  ///< flag, late, cycles, nanoseconds
    Event begin_, end_;
    double best_clock_ = 0;
    Seconds among_;   ///< of an empty kernel among others
    Seconds around_;  ///< what two events add to it
};

}  // namespace dodona::calibrate::cuda
