// The back end for CPUs. dodona opens this module in a process of its own and calls `dodona_measure`.
#include "calibrate/cpu/benchmarks.hpp"
#include "calibrate/cpu/caches.hpp"
#include "calibrate/cpu/environment.hpp"
#include "calibrate/cpu/interference.hpp"
#include "calibrate/cpu/threads.hpp"
#include "calibrate/cpu/timing.hpp"

#include <fmt/format.h>

namespace dodona::calibrate::cpu {

namespace {

class CpuInstrument : public Instrument {
public:
    explicit CpuInstrument(const Settings& settings)
        : settings_(settings),
          cpus_(usable_cpus()),
          bench_(settings.seed),
          caches_(caches_of(cpus_.empty() ? 0 : cpus_.front())),
          flush_(bench_, caches_) {
        if (settings.pass != dodona::calibrate::Pass::time) {
            throw InstrumentMissing({.why = "the CPU back end only times; it has no counters and no kernels to name",
                                     .help = "run it with the pass `time`"});
        }
    }

    Environment environment() override { return environment_of(cpus_, caches_, flush_.size()); }

    Measurement measure(const Case& asked) override {
        const std::int64_t threads = count(asked, "threads", 1);
        const bool crowds = asked.benchmark == "crowd";  // more threads than CPUs on purpose
        if (threads > static_cast<std::int64_t>((crowds ? 2 : 1) * cpus_.size())) {
            throw CannotMeasure(
                fmt::format("{} threads are more than the {} CPUs that this process may use; ask for fewer", threads,
                            cpus_.size()));
        }
        use_threads(static_cast<int>(threads));
        if (asked.benchmark == "interference") {
            return interference(asked, cpus_, bench_, settings_);
        }
        return cpu::measure(asked, prepare(asked, bench_), static_cast<int>(threads), settings_, flush_);
    }

private:
    Settings settings_;
    std::vector<int> cpus_;
    TensorFactory bench_;
    std::vector<Cache> caches_;
    CacheFlush flush_;
};

std::unique_ptr<Instrument> make(const Settings& settings) { return std::make_unique<CpuInstrument>(settings); }

}  // namespace

}  // namespace dodona::calibrate::cpu

extern "C" __attribute__((visibility("default"))) int dodona_measure(int in, int out) {
    return dodona::calibrate::serve("cpu", dodona::calibrate::cpu::make, in, out);
}
