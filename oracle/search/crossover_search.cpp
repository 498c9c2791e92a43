#include "search/crossover_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace dodona::search {

namespace {

using plan::Plan;

/// Rounds of locating a crossover among known plans before full searches bisect.
constexpr int kRounds = 3;

/// Factors of full searches where known plans have no crossover, for parameters that the plan reacts to.
constexpr std::array kProbes{4.0};

/// Bounds where nothing is known.
const LeastTimes kNone;

}  // namespace

CrossoverSearch::CrossoverSearch(const Inquiry& inquiry, const Conditions& conditions,
                                 const std::vector<step::Prediction>& plans, const SharedTimes& shared,
                                 std::function<bool()> go_on)
    : inquiry_(inquiry),
      conditions_(conditions),
      shared_(shared),
      go_on_(std::move(go_on)),
      known_(inquiry.graph, inquiry.space.software, conditions, plans, shared) {
    const step::Prediction& first = plans.front();
    enough_memory_ = first.memory.total() / ((1 - conditions.reserve) * first.memory_limit);
    if (inquiry_.searcher == nullptr) {
        look_at_present();
    }
}

void CrossoverSearch::look_at_present() {
    ListedPlans found = search_within(conditions_, kNone, std::nullopt);
    if (!found.complete) {
        return;
    }
    if (found.fastest) {
        known_.know(found.fastest->plan);
    }
    now_ = std::move(found.least);
    std::transform(now_.begin(), now_.end(), std::back_inserter(fitting_), without_times);
}

Space CrossoverSearch::space_under(const Conditions& conditions) const {
    Space space = inquiry_.space;
    for (Software& software : space.software) {
        software.framework = conditions.adjusted(std::move(software.framework));
    }
    space.only_usual = true;
    space.batch = conditions.batch;
    space.max_memory = conditions.max_memory;
    space.top = kListedAgain;
    return space;
}

ListedPlans CrossoverSearch::search_within(const Conditions& conditions, const LeastTimes& bounds,
                                           std::optional<double> slower) {
    const Space space = space_under(conditions);
    bool ended = false;
    const auto goes_on = [&](std::int64_t, std::int64_t) {
        ended = ended || !go_on_();
        return !ended;
    };
    ListedPlans found;
    if (inquiry_.searcher != nullptr) {
        found.plans = inquiry_.searcher(inquiry_.graph, conditions.cluster, space, goes_on).plans;
    } else {
        const SoftwarePasses passes = shared_.passes.of(conditions.cluster, space);
        found = search_again(inquiry_.graph,
                             {.cluster = conditions.cluster,
                              .space = space,
                              .bounds = bounds,
                              .orders = shared_.orders,
                              .passes = passes,
                              .slower = slower},
                             goes_on);
    }
    found.complete = !ended && go_on_();
    return found;
}

const LeastTimes& CrossoverSearch::bounds_at(const AdjustableParameter& parameter, double factor) {
    const auto quality = [&](double f) { return parameter.parameter.more_is_better ? f : 1 / f; };
    if (inquiry_.searcher != nullptr || parameter.by_doublings) {
        return kNone;
    }
    std::erase_if(bounds_, [&](const Bound& bound) { return bound.parameter != parameter.parameter.key; });
    const LeastTimes* nearest = quality(factor) <= 1 ? &now_ : parameter.by_steps ? &kNone : &fitting_;
    double least = quality(factor) <= 1 ? 1 : std::numeric_limits<double>::infinity();
    for (const Bound& bound : bounds_) {
        if (quality(bound.factor) >= quality(factor) && quality(bound.factor) < least) {
            least = quality(bound.factor);
            nearest = &bound.found.least;
        }
    }
    return *nearest;
}

const ListedPlans* CrossoverSearch::listed(const AdjustableParameter& parameter, double factor) {
    const LeastTimes& bounds = bounds_at(parameter, factor);
    const auto known = std::find_if(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
        return bound.parameter == parameter.parameter.key && bound.factor == factor;
    });
    if (known != bounds_.end()) {
        return &known->found;
    }
    ++searches_;
    ListedPlans found = search_within(known_.conditions_at(parameter, factor), bounds, kSlower);
    if (!found.complete) {
        return nullptr;
    }
    bounds_.push_back({parameter.parameter.key, factor, std::move(found)});
    return &bounds_.back().found;
}

CrossoverSearch::Recommended CrossoverSearch::searched(const AdjustableParameter& parameter, double factor) {
    const ListedPlans* found = listed(parameter, factor);
    if (found == nullptr || !go_on_()) {
        return {};
    }
    BestTimes best_times;
    const auto take = [&](const step::Prediction& prediction) {
        known_.know(prediction.plan);
        best_times.take(known_.is_ours(prediction.plan), prediction.step.value);
    };
    std::for_each(found->plans.begin(), found->plans.end(), take);
    if (found->fastest) {
        take(*found->fastest);
    }
    known_.take_ours(parameter, factor, best_times);
    return {.searched = true,
            .changes = best_times.crosses(),
            .plan = found->plans.empty() ? std::nullopt : std::optional(found->plans.front())};
}

Direction CrossoverSearch::search_each(const AdjustableParameter& parameter, std::vector<double> way) {
    double stays = 1;
    if (parameter.parameter.key == "memory" && way.back() < 1) {
        stays = enough_memory_;
        std::erase_if(way, [&](double factor) { return factor >= too_little_memory(); });
        way.insert(way.begin(), too_little_memory());
    }
    for (const double factor : way) {
        if (known_.cannot_cross(parameter, factor)) {
            stays = factor;
            continue;
        }
        Recommended there = searched(parameter, factor);
        if (!there.searched) {
            return {};
        }
        if (there.changes) {
            Crossover crossover{.factor = factor, .to = std::move(there.plan)};
            return parameter.by_doublings ? Direction{.searched = true, .crossover = std::move(crossover)}
                                          : bisected(parameter, stays, std::move(crossover));
        }
        stays = factor;
    }
    return {.searched = true, .crossover = std::nullopt};
}

Direction CrossoverSearch::look(const AdjustableParameter& parameter, bool up) {
    const double end = up ? parameter.parameter.most : parameter.parameter.least;
    const Direction stays{.searched = true, .crossover = std::nullopt};
    const std::vector<double> way = steps(parameter, end, conditions_.batch);
    if (parameter.by_doublings || parameter.by_steps) {
        return search_each(parameter, way);
    }
    if (end == 1 || known_.cannot_cross(parameter, end)) {
        return stays;
    }
    std::optional<Crossover> nearest;
    for (int round = 0; round < kRounds; ++round) {
        const auto found = known_.first_crossover(parameter, end);
        const double at = found ? found->changes : end;
        Recommended there = searched(parameter, at);
        if (!there.searched) {
            return {};
        }
        if (!there.changes && !found) {
            return probed(parameter, end);
        }
        if (!there.changes) {
            continue;  // the search found a faster plan of the recommended layout
        }
        nearest = Crossover{.factor = at, .to = std::move(there.plan)};
        if (!found) {
            continue;  // the plan that wins there is known now
        }
        Recommended before{.searched = true};
        if (!known_.cannot_cross(parameter, found->stays) && found->stays != 1) {
            before = searched(parameter, found->stays);
        }
        if (!before.searched) {
            return {};
        }
        if (!before.changes) {
            return {.searched = true, .crossover = nearest};
        }
        nearest = Crossover{.factor = found->stays, .to = std::move(before.plan)};
    }
    if (nearest) {
        return bisected(parameter, 1, *nearest);
    }
    Recommended there = searched(parameter, end);
    if (!there.searched) {
        return {};
    }
    return there.changes ? bisected(parameter, 1, {.factor = end, .to = std::move(there.plan)}) : stays;
}

Direction CrossoverSearch::probed(const AdjustableParameter& parameter, double end) {
    const bool reacts = known_.reacts(parameter, end);
    double stays = 1;
    for (const double probe : kProbes) {
        const double factor = end > 1 ? probe : 1 / probe;
        if (!reacts || (end > 1 ? factor >= end : factor <= end) || known_.cannot_cross(parameter, factor)) {
            continue;
        }
        Recommended there = searched(parameter, factor);
        if (!there.searched) {
            return {};
        }
        if (there.changes) {
            return bisected(parameter, stays, {.factor = factor, .to = std::move(there.plan)});
        }
        stays = factor;
    }
    return {.searched = true, .crossover = std::nullopt};
}

std::optional<Direction> CrossoverSearch::confirmed(const AdjustableParameter& parameter, Bracket within,
                                                    const Crossover& crossover) {
    for (int round = 0; round < kRounds; ++round) {
        const Bracket guess = known_.bisected(parameter, within);
        Direction found{.searched = true, .crossover = crossover};
        if (guess.changes != within.changes) {
            Recommended there = searched(parameter, guess.changes);
            if (!there.searched) {
                return Direction{};
            }
            if (!there.changes) {
                continue;  // the search found a faster plan of the recommended layout
            }
            found.crossover = Crossover{.factor = guess.changes, .to = std::move(there.plan)};
        }
        if (guess.stays == within.stays || known_.cannot_cross(parameter, guess.stays)) {
            return found;
        }
        const Recommended before = searched(parameter, guess.stays);
        if (!before.searched) {
            return Direction{};
        }
        if (!before.changes) {
            return found;
        }
    }
    return std::nullopt;
}

Direction CrossoverSearch::bisected(const AdjustableParameter& parameter, double stays, Crossover crossover) {
    Bracket within{.stays = stays, .changes = crossover.factor};
    if (const auto found = confirmed(parameter, within, crossover)) {
        return *found;
    }
    while (!is_fine(within)) {
        const double at = middle(within);
        if (known_.cannot_cross(parameter, at)) {
            within.stays = at;
            continue;
        }
        Recommended there = searched(parameter, at);
        if (!there.searched) {
            return {};
        }
        (there.changes ? within.changes : within.stays) = at;
        if (there.changes) {
            crossover = {.factor = at, .to = std::move(there.plan)};
        }
    }
    return {.searched = true, .crossover = std::move(crossover)};
}

}  // namespace dodona::search
