#include "calibrate/imports/merge.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "calibrate/record/quantile.hpp"

namespace dodona::calibrate {

namespace {

std::map<std::string, double> medians(const std::vector<const Measurement*>& repeats) {
    std::map<std::string, std::vector<double>> all;
    for (const Measurement* repeat : repeats) {
        for (const auto& [name, value] : repeat->values) {
            all[name].push_back(value);
        }
    }
    std::map<std::string, double> values;
    for (auto& [name, each] : all) {
        std::sort(each.begin(), each.end());
        values[name] = quantile_of_sorted(each, 0.5);
    }
    return values;
}

std::map<std::string, std::string> common_words(const std::vector<const Measurement*>& repeats) {
    std::map<std::string, std::string> words = repeats.front()->words;
    std::string sources;
    std::set<std::string> seen;
    for (const Measurement* repeat : repeats) {
        std::erase_if(words, [&](const auto& word) {
            const auto found = repeat->words.find(word.first);
            return found == repeat->words.end() || found->second != word.second;
        });
        const auto source = repeat->words.find("source");
        if (source != repeat->words.end() && seen.insert(source->second).second) {
            sources += (sources.empty() ? "" : ", ") + source->second;
        }
    }
    if (!sources.empty()) {
        words["source"] = sources;
    }
    return words;
}

Measurement merged(const std::vector<const Measurement*>& repeats) {
    if (repeats.size() == 1) {
        return *repeats.front();
    }
    std::vector<double> times;
    Measurement all{.of = repeats.front()->of, .time = {}};
    Seconds least = repeats.front()->time.least;
    std::int64_t samples = 0;
    for (const Measurement* repeat : repeats) {
        samples += repeat->time.samples;
        if (repeat->time.samples > 0) {
            least = times.empty() ? repeat->time.least : min(least, repeat->time.least);
            times.push_back(repeat->time.value().in(1_s));
        }
        for (const auto& [why, count] : repeat->time.rejected) {
            all.time.rejected[why] += count;
        }
    }
    if (!times.empty()) {
        auto rejected = std::move(all.time.rejected);
        all.time = statistics_of(std::move(times), repeats.front()->time.estimator);
        all.time.rejected = std::move(rejected);
        all.time.least = least;
        all.time.samples = samples;
    }
    all.values = medians(repeats);
    all.words = common_words(repeats);
    return all;
}

}  // namespace

std::vector<Record> merged(const std::vector<Record>& records) {
    using Key = std::tuple<std::string, Pass, Case>;
    std::map<Key, std::vector<const Measurement*>> repeats;
    for (const Record& record : records) {
        if (const auto* measured = std::get_if<Measurement>(&record.what)) {
            repeats[{record.backend, record.pass, measured->of}].push_back(measured);
        }
    }
    std::vector<Record> all;
    for (const Record& record : records) {
        const auto* measured = std::get_if<Measurement>(&record.what);
        if (measured == nullptr) {
            all.push_back(record);
            continue;
        }
        const auto& same = repeats.at({record.backend, record.pass, measured->of});
        if (same.front() == measured) {
            Record one = record;
            one.what = merged(same);
            all.push_back(std::move(one));
        }
    }
    return all;
}

}  // namespace dodona::calibrate
