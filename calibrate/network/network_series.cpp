#include "calibrate/network/network_series.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace dodona::calibrate {

namespace {

using cluster::Collective;

std::int64_t whole(const Case& of, std::string_view name, double otherwise) {
    return std::llround(of.number(name, otherwise));
}

bool alone(const Case& of) { return whole(of, "groups", 1) == 1; }

/// How a collective was run, beside its size.
struct Variant {
    std::string algorithm;
    bool in_place = false;
    auto operator<=>(const Variant&) const = default;
};

Variant variant_of(const Case& of) { return {of.word("algorithm", "free"), of.number("in_place") != 0}; }

using Times = std::map<double, std::vector<double>>;

/// Which of the variants stands for the series.
const Times* chosen(const std::map<Variant, Times>& variants, Collective collective, const SeriesChoice& choice) {
    const Times* best = nullptr;
    std::tuple<bool, std::size_t, bool> rank_of_best;
    for (const auto& [variant, times] : variants) {
        if (!choice.algorithm.empty() && variant.algorithm != choice.algorithm) {
            continue;
        }
        const bool as_training = variant.in_place == (collective == Collective::all_reduce);
        const std::tuple rank{variant.algorithm == "free", times.size(), as_training};
        if (best == nullptr || rank > rank_of_best) {
            best = &times;
            rank_of_best = rank;
        }
    }
    return best;
}

/// Another measurement of the same: the least of those that are leasts, all of those that are medians.
void add(std::vector<double>& times, const Statistics& time) {
    const double us = time.value().in(1_us);
    if (time.estimator == Estimator::least && !times.empty()) {
        times.front() = std::min(times.front(), us);
    } else {
        times.push_back(us);
    }
}

std::string level_of(const Case& of) {
    const bool inside = whole(of, "ranks_per_node", 1) == whole(of, "ranks", 2);
    return of.word("level", of.benchmark == "send" ? "network" : inside ? "node" : "network");
}

}  // namespace

std::map<LevelKey, LevelRecords> by_level(std::span<const Record> records) {
    std::map<LevelKey, LevelRecords> levels;
    std::map<std::string, std::map<std::string, std::string>> facts;
    for (const Record& record : records) {
        if (const auto* environment = std::get_if<Environment>(&record.what)) {
            facts[record.backend] = environment->facts;
        }
        const auto* measured = std::get_if<Measurement>(&record.what);
        if (measured == nullptr || record.pass != Pass::time || measured->time.samples == 0) {
            continue;
        }
        const std::string& benchmark = measured->of.benchmark;
        const bool beside = benchmark == "interference" && measured->of.word("kernel") == "collective";
        if (benchmark != "collective" && benchmark != "send" && !beside) {
            continue;
        }
        LevelRecords& level = levels[{record.backend, level_of(measured->of)}];
        (beside ? level.interference : benchmark == "send" ? level.messages : level.collectives).push_back(measured);
        level.date = std::max(level.date, record.date);
    }
    for (auto& [key, level] : levels) {
        level.facts = facts[key.backend];
    }
    return levels;
}

std::optional<CollectiveSeries> series_of(const Case& of) {
    if (of.benchmark == "send") {
        const std::int64_t together = of.word("level", "network") == "network" ? 1 : 2;
        return of.word("pattern", "ping-pong") == "ping-pong"
                   ? std::optional(CollectiveSeries{Collective::send, 2, together})
                   : std::nullopt;
    }
    const std::string wanted = of.word("collective");
    const auto found = std::find_if(cluster::kCollectives.begin(), cluster::kCollectives.end(),
                                    [&](Collective one) { return cluster::name(one) == wanted; });
    if (of.benchmark != "collective" || found == cluster::kCollectives.end()) {
        return std::nullopt;
    }
    const std::int64_t ranks = whole(of, "ranks", 2);
    return CollectiveSeries{*found, ranks, whole(of, "ranks_per_node", static_cast<double>(ranks))};
}

Tables tables_of(const LevelRecords& level, const SeriesChoice& choice) {
    std::map<CollectiveSeries, std::map<Variant, Times>> all;
    for (const auto* list : {&level.collectives, &level.messages}) {
        for (const Measurement* measured : *list) {
            const auto series = series_of(measured->of);
            if (series && alone(measured->of) && measured->of.number("bytes") > 0) {
                const Variant variant = series->collective == Collective::send ? Variant{} : variant_of(measured->of);
                add(all[*series][variant][measured->of.number("bytes")], measured->time);
            }
        }
    }
    Tables tables;
    for (const auto& [series, variants] : all) {
        const SeriesChoice any;
        const Times* times = chosen(variants, series.collective, series.collective == Collective::send ? any : choice);
        if (times != nullptr) {
            tables[series].points = *times;
        }
    }
    return tables;
}

}  // namespace dodona::calibrate
