#include "play/drawn_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/ranges.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::play {

using simulate::NoiseBy;
using simulate::NoiseEvery;
using simulate::NoiseOn;
using simulate::NoiseSource;
using simulate::random_bits;

namespace {

constexpr std::uint64_t kPhaseKey = 0x7068617365;  // keeps phases apart from shares

Seconds cycle(const NoiseSource& source) { return source.burst + source.silence; }

}  // namespace

bool acts_on(const NoiseSource& source, WorkOn work) {
    switch (work) {
        case WorkOn::compute: return source.on == NoiseOn::compute;
        case WorkOn::inside_node: return source.on == NoiseOn::links;
        case WorkOn::network: return source.on == NoiseOn::links || source.on == NoiseOn::network;
        case WorkOn::storage: return source.on == NoiseOn::storage;
        case WorkOn::host: return source.on == NoiseOn::host;
        case WorkOn::start: return source.on == NoiseOn::start;
    }
    return false;
}

DrawnNoise::DrawnNoise(std::vector<NoiseSource> sources, std::uint64_t seed, const RankLayout& layout)
    : layout_(layout) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
        sources_.push_back({std::move(sources[i]), random_bits(seed, i)});
    }
}

bool DrawnNoise::parts_replicas() const {
    return std::any_of(sources_.begin(), sources_.end(), [](const Source& source) {
        const bool on_passes = source.what.on != NoiseOn::storage && source.what.on != NoiseOn::host;
        return on_passes && source.what.by != NoiseBy::job;
    });
}

bool DrawnNoise::acts_on(WorkOn work) const {
    return any_of(sources_, [=](const Source& source) { return play::acts_on(source.what, work); });
}

std::int64_t DrawnNoise::owner(const Source& source, std::int64_t rank) const {
    switch (source.what.by) {
        case NoiseBy::rank: return rank;
        case NoiseBy::node: return layout_.node(rank);
        case NoiseBy::job: return 0;
    }
    return 0;
}

double DrawnNoise::share(const Source& source, std::int64_t owner, const Moment& moment) const {
    const NoiseEvery every = source.what.every;
    const std::int64_t step = every == NoiseEvery::run ? -1 : moment.step;
    const std::int64_t task = every == NoiseEvery::task ? moment.task : -1;
    simulate::Draws draws(random_bits(source.key, static_cast<std::uint64_t>(owner), static_cast<std::uint64_t>(step),
                                      static_cast<std::uint64_t>(task)));
    return draw_share(source.what, draws);
}

/// Time since the last burst began.
Seconds DrawnNoise::phase(const Source& source, std::int64_t owner, Seconds time) const {
    simulate::Draws draws(random_bits(source.key, kPhaseKey, static_cast<std::uint64_t>(owner)));
    const double cycles = time / cycle(source.what) + draws.uniform();
    return (cycles - std::floor(cycles)) * cycle(source.what);
}

double DrawnNoise::factor(WorkOn on, std::int64_t rank, const Moment& moment) const {
    double sum = 1;
    for (const Source& source : sources_) {
        if (play::acts_on(source.what, on)) {
            const std::int64_t of = owner(source, rank);
            if (!source.what.in_bursts() || phase(source, of, moment.time) < source.what.burst) {
                sum += share(source, of, moment);
            }
        }
    }
    return std::max(0.0, sum);
}

/// Until a burst begins or ends on one of the ranks; never nothing, so that time goes on whatever is rounded.
Seconds DrawnNoise::until_change(WorkOn on, const std::vector<std::int64_t>& ranks, Seconds time) const {
    Seconds least = Seconds::of_base(std::numeric_limits<double>::infinity());
    for (const Source& source : sources_) {
        if (!play::acts_on(source.what, on) || !source.what.in_bursts()) {
            continue;
        }
        for (const std::int64_t rank : ranks) {
            const Seconds since = phase(source, owner(source, rank), time);
            const Seconds left = (since < source.what.burst ? source.what.burst : cycle(source.what)) - since;
            least = min(least, max(left, 1e-9 * cycle(source.what)));
        }
    }
    return least;
}

Seconds DrawnNoise::time_of(Seconds work, WorkOn on, const std::vector<std::int64_t>& ranks,
                            const Moment& moment) const {
    if (work <= Seconds{} || !acts_on(on)) {
        return work;
    }
    Seconds taken;
    for (Moment now = moment;;) {
        double slowest = 0;
        for (const std::int64_t rank : ranks) {
            slowest = std::max(slowest, factor(on, rank, now));
        }
        const Seconds rest = slowest * work;
        const Seconds steady = until_change(on, ranks, now.time);
        if (rest <= steady) {
            return taken + rest;
        }
        work = work - (1 / slowest) * steady;
        taken += steady;
        now.time += steady;
    }
}

Seconds DrawnNoise::late(const std::vector<std::int64_t>& ranks, std::int64_t step) const {
    Seconds last;
    for (const std::int64_t rank : ranks) {
        Seconds sum;
        for (const Source& source : sources_) {
            if (source.what.on == NoiseOn::start) {
                sum += share(source, owner(source, rank), {.step = step}) * source.what.late;
            }
        }
        last = max(last, sum);
    }
    return last;
}

}  // namespace dodona::play
