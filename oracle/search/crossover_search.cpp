#include "search/crossover_search.hpp"

#include <utility>

#include "base/ranges.hpp"

namespace dodona::search {

namespace {

/// The sizes of the axes and folds of a plan.
std::vector<Constraint> sizes_of(const plan::Plan& plan) {
    std::vector<Constraint> fixed;
    append(fixed, plan.mesh, [](const plan::MeshAxis& axis) { return AxisSize{axis.name, axis.size}; });
    for (const plan::FoldedAxis& fold : plan.strategy.folds) {
        const auto* used = found_in(plan.folds, &plan::Fold::name, fold.name);
        fixed.emplace_back(AxisSize{fold.name, used == nullptr ? 1 : used->size});
    }
    return fixed;
}

}  // namespace

bool is_searched(const AdjustableParameter& parameter) {
    return parameter.by_steps || parameter.by_doublings ||
           (parameter.parameter.kind == ParameterKind::machine && parameter.parameter.more_is_better);
}

CrossoverSearch::CrossoverSearch(const Inquiry& inquiry, const Conditions& conditions,
                                 const std::vector<step::Prediction>& plans, PassCostsByCondition& shared,
                                 std::function<bool()> go_on)
    : inquiry_(inquiry),
      conditions_(conditions),
      shared_(shared),
      go_on_(std::move(go_on)),
      known_(inquiry.graph, inquiry.space.software, conditions, plans, shared),
      strategy_(plans.front().plan.strategy.name),
      sizes_(sizes_of(plans.front().plan)) {
    const step::Prediction& first = plans.front();
    enough_memory_ = first.memory.total() / ((1 - conditions.reserve) * first.memory_limit);
}

std::optional<step::Prediction> CrossoverSearch::best(const Conditions& conditions, bool of_layout) {
    Space space = inquiry_.space;
    for (Software& software : space.software) {
        software.framework = conditions.adjusted(std::move(software.framework));
    }
    if (of_layout) {
        std::erase_if(space.strategies, [&](const plan::Strategy& other) { return other.name != strategy_; });
        space.only_fitted = false;
        space.fixed.insert(space.fixed.end(), sizes_.begin(), sizes_.end());
    }
    space.only_usual = true;
    space.batch = conditions.batch;
    space.max_memory = conditions.max_memory;
    space.top = 1;
    space.best_only = true;
    const auto progress = [&](std::int64_t, std::int64_t) { return go_on_(); };
    ++searches_;
    Answer found = inquiry_.searcher != nullptr ? inquiry_.searcher(inquiry_.graph, conditions.cluster, space, progress)
                                                : search(inquiry_.graph, conditions.cluster, space,
                                                         shared_.of(conditions.cluster, space), progress);
    return found.plans.empty() ? std::nullopt : std::optional(std::move(found.plans.front()));
}

CrossoverSearch::Recommended CrossoverSearch::searched(const AdjustableParameter& parameter, double factor) {
    const Conditions conditions = known_.conditions_at(parameter, factor);
    Recommended found{.searched = false, .plan = best(conditions, false)};
    if (found.plan) {
        known_.know(found.plan->plan);
        const bool looks = known_.changes(parameter, factor) && inquiry_.searcher == nullptr;
        if (const auto ours = looks ? best(conditions, true) : std::nullopt) {
            known_.know(ours->plan);
        }
    }
    found.searched = go_on_();
    return found;
}

Direction CrossoverSearch::confirmed(const AdjustableParameter& parameter, Bracket within) {
    while (!is_fine(within)) {
        const double at = known_.located(parameter, within).changes;
        if (!searched(parameter, at).searched) {
            return {};
        }
        if (known_.changes(parameter, at)) {
            return {.searched = true, .crossover = Crossover{.factor = at, .to = known_.best_at(parameter, at)}};
        }
        within.stays = at;  // the search found a plan of the recommended layout
    }
    return {.searched = true, .crossover = std::nullopt};
}

Direction CrossoverSearch::search_each(const AdjustableParameter& parameter, const std::vector<double>& way) {
    double stays = 1;
    for (const double factor : way) {
        if (!searched(parameter, factor).searched) {
            return {};
        }
        if (known_.changes(parameter, factor)) {
            return parameter.by_doublings
                       ? Direction{.searched = true,
                                   .crossover = Crossover{.factor = factor, .to = known_.best_at(parameter, factor)}}
                       : confirmed(parameter, {.stays = stays, .changes = factor});
        }
        stays = factor;
    }
    return {.searched = true, .crossover = std::nullopt};
}

Direction CrossoverSearch::look(const AdjustableParameter& parameter, bool up) {
    const double end = up ? parameter.parameter.most : parameter.parameter.least;
    std::vector<double> way = steps(parameter, end, conditions_.batch);
    if (parameter.by_steps && !up) {
        std::erase_if(way, [&](double factor) { return factor >= too_little_memory(); });
        way.insert(way.begin(), too_little_memory());
    }
    if (parameter.by_doublings || parameter.by_steps) {
        return search_each(parameter, way);
    }
    Direction found{.searched = true, .crossover = std::nullopt};
    if (end == 1 || known_.cannot_cross(parameter, end)) {
        return found;
    }
    if (is_searched(parameter) && !searched(parameter, end).searched) {
        return {};
    }
    if (const auto crossover = known_.first_crossover(parameter, way)) {
        found.crossover = Crossover{.factor = crossover->changes, .to = known_.best_at(parameter, crossover->changes)};
    }
    return found;
}

}  // namespace dodona::search
