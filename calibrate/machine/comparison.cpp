#include "calibrate/machine/comparison.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "calibrate/machine/measured_device.hpp"

namespace dodona::calibrate {

namespace {

using Key = std::pair<std::string, std::string>;

/// The latest timed measurement of each case, in order of first appearance.
struct Latest {
    std::vector<Key> order;
    std::map<Key, Measurement> all;
};

Latest timed(const std::vector<Record>& records) {
    Latest found;
    for (const Record& record : records) {
        const auto* measured = std::get_if<Measurement>(&record.what);
        if (measured != nullptr && record.pass == Pass::time && measured->time.samples > 0) {
            const Key key{record.backend, measured->of.key()};
            if (found.all.insert_or_assign(key, *measured).second) {
                found.order.push_back(key);
            }
        }
    }
    return found;
}

double spread(const Statistics& time) {
    return time.value() > Seconds{} ? (time.third_quartile - time.first_quartile) / time.value() : 0;
}

std::vector<ComparedFact> facts(const std::vector<Record>& first, const std::vector<Record>& second) {
    std::set<std::string> backends;
    for (const auto* records : {&first, &second}) {
        for (const Record& record : *records) {
            backends.insert(record.backend);
        }
    }
    std::vector<ComparedFact> different;
    for (const std::string& backend : backends) {
        const auto ours = facts_of(first, backend);
        const auto theirs = facts_of(second, backend);
        std::set<std::string> keys;
        for (const auto* side : {&ours, &theirs}) {
            for (const auto& [key, value] : *side) {
                keys.insert(key);
            }
        }
        for (const std::string& key : keys) {
            const auto a = ours.find(key);
            const auto b = theirs.find(key);
            ComparedFact fact{backend, key, a == ours.end() ? "" : a->second, b == theirs.end() ? "" : b->second};
            if (fact.first != fact.second) {
                different.push_back(std::move(fact));
            }
        }
    }
    return different;
}

}  // namespace

RecordComparison compare(const std::vector<Record>& first, const std::vector<Record>& second) {
    const Latest ours = timed(first);
    const Latest theirs = timed(second);
    RecordComparison comparison{.facts = facts(first, second), .cases = {}};
    for (const Key& key : ours.order) {
        const Measurement& a = ours.all.at(key);
        const auto found = theirs.all.find(key);
        if (found == theirs.all.end()) {
            ++comparison.only_first;
            continue;
        }
        const Measurement& b = found->second;
        comparison.cases.push_back({.backend = key.first,
                                    .of = a.of,
                                    .first = a.time.value(),
                                    .second = b.time.value(),
                                    .noise = std::max(spread(a.time), spread(b.time))});
    }
    comparison.only_second = theirs.all.size() - comparison.cases.size();
    return comparison;
}

}  // namespace dodona::calibrate
