#include "calibrate/cpu/interference.hpp"

#include <chrono>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "calibrate/cpu/benchmarks.hpp"
#include "calibrate/cpu/threads.hpp"
#include "calibrate/cpu/timing.hpp"
#include "calibrate/noise/noise.hpp"
#include "calibrate/record/quantile.hpp"

namespace dodona::calibrate::cpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFewestRuns = 5;

NoisePattern pattern_of(const Case& asked) {
    if (asked.has("load")) {
        try {
            return pattern_from(asked.word("load"), {});
        } catch (const InputError& error) {
            const Diagnostic& wrong = error.diagnostics().front();
            throw CannotMeasure(fmt::format("{}; {}", wrong.message, wrong.help));
        }
    }
    const std::string resource = asked.word("resource", "memory");
    for (const Load load : {Load::memory, Load::network, Load::files, Load::cpu}) {
        if (resource == name(load)) {
            return {.phases = {{.load = load, .duration = 1_s}}};
        }
    }
    throw CannotMeasure(fmt::format("{} is no resource to load; there are memory, network, io and cpu", resource));
}

/// Each run's seconds, of a number of runs back to back.
struct Runs {
    std::vector<double> wall, cpu;
};

Runs runs_for(Seconds window, const Job& job) {
    Runs runs;
    Laps laps;
    double spent = 0;
    double worked = cpu_seconds();
    const Clock::time_point begin = Clock::now();
    while (runs.wall.size() < kFewestRuns || spent < window.in(1_s)) {
        laps.begin();
        job.run(laps);
        const double now = std::chrono::duration<double>(Clock::now() - begin).count();
        const double work = cpu_seconds();
        runs.wall.push_back(now - spent);
        runs.cpu.push_back(work - worked);
        spent = now;
        worked = work;
    }
    return runs;
}

double mean(const std::vector<double>& times) {
    auto sum = sum_of<double>(times, [](const double time) { return time; });
    return sum / static_cast<double>(times.size());
}

/// What the load does in a second, between two moments: of its CPU time where it is all the load does, else that it is
/// on.
double rate(const NoisePattern& pattern, const NoiseDone& before, const NoiseDone& after) {
    const bool waits = pattern.has(Load::network) || pattern.has(Load::files);
    const double done = (after.bytes - before.bytes).in(Bytes::of_base(1)) + after.spins - before.spins;
    const double seconds = (waits ? after.active - before.active : after.cpu - before.cpu).in(1_s);
    return seconds > 0 ? done / seconds : 0;
}

/// Whole cores of the kernel and of the load while this lives; afterwards all are everyone's again. Both on the first
/// package with two cores where that has room, as they meet at its memory; else half of every package each.
class CorePartition {
public:
    CorePartition(const std::vector<int>& cpus, std::size_t threads, std::size_t load_threads) : all_(cpus) {
        const std::vector<Core> cores = cores_of(cpus);
        for (std::size_t begin = 0; begin < cores.size();) {
            std::size_t end = begin;
            while (end < cores.size() && cores[end].package == cores[begin].package) {
                ++end;
            }
            split(cores, begin, end);
            if (kernel_.size() >= threads && load_.size() >= load_threads) {
                break;
            }
            begin = end;
        }
        if (kernel_.size() < threads || load_.empty()) {  // such as packages of one core, as virtual machines have them
            kernel_.clear();
            load_.clear();
            split(cores, 0, cores.size());
        }
        if (kernel_.size() < threads || load_.empty()) {
            throw CannotMeasure(
                fmt::format("a kernel of {} threads and a load on other cores do not fit on the {} cores "
                            "that this process may use; allow it more or ask for fewer threads",
                            threads, cores.size()));
        }
        keep_to(kernel_);
    }
    CorePartition(const CorePartition&) = delete;
    CorePartition& operator=(const CorePartition&) = delete;
    ~CorePartition() { keep_to(all_); }
    [[nodiscard]] const std::vector<int>& load() const { return load_; }

private:
    void split(const std::vector<Core>& cores, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            std::vector<int>& half = i < begin + (end - begin) / 2 ? kernel_ : load_;
            half.insert(half.end(), cores[i].cpus.begin(), cores[i].cpus.end());
        }
    }

    std::vector<int> all_, kernel_, load_;
};

/// Whole cycles, and long enough to be steady.
Seconds window_of(const NoisePattern& pattern, const Settings& settings) {
    const Seconds wanted = settings.quick ? 0.2_s : max(1_s, settings.most_seconds * 1_s);
    return std::ceil(wanted / pattern.cycle()) * pattern.cycle();
}

/// A load that never pauses needs no whole cycles.
bool pauses(const NoisePattern& pattern) { return pattern.phases.size() > 1; }

}  // namespace

Measurement interference(const Case& asked, const std::vector<int>& cpus, const TensorFactory& factory,
                         const Settings& settings) {
    const NoisePattern pattern = pattern_of(asked);
    Case kernel = asked;
    kernel.benchmark = asked.word("kernel");
    if (kernel.benchmark.empty()) {
        throw CannotMeasure("an interference needs `kernel`, the benchmark to run beside the load; give the case one");
    }
    const auto threads = static_cast<std::size_t>(count(asked, "threads", 1));
    const auto load_threads = static_cast<std::size_t>(count(asked, "load_threads", 1));
    const CorePartition partition(cpus, threads, load_threads);
    const Job job = prepare(kernel, factory);
    const Seconds window = pauses(pattern) ? window_of(pattern, settings) : settings.quick ? 0.2_s : 1_s;
    runs_for(0.05_s, job);  // pages, code, caches
    const Runs alone = runs_for(window, job);

    const Noise noise({.pattern = pattern,
                       .cpus = partition.load(),
                       .threads = static_cast<int>(load_threads),
                       .directory = asked.word("directory")});
    runs_for(0.05_s, job);  // the new process shares pages with this one: each is copied when next written
    const NoiseDone first = noise.done();
    std::this_thread::sleep_for(std::chrono::duration<double>(window.in(1_s)));
    const NoiseDone second = noise.done();
    const Runs beside = runs_for(window, job);
    const NoiseDone third = noise.done();

    // Others on the same CPU take wall time, not CPU time; a CPU that waits for memory takes both.
    const bool by_cpu = threads == 1;
    const auto& chosen = by_cpu ? &Runs::cpu : &Runs::wall;
    Measurement measured{.of = asked, .time = statistics_of(beside.*chosen), .values = {}, .words = job.words};
    measured.words["clock"] = by_cpu ? "process" : "wall";
    auto& values = measured.values;
    values["alone"] = mean(alone.*chosen);
    values["beside"] = mean(beside.*chosen);
    values["slow_down"] = values["beside"] / values["alone"];
    values["wall_slow_down"] = mean(beside.wall) / mean(alone.wall);
    values["load_alone"] = rate(pattern, first, second);
    values["load_beside"] = rate(pattern, second, third);
    if (values["load_beside"] > 0) {
        values["load_slow_down"] = values["load_alone"] / values["load_beside"];
    }
    return measured;
}

}  // namespace dodona::calibrate::cpu
