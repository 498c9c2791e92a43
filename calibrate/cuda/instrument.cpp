#include "calibrate/cuda/instrument.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "calibrate/cuda/benchmark_context.hpp"
#include "calibrate/cuda/benchmarks.hpp"
#include "calibrate/cuda/counters.hpp"
#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/stopwatch.hpp"
#include "calibrate/cuda/throttle.hpp"
#include "calibrate/cuda/trace.hpp"
#include "calibrate/record/sampling.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr int kFewestHot = 3;
constexpr int kMaxLaunches = 640;  // a held stream takes about a thousand
constexpr Seconds kHotLength = 0.02_s;
constexpr Seconds kLastingLength = 0.4_s;  // power and clocks settle within a few tenths of a second
constexpr Seconds kWorthLasting = 50_us;   // below it the GPU's queue, not its power, sets the pace

class GpuInstrument final : public Instrument {
public:
    explicit GpuInstrument(const Settings& settings) : bench_(settings) {
        if (settings.pass == Pass::time) {
            stopwatch_.emplace(bench_);
        }
    }

    Environment environment() override {
        Environment all{as_environment(bench_.facts)};
        all.facts.merge(library_versions());
        return all;
    }

    Measurement measure(const Case& asked) override {
        const Work work = prepare(asked, bench_);
        check(cudaStreamSynchronize(bench_.stream.get()), "preparing the case");
        Measurement measured{asked, {}, work.values, work.words};
        compare(work, measured);
        if (asked.number("check") != 0) {
            return measured;
        }
        switch (bench_.settings.pass) {
            case Pass::time: time(work, measured); break;
            case Pass::names: trace_kernels(work, bench_.stream, measured); break;
            case Pass::counters: count_events(work, bench_.stream, measured); break;
        }
        return measured;
    }

private:
    /// Runs once and compares with the host; without a comparison the run warms up what the library makes lazily.
    void compare(const Work& work, Measurement& measured) {
        work.run(bench_.stream.get());
        check(cudaGetLastError(), "starting the work");
        check(cudaStreamSynchronize(bench_.stream.get()), "running the work");
        if (!work.error) {
            return;
        }
        const double error = work.error();
        if (!(error <= work.tolerance)) {
            throw CannotMeasure(fmt::format(
                "the result is wrong: it deviates by {:.2g} of its largest value, and {:.2g} is allowed; its time says "
                "nothing",
                error, work.tolerance));
        }
        measured.values["error"] = error;
    }

    void time(const Work& work, Measurement& measured) {
        stopwatch_->warm();
        ClockRule rule(stopwatch_->best_clock());
        std::vector<double> clocks;
        const auto once = [&]() -> Timed {
            const Lap lap = work.timed ? stopwatch_->own(work) : stopwatch_->cold(work);
            if (lap.late) {
                return {lap.time, "late"};
            }
            if (!rule.accepts(lap.clock)) {
                return {lap.time, "throttled"};
            }
            clocks.push_back(lap.clock);
            return {lap.time};
        };
        (void)once();  // the first touches pages and code that no other does
        clocks.clear();
        const Settings& settings = bench_.settings;
        const SamplingRule sampling{
            .estimator = Estimator::median, .most = settings.quick ? 50 : 1000, .limit = settings.most_seconds * 1_s};
        measured.time = sample(sampling, once);
        std::nth_element(clocks.begin(), clocks.begin() + static_cast<long>(clocks.size() / 2), clocks.end());
        measured.values["clock"] = clocks[clocks.size() / 2];
        if (!work.timed) {
            time_hot(work, measured);
        }
    }

    /// Without overwriting the cache between executions; and, for what lasts, at the clocks that power leaves.
    void time_hot(const Work& work, Measurement& measured) {
        const Seconds cold = max(measured.time.median * static_cast<double>(work.executions), 1_us);
        const int most = std::max(kMaxLaunches / work.launches, 1);
        const int repeats = std::clamp(static_cast<int>(kHotLength / cold), 1, most);
        std::vector<Seconds> laps;
        for (int lap = 0; lap < kFewestHot; ++lap) {
            laps.push_back(stopwatch_->hot(work, repeats).time);
        }
        std::sort(laps.begin(), laps.end());
        measured.values["hot"] = laps[laps.size() / 2].in(1_s);
        if (work.lasting && !bench_.settings.quick && cold > kWorthLasting) {
            const Lap last = stopwatch_->lasting(work, kLastingLength, cold);
            measured.values["sustained"] = last.time.in(1_s);
            measured.values["sustained_clock"] = last.clock;
        }
    }

    BenchmarkContext bench_;
    std::optional<Stopwatch> stopwatch_;
};

}  // namespace

std::unique_ptr<Instrument> make_instrument(const Settings& settings) {
    return std::make_unique<GpuInstrument>(settings);
}

}  // namespace dodona::calibrate::cuda
