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

/// A kernel alone on the cores, on twice as many threads, and beside another.
struct Crowd {
    Seconds usual, doubled, beside;
};

/// Crowds of kernels, by the benchmark that runs the kernel and by its shape. Of each the median: whether threads meet
/// well or badly differs from sample to sample.
using Crowds = std::map<std::string, std::map<std::string, Crowd>>;

void note(Crowds& crowds, const Measurement& measured) {
    Case shape = measured.of;
    shape.parameters.erase("threads");
    shape.parameters.erase("operators");
    Crowd& crowd = crowds[measured.of.word("kernel", "stream")][shape.key()];
    const bool beside = measured.of.number("operators", 1) > 1;
    const bool doubled = measured.of.number("threads") > measured.of.number("cores");
    (beside ? crowd.beside : doubled ? crowd.doubled : crowd.usual) = measured.time.median;
}

std::vector<cluster::Crowding> crowding(const Crowds& crowds) {
    std::vector<cluster::Crowding> all;
    for (const graph::KernelKind kind :
         {graph::KernelKind::matmul, graph::KernelKind::convolution, graph::KernelKind::stream}) {
        const auto found = crowds.find(std::string(name(kind)));
        Crowd sum;
        for (const auto& [shape, one] : found == crowds.end() ? Crowds::mapped_type{} : found->second) {
            if (one.usual > Seconds{} && one.doubled > Seconds{} && one.beside > Seconds{}) {
                sum = {sum.usual + one.usual, sum.doubled + one.doubled, sum.beside + one.beside};
            }
        }
        if (sum.usual > Seconds{}) {
            all.push_back({.kernel = kind,
                           .threads = std::max(0.0, sum.doubled / sum.usual - 1),
                           .operators = std::max(0.0, sum.beside / (2 * sum.usual) - 1)});
        }
    }
    return all;
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
    Crowds crowds;
    cluster::ThreadTimes times{.core_bandwidth = core_bandwidth(all), .provenance = from};
    for (const Measurement& one : all) {
        // Every sample was switched: threads waited for a core that somebody else had, which only crowds are to do.
        const bool disturbed =
            one.words.contains("clock") && one.of.benchmark != "launch" && one.of.benchmark != "crowd";
        if (one.time.samples == 0 || disturbed) {
            continue;
        }
        if (one.of.benchmark == "fork") {
            note(forks, one);
        } else if (one.of.benchmark == "crowd") {
            note(crowds, one);
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
    times.crowding = crowding(crowds);
    return times;
}

}  // namespace dodona::calibrate
