#include "calibrate/machine/measured_threads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "calibrate/measure/journal.hpp"

namespace dodona::calibrate {

namespace {

/// Seconds by number of threads, the least of each.
using ByThreads = std::map<double, double>;

void note(ByThreads& times, const Measurement& measured) {
    const double time = measured.time.value().in(1_s);
    const auto [place, is_new] = times.try_emplace(measured.of.number("threads", 1), time);
    place->second = std::min(place->second, time);
}

struct ForkFit {
    double fork = 0;
    double barrier = 0;
    [[nodiscard]] double time(double threads) const { return fork + barrier * std::log2(threads); }
};

/// f(n) = fork + barrier log2 n, neither below 0.
ForkFit fork_fit(const ByThreads& times) {
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [threads, time] : times) {
        const double doublings = std::log2(threads);
        count += 1, x += doublings, y += time, xx += doublings * doublings, xy += doublings * time;
    }
    const double spread = count * xx - x * x;
    const double slope = spread > 0 ? std::max(0.0, (count * xy - x * y) / spread) : 0;
    const double constant = (y - slope * x) / count;
    return constant >= 0 ? ForkFit{constant, slope} : ForkFit{0, xy / xx};
}

double oversubscription(const ByThreads& crowd, double passes, double cores, const ForkFit& forks) {
    const auto usual = crowd.find(cores);
    const auto doubled = crowd.find(2 * cores);
    if (usual == crowd.end() || doubled == crowd.end()) {
        return 0;
    }
    const double work = usual->second - passes * forks.time(cores);
    const double more = doubled->second - 2 * passes * forks.time(2 * cores);
    return work > 0 ? std::max(0.0, more / work - 1) : 0;
}

/// The fastest copy or triad on one thread; the largest two octaves lie in memory, not in a cache.
BytesPerSecond core_bandwidth(const std::vector<Measurement>& all) {
    const auto is_asked = [](const Measurement& one) {
        const std::string pattern = one.of.word("pattern", "triad");
        return one.of.benchmark == "stream" && one.of.number("threads", 1) == 1 && one.time.samples > 0 &&
               (pattern == "copy" || pattern == "triad");
    };
    double largest = 0;
    for (const Measurement& one : all) {
        largest = is_asked(one) ? std::max(largest, one.of.number("bytes")) : largest;
    }
    BytesPerSecond fastest;
    for (const Measurement& one : all) {
        if (is_asked(one) && one.of.number("bytes") >= largest / 4) {
            fastest = max(fastest, one.of.number("bytes") * unit::byte / one.time.value());
        }
    }
    return fastest;
}

}  // namespace

std::optional<cluster::ThreadTimes> measured_threads(std::span<const Record> records, const cluster::Provenance& from) {
    const std::vector<Measurement> all = latest({records.begin(), records.end()});
    ByThreads forks;
    ByThreads crowd;
    double passes = 0;
    double cores = 0;
    cluster::ThreadTimes times{.core_bandwidth = core_bandwidth(all), .provenance = from};
    for (const Measurement& one : all) {
        // Every sample was switched: threads waited for a core that somebody else had.
        const bool disturbed = one.words.contains("clock") && one.of.benchmark != "launch";
        if (one.time.samples == 0 || disturbed) {
            continue;
        }
        if (one.of.benchmark == "fork") {
            note(forks, one);
        } else if (one.of.benchmark == "crowd") {
            note(crowd, one);
            passes = one.of.number("passes");
            cores = one.of.number("cores");
        } else if (one.of.benchmark == "launch" && one.of.word("kind", "plain") == "plain") {
            times.serial = one.time.value();
        }
    }
    if (forks.empty() || times.core_bandwidth <= BytesPerSecond{}) {
        return std::nullopt;
    }
    const ForkFit fit = fork_fit(forks);
    times.fork = fit.fork * unit::second;
    times.barrier = fit.barrier * unit::second;
    times.oversubscription = oversubscription(crowd, passes, cores, fit);
    return times;
}

}  // namespace dodona::calibrate
