#include "calibrate/network/levels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "calibrate/network/ring_protocols.hpp"
#include "calibrate/network/thinning.hpp"
#include "calibrate/record/quantile.hpp"
#include "cluster/volume.hpp"

namespace dodona::calibrate {

namespace {

using cluster::Collective;

bool inside_node(const Tables& tables, const LevelKey& key) {
    const bool apart = std::any_of(tables.begin(), tables.end(),
                                   [](const auto& table) { return table.first.ranks_per_node != table.first.ranks; });
    return key.level != "network" && !apart;
}

/// A fact that is a whole number; 0 where it is none.
std::int64_t fact(const LevelRecords& level, const std::string& name) {
    const auto found = level.facts.find(name);
    std::int64_t value = 0;
    if (found != level.facts.end()) {
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
    }
    return value;
}

std::int64_t children_of(const Tables& tables, const LevelRecords& level, bool inside) {
    std::int64_t most = std::max<std::int64_t>(2, fact(level, inside ? "ranks_per_host" : "hosts"));
    for (const auto& [series, measured] : tables) {
        most = std::max(most, inside ? series.ranks : series.ranks / series.ranks_per_node);
    }
    return most;
}

/// Out of one child.
Bytes bytes_out(const CollectiveSeries& series, Bytes size, bool inside) {
    const auto p = static_cast<double>(series.ranks);
    const double k = inside ? 1 : static_cast<double>(series.ranks_per_node);
    if (series.collective == Collective::all_to_all) {
        return k * (p - k) / p * size;
    }
    return cluster::sent_share(series.collective, series.ranks) * size;
}

BytesPerSecond fastest(const Tables& tables, const std::optional<LogGP>& messages, bool inside) {
    BytesPerSecond best;
    for (const auto& [series, measured] : tables) {
        for (const auto& [bytes, times] : measured.points) {
            best = max(best, bytes_out(series, Bytes::of_base(bytes), inside) / (median(times) * 1_us));
        }
    }
    if (messages && messages->streaming && std::isfinite(messages->streaming->in(unit::byte_per_second))) {
        best = max(best, *messages->streaming);
    }
    return best;
}

bool is_fitted(Collective collective) {
    return collective == Collective::all_reduce || collective == Collective::all_gather ||
           collective == Collective::reduce_scatter;
}

/// Those that a flat ring explains best: one rank in each child, all where there are none of these.
Tables to_fit(const Tables& tables, bool inside) {
    Tables chosen;
    for (const bool one_each : {true, false}) {
        for (const auto& [series, measured] : tables) {
            if (is_fitted(series.collective) && (inside || !one_each || series.ranks_per_node == 1)) {
                chosen[series] = measured;
            }
        }
        if (!chosen.empty()) {
            break;
        }
    }
    return chosen;
}

std::vector<cluster::Protocol> protocols_of(const LogGP& messages, BytesPerSecond bandwidth) {
    std::vector<cluster::Protocol> protocols;
    for (const MessagePiece& piece : messages.pieces) {
        const double share = std::min(1.0, piece.bandwidth / bandwidth);
        protocols.push_back({.name = fmt::format("up-to-{:.0f}", piece.last.in(unit::byte)),
                             .timing = {.step = piece.start, .efficiency = share}});
    }
    return protocols;
}

void fit_link(MeasuredLevel& level, const Tables& tables) {
    const RingProtocols fit = fit_ring_protocols(to_fit(tables, level.inside), level.link.bandwidth);
    level.link.protocols = fit.protocols;
    level.link.error = fit.error;
    level.median_error = fit.median_error;
    if (fit.protocols.empty() && level.messages) {
        level.link.protocols = protocols_of(*level.messages, level.link.bandwidth);
    }
}

void add_curves(MeasuredLevel& level, const Tables& tables, const LevelRecords& records) {
    for (const auto& [series, measured] : tables) {
        cluster::CollectiveCurve curve = thinned_with_held_out(series, measured);
        curve.provenance.source = level.link.source;
        curve.provenance.date = records.date.substr(0, 10);
        level.link.curves.push_back(std::move(curve));
    }
}

/// What both of a pair are of, but for the number of groups.
Case without_groups(Case of) {
    of.parameters.erase("groups");
    return of;
}

std::vector<Concurrency> at_once(const LevelRecords& records) {
    std::vector<Concurrency> found;
    for (const auto* list : {&records.collectives, &records.messages}) {
        for (const Measurement* several : *list) {
            const auto groups = std::llround(several->of.number("groups", 1));
            const auto alone = std::find_if(list->begin(), list->end(), [&](const Measurement* one) {
                return one->of.number("groups", 1) == 1 && without_groups(one->of) == without_groups(several->of);
            });
            if (groups > 1 && alone != list->end()) {
                const bool message = several->of.benchmark == "send";
                found.push_back({.what = several->of.word(message ? "pattern" : "collective"),
                                 .ranks = message ? 2 : std::llround(several->of.number("ranks", 2)),
                                 .groups = groups,
                                 .size = Bytes::of_base(several->of.number("bytes")),
                                 .slowdown = several->time.value() / (*alone)->time.value()});
            }
        }
    }
    return found;
}

std::vector<Slowdown> beside_compute(const LevelRecords& records) {
    std::vector<Slowdown> found;
    for (const Measurement* measured : records.interference) {
        const auto collective = measured->values.find("slow_down");
        const auto compute = measured->values.find("load_slow_down");
        if (collective != measured->values.end() && compute != measured->values.end()) {
            found.push_back({.ranks = std::llround(measured->of.number("ranks", 2)),
                             .size = Bytes::of_base(measured->of.number("bytes")),
                             .collective = collective->second,
                             .compute = compute->second});
        }
    }
    return found;
}

std::optional<MeasuredLevel> measured_level(const LevelKey& key, const LevelRecords& records,
                                            const SeriesChoice& choice) {
    const Tables tables = tables_of(records, choice);
    MeasuredLevel level{.backend = key.backend, .name = key.level};
    level.inside = inside_node(tables, key);
    level.messages = loggp_of(records.messages);
    level.size = children_of(tables, records, level.inside);
    level.link.name = fmt::format("{}-{}", key.backend, key.level);
    level.link.source = fmt::format("dodona calibrate, {} records of {}", key.backend, records.date.substr(0, 10));
    level.link.bandwidth = fastest(tables, level.messages, level.inside);
    if (level.link.bandwidth <= BytesPerSecond{}) {
        return std::nullopt;
    }
    fit_link(level, tables);
    add_curves(level, tables, records);
    level.at_once = at_once(records);
    level.beside_compute = beside_compute(records);
    return level;
}

}  // namespace

std::vector<MeasuredLevel> measured_levels(std::span<const Record> records, const SeriesChoice& choice) {
    std::vector<MeasuredLevel> levels;
    for (const auto& [key, found] : by_level(records)) {
        if (auto level = measured_level(key, found, choice)) {
            levels.push_back(std::move(*level));
        }
    }
    std::stable_sort(levels.begin(), levels.end(), [](const MeasuredLevel& a, const MeasuredLevel& b) {
        return a.backend != b.backend ? a.backend < b.backend : a.inside && !b.inside;
    });
    return levels;
}

cluster::Level level_of(const MeasuredLevel& measured) {
    return {.name = measured.name,
            .size = measured.size,
            .bandwidth = measured.link.bandwidth,
            .latency = measured.messages ? measured.messages->pieces.front().start : Seconds{},
            .link = measured.link};
}

std::vector<cluster::Level> levels_of(std::span<const MeasuredLevel> measured) {
    std::vector<cluster::Level> levels;
    if (!measured.empty() && !measured.front().inside) {
        levels.push_back({.name = "node", .size = 1, .bandwidth = measured.front().link.bandwidth, .latency = {}});
    }
    append(levels, measured, [](const MeasuredLevel& level) { return level_of(level); });
    return levels;
}

}  // namespace dodona::calibrate
