#include "search/ranking.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::search {

using plan::Plan;

namespace {

/// A candidate with its rank among equally fast ones.
struct Placed {
    Candidate candidate;
    Simplicity simplicity;
};

/// By simplicity, then time, then memory.
bool simpler(const Placed& a, const Placed& b) {
    return a.simplicity != b.simplicity ? a.simplicity < b.simplicity : better(a.candidate, b.candidate);
}

bool equal(const Placed& a, const Placed& b) {
    return !better(a.candidate, b.candidate) && !better(b.candidate, a.candidate);
}

/// The candidates of each layout_key.
std::vector<std::vector<Placed>> by_key(const Space& space, const std::vector<MeshLayout>& layouts,
                                        const std::vector<Candidate>& candidates) {
    std::map<LayoutKey, std::size_t> known;
    std::vector<std::vector<Placed>> groups;
    std::size_t layout = layouts.size();
    std::size_t group = 0;
    for (const Candidate& candidate : candidates) {
        if (candidate.layout != layout) {
            layout = candidate.layout;
            group = known.emplace(layout_key(layouts[layout]), groups.size()).first->second;
            groups.resize(std::max(groups.size(), group + 1));
        }
        groups[group].push_back({candidate, simplicity(space, layouts[layout], candidate)});
    }
    return groups;
}

Seconds fastest_of(const std::vector<Placed>& group) {
    return std::min_element(group.begin(), group.end(),
                            [](const Placed& a, const Placed& b) { return a.candidate.step < b.candidate.step; })
        ->candidate.step;
}

/// The simplest of those that take no longer than `limit`.
const Placed& simplest(const std::vector<Placed>& group, Seconds limit) {
    const Placed* best = nullptr;
    for (const Placed& placed : group) {
        if (placed.candidate.step <= limit && (best == nullptr || simpler(placed, *best))) {
            best = &placed;
        }
    }
    check(best != nullptr, "the fastest is within the limit");
    return *best;
}

}  // namespace

Plan plan_of(const Space& space, const std::vector<MeshLayout>& layouts, const Candidate& candidate) {
    const MeshLayout& layout = layouts[candidate.layout];
    Plan plan = plan_of(space, layout);
    layout.apply(plan);
    plan.microbatch = candidate.microbatch;
    candidate.variant.apply(plan);
    return plan;
}

Ranked ranked(const Space& space, const std::vector<MeshLayout>& layouts, const std::vector<Candidate>& candidates) {
    Ranked result;
    const std::vector<std::vector<Placed>> groups = by_key(space, layouts, candidates);
    std::vector<Placed> left;
    if (groups.empty()) {
        return result;
    }
    Seconds fastest = fastest_of(groups.front());
    for (const std::vector<Placed>& group : groups) {
        fastest = min(fastest, fastest_of(group));
    }
    const Seconds equally_fast = (1 + kEqualTime) * fastest;
    for (const std::vector<Placed>& group : groups) {
        const Seconds own = fastest_of(group);
        left.push_back(simplest(group, own <= equally_fast ? equally_fast : (1 + kEqualTime) * own));
    }
    std::stable_sort(left.begin(), left.end(), [](const Placed& a, const Placed& b) {
        return equal(a, b) ? a.simplicity < b.simplicity : better(a.candidate, b.candidate);
    });
    left.erase(std::unique(left.begin(), left.end(), equal), left.end());
    const auto end = std::find_if(left.begin(), left.end(),
                                  [&](const Placed& placed) { return placed.candidate.step > equally_fast; });
    result.equally_fast = end - left.begin();
    const auto first = std::min_element(left.begin(), end, simpler);
    std::rotate(left.begin(), first, first + 1);
    for (const Placed& placed : left) {
        if (result.plans.size() < space.top) {
            result.plans.push_back(placed.candidate);
        }
    }
    return result;
}

void order(std::vector<step::Prediction>& plans, std::int64_t domain, double reserve) {
    struct Item {
        Simplicity simplicity;
        step::Prediction plan;
    };
    std::vector<Item> items;
    for (step::Prediction& plan : plans) {
        const Simplicity its = simplicity(plan, domain, reserve);
        items.push_back({its, std::move(plan)});
    }
    stable_sort(items, [](const Item& a, const Item& b) { return a.plan.step.value < b.plan.step.value; });
    const auto end = std::find_if(items.begin(), items.end(), [&](const Item& item) {
        return item.plan.step.value > (1 + kEqualTime) * items.front().plan.step.value;
    });
    const auto first =
        std::min_element(items.begin(), end, [](const Item& a, const Item& b) { return a.simplicity < b.simplicity; });
    if (first != items.end()) {
        std::rotate(items.begin(), first, first + 1);
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        plans[i] = std::move(items[i].plan);
    }
}

std::vector<std::size_t> ranked_again(const std::vector<Seconds>& times) {
    std::vector<std::size_t> places(times.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    const auto slower =
        find_if(places, [&](std::size_t place) { return times[place] > (1 + kEqualTime) * times[places.front()]; });
    const auto first = std::min_element(places.begin(), slower);
    if (first != places.end()) {
        std::rotate(places.begin(), first, first + 1);
    }
    return places;
}

}  // namespace dodona::search
