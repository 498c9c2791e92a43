#include "search/crossover_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/check.hpp"
#include "step/evaluate.hpp"
#include "step/validate.hpp"

namespace dodona::search {

namespace {

using plan::Plan;

/// Factors at which known plans are compared; denser near 1, where a crossover is more likely.
constexpr std::array kGrid{1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0};
constexpr std::array kDoublings{2.0, 4.0, 8.0, 16.0};

/// Rounds of locating a crossover among known plans before full searches bisect.
constexpr int kRounds = 3;

/// Factors of full searches where known plans have no crossover, for parameters that the plan reacts to.
constexpr std::array kProbes{4.0};

/// Bounds where nothing is known.
const LeastTimes kNone;

/// The factors of the grid between 1 and the end of the range; a batch stays a whole number of samples.
std::vector<double> steps(const AdjustableParameter& parameter, double end, std::int64_t batch) {
    std::vector<double> found;
    const auto add = [&](double factor) {
        const double at = end > 1 ? factor : 1 / factor;
        const bool whole = !parameter.by_doublings || std::fmod(at * static_cast<double>(batch), 1) == 0;
        if (whole && (end > 1 ? at <= end : at >= end)) {
            found.push_back(at);
        }
    };
    if (parameter.by_doublings) {
        std::for_each(kDoublings.begin(), kDoublings.end(), add);
        return found;
    }
    std::for_each(kGrid.begin(), kGrid.end(), add);
    if (found.empty() || found.back() != end) {
        found.push_back(end);
    }
    return found;
}

}  // namespace

bool same_layout(const Plan& a, const Plan& b) {
    return a.strategy.name == b.strategy.name && a.mesh == b.mesh &&
           std::equal(a.folds.begin(), a.folds.end(), b.folds.begin(), b.folds.end(),
                      [](const plan::Fold& x, const plan::Fold& y) { return x.name == y.name && x.size == y.size; });
}

namespace {

/// Whether two plans of one layout are the same plan.
bool same_run(const Plan& a, const Plan& b) {
    return a.microbatch == b.microbatch && a.schedule == b.schedule && a.virtual_stages == b.virtual_stages &&
           a.stages == b.stages && a.recompute == b.recompute && a.shard == b.shard && a.shard_group == b.shard_group &&
           a.offload == b.offload && plan::words(a.overlap) == plan::words(b.overlap);
}

Plan under(const Conditions& conditions, Plan plan) {
    plan.framework = conditions.framework;
    plan.batch = conditions.batch;
    return plan;
}

}  // namespace

ShardedPlan::ShardedPlan(const graph::Graph& graph, const Plan& of)
    : plan(of),
      sharded(std::make_shared<const plan::ShardedGraph>(
          plan::shard(graph, plan::Mesh(of, {}), of.strategy, of.microbatch))) {}

std::optional<step::Prediction> predicted(const ShardedPlan& known, const Conditions& conditions,
                                          const SharedTimes& shared) {
    const Plan plan = under(conditions, known.plan);
    if (step::plan_faults(*known.sharded->graph, conditions.cluster, plan, {}).has_errors()) {
        return std::nullopt;
    }
    const step::CostedGraph costed =
        step::cost_graph(conditions.cluster, plan, plan::Mesh(plan, {}), known.sharded,
                         shared.passes.of(conditions.cluster, conditions.framework).times());
    step::Prediction prediction =
        step::evaluate(costed, plan, step::Detail::totals, conditions.max_memory, shared.orders);
    return prediction.runs ? std::optional(std::move(prediction)) : std::nullopt;
}

CrossoverSearch::CrossoverSearch(const Inquiry& inquiry, const Conditions& conditions,
                                 const std::vector<step::Prediction>& plans, const SharedTimes& shared,
                                 std::function<bool()> go_on)
    : inquiry_(inquiry), conditions_(conditions), shared_(shared), go_on_(std::move(go_on)) {
    check(!plans.empty(), "a crossover search starts from a recommended plan");
    for (const step::Prediction& prediction : plans) {
        know(prediction.plan);
    }
}

/// Of per-layer strategies, which have one name and different rules, times are compared too.
void CrossoverSearch::know(const Plan& plan) {
    const auto alike = [&](const Known& other) {
        return same_layout(plan, other.plan()) && same_run(plan, other.plan());
    };
    const bool by_layers = plan.strategy.name == kByLayers;
    if (!by_layers && std::any_of(known_.begin(), known_.end(), alike)) {
        return;
    }
    Known fresh{.sharded = ShardedPlan(inquiry_.graph, plan), .now = std::nullopt};
    if (const auto found = taken(conditions_, fresh)) {
        fresh.now = found->time;
    }
    const bool known = std::any_of(known_.begin(), known_.end(),
                                   [&](const Known& other) { return alike(other) && fresh.now == other.now; });
    if (!known) {
        known_.push_back(std::move(fresh));
    }
}

void CrossoverSearch::Standing::take(bool is_ours, Seconds time) {
    fastest = fastest ? min(*fastest, time) : time;
    if (is_ours) {
        ours = ours ? min(*ours, time) : time;
    }
}

bool CrossoverSearch::Standing::crosses() const { return !ours || *ours > (1 + kEqualTime) * *fastest; }

std::optional<CrossoverSearch::Taken> CrossoverSearch::taken(const Conditions& conditions, const Known& known) const {
    const auto prediction = predicted(known.sharded, conditions, shared_);
    const bool fits = prediction && prediction->fits && leaves(*prediction, conditions.reserve);
    return fits ? std::optional(Taken{prediction->step.value, simplicity(*prediction, 0, conditions.reserve)})
                : std::nullopt;
}

const Conditions& CrossoverSearch::conditions_at(const AdjustableParameter& parameter, double factor) {
    Point point(parameter.parameter.key, factor);
    if (!varied_ || varied_->first != point) {
        varied_.emplace(std::move(point), parameter.adjusted(conditions_, factor));
    }
    return varied_->second;
}

const std::optional<CrossoverSearch::Taken>& CrossoverSearch::taken(const AdjustableParameter& parameter, double factor,
                                                                    Known& known) {
    const auto [found, fresh] = known.under.try_emplace(Point(parameter.parameter.key, factor));
    if (fresh) {
        found->second = taken(conditions_at(parameter, factor), known);
    }
    return found->second;
}

std::optional<Seconds> CrossoverSearch::time(const AdjustableParameter& parameter, double factor, Known& known) {
    const std::optional<Taken>& found = taken(parameter, factor, known);
    return found ? std::optional(found->time) : std::nullopt;
}

CrossoverSearch::KnownTimes CrossoverSearch::times_at(const AdjustableParameter& parameter, double factor,
                                                      std::vector<Contender>& contenders) {
    KnownTimes times;
    std::optional<Seconds> ours;
    const auto take = [&](Contender& contender) {
        if (const auto& found = taken(parameter, factor, *contender.known)) {
            contender.times.emplace_back(factor, found->time);
            times.emplace_back(contender.known, *found);
        }
    };
    const auto loses = [&](const Contender& contender) {
        return ours && std::any_of(contender.times.begin(), contender.times.end(), [&](const auto& known) {
                   const bool was_better = (known.first >= factor) == parameter.parameter.more_is_better;
                   return was_better && (1 - kCutSlack) * (1 + kEqualTime) * known.second > *ours;
               });
    };
    for (Contender& contender : contenders) {
        if (is_ours(contender.known->plan())) {
            take(contender);
        }
    }
    for (const auto& [known, found] : times) {
        ours = ours ? min(*ours, found.time) : found.time;
    }
    for (Contender& contender : contenders) {
        if (!is_ours(contender.known->plan()) && !loses(contender)) {
            take(contender);
        }
    }
    return times;
}

bool CrossoverSearch::changes(const AdjustableParameter& parameter, double factor, std::vector<Contender>& contenders) {
    Standing standing;
    for (const auto& [known, found] : times_at(parameter, factor, contenders)) {
        standing.take(is_ours(known->plan()), found.time);
    }
    return standing.crosses();
}

bool CrossoverSearch::changes_listed(const KnownTimes& times) const {
    struct Layout {
        const Plan* plan = nullptr;
        Seconds fastest;
        std::optional<Taken> listed;
    };
    std::vector<Layout> layouts;
    std::vector<std::size_t> layout_of;
    Seconds fastest = Seconds::of_base(std::numeric_limits<double>::infinity());
    for (const auto& [known, found] : times) {
        const Plan& plan = known->plan();
        auto layout = std::find_if(layouts.begin(), layouts.end(),
                                   [&](const Layout& other) { return same_layout(*other.plan, plan); });
        if (layout == layouts.end()) {
            layout = layouts.insert(layouts.end(), {.plan = &plan, .fastest = found.time, .listed = {}});
        }
        layout->fastest = min(layout->fastest, found.time);
        fastest = min(fastest, found.time);
        layout_of.push_back(static_cast<std::size_t>(layout - layouts.begin()));
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        Layout& layout = layouts[layout_of[i]];
        const Taken& found = times[i].second;
        const bool leads = layout.fastest <= (1 + kEqualTime) * fastest;
        const auto order = [](const Taken& taken) { return std::pair(taken.simplicity, taken.time); };
        if (found.time <= (1 + kEqualTime) * (leads ? fastest : layout.fastest) &&
            (!layout.listed || order(found) < order(*layout.listed))) {
            layout.listed = found;
        }
    }
    Standing standing;
    for (const Layout& layout : layouts) {
        standing.take(is_ours(*layout.plan), layout.listed->time);
    }
    for (std::size_t i = 0; i < times.size() && standing.crosses(); ++i) {
        if (is_ours(times[i].first->plan())) {
            standing.take(true, times[i].second.time);
        }
    }
    return standing.crosses();
}

std::vector<CrossoverSearch::Contender> CrossoverSearch::contenders(const AdjustableParameter& parameter, double end) {
    const std::optional<Seconds> now = known_.front().now;
    const std::optional<Seconds> then = time(parameter, end, known_.front());
    std::vector<Contender> plans;
    for (Known& known : known_) {
        Contender contender{.known = &known, .times = {}};
        if (known.now) {
            contender.times.emplace_back(1, *known.now);
        }
        const auto wins = [&](std::optional<Seconds> taken) { return taken && *taken < max(*now, *then); };
        bool may_win = is_ours(known.plan()) || !now || !then || wins(known.now);
        if (!may_win) {
            const auto last = time(parameter, end, known);
            may_win = wins(last);
            if (last) {
                contender.times.emplace_back(end, *last);
            }
        }
        if (may_win) {
            plans.push_back(std::move(contender));
        }
    }
    return plans;
}

bool CrossoverSearch::cannot_cross(const AdjustableParameter& parameter, double factor) {
    const bool worse = !parameter.by_doublings && (factor > 1) != parameter.parameter.more_is_better;
    if (!worse) {
        return false;
    }
    const std::optional<Seconds> then = time(parameter, factor, known_.front());
    return then && std::all_of(known_.begin(), known_.end(), [&](const Known& known) {
               return !known.now || *then <= (1 + kEqualTime) * *known.now;
           });
}

std::optional<CrossoverSearch::Bracket> CrossoverSearch::bracket(const AdjustableParameter& parameter, double end) {
    std::vector<Contender> plans = contenders(parameter, end);
    const auto changes = [&](double factor) { return this->changes(parameter, factor, plans); };
    Bracket found;
    for (const double factor : steps(parameter, end, conditions_.batch)) {
        found.changes = factor;
        if (changes(factor)) {
            while (std::abs(std::log(found.changes / found.stays)) > std::log(kFine)) {
                const double middle = std::sqrt(found.changes * found.stays);
                (changes(middle) ? found.changes : found.stays) = middle;
            }
            return found;
        }
        found.stays = factor;
    }
    return std::nullopt;
}

Space CrossoverSearch::space_under(const Conditions& conditions) const {
    Space space = inquiry_.space;
    space.framework = conditions.framework;
    space.only_usual = true;
    space.batch = conditions.batch;
    space.max_memory = conditions.max_memory;
    space.top = kCompetitors;
    return space;
}

ListedPlans CrossoverSearch::search_within(const Conditions& conditions, const LeastTimes& bounds) {
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
        found = search_again(inquiry_.graph,
                             {.cluster = conditions.cluster,
                              .space = space,
                              .bounds = bounds,
                              .orders = shared_.orders,
                              .passes = shared_.passes.of(conditions.cluster, conditions.framework)},
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
    if (!now_) {
        ListedPlans found = search_within(conditions_, kNone);
        now_ = found.complete ? std::move(found.least) : LeastTimes{};
        std::transform(now_->begin(), now_->end(), std::back_inserter(fitting_), without_times);
    }
    std::erase_if(bounds_, [&](const Bound& bound) { return bound.parameter != parameter.parameter.key; });
    const LeastTimes* nearest = quality(factor) <= 1 ? &*now_ : parameter.by_steps ? &kNone : &fitting_;
    double least = quality(factor) <= 1 ? 1 : std::numeric_limits<double>::infinity();
    for (const Bound& bound : bounds_) {
        if (quality(bound.factor) >= quality(factor) && quality(bound.factor) < least) {
            least = quality(bound.factor);
            nearest = &bound.found.least;
        }
    }
    return *nearest;
}

const std::vector<step::Prediction>* CrossoverSearch::listed(const AdjustableParameter& parameter, double factor) {
    const LeastTimes& bounds = bounds_at(parameter, factor);
    const auto known = std::find_if(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
        return bound.parameter == parameter.parameter.key && bound.factor == factor;
    });
    if (known != bounds_.end()) {
        return &known->found.plans;
    }
    ++searches_;
    ListedPlans found = search_within(conditions_at(parameter, factor), bounds);
    if (!found.complete) {
        return nullptr;
    }
    bounds_.push_back({parameter.parameter.key, factor, std::move(found)});
    return &bounds_.back().found.plans;
}

CrossoverSearch::Recommended CrossoverSearch::searched(const AdjustableParameter& parameter, double factor) {
    const std::vector<step::Prediction>* plans = listed(parameter, factor);
    if (plans == nullptr || !go_on_()) {
        return {};
    }
    Standing standing;
    for (const step::Prediction& prediction : *plans) {
        know(prediction.plan);
        standing.take(is_ours(prediction.plan), prediction.step.value);
    }
    for (Known& known : known_) {
        if (!standing.crosses()) {
            break;  // further plans of the layout cannot make it slower
        }
        if (const auto taken = is_ours(known.plan()) ? time(parameter, factor, known) : std::nullopt) {
            standing.take(true, *taken);
        }
    }
    return {.searched = true,
            .changes = standing.crosses(),
            .plan = plans->empty() ? std::nullopt : std::optional(plans->front())};
}

Direction CrossoverSearch::search_each(const AdjustableParameter& parameter, const std::vector<double>& way) {
    double stays = 1;
    for (const double factor : way) {
        if (cannot_cross(parameter, factor)) {
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
    if (end == 1 || cannot_cross(parameter, end)) {
        return stays;
    }
    std::optional<Crossover> nearest;
    for (int round = 0; round < kRounds; ++round) {
        const auto found = bracket(parameter, end);
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
        if (!cannot_cross(parameter, found->stays) && found->stays != 1) {
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
    const std::optional<Seconds> now = known_.front().now;
    const std::optional<Seconds> then = time(parameter, end, known_.front());
    const bool reacts = !now || !then || std::abs(std::log(*then / *now)) > std::log(1 + kEqualTime);
    double stays = 1;
    for (const double probe : kProbes) {
        const double factor = end > 1 ? probe : 1 / probe;
        if (!reacts || (end > 1 ? factor >= end : factor <= end) || cannot_cross(parameter, factor)) {
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

CrossoverSearch::Bracket CrossoverSearch::guessed(const AdjustableParameter& parameter, Bracket within) {
    std::vector<Contender> plans = contenders(parameter, within.changes);
    while (std::abs(std::log(within.changes / within.stays)) > std::log(kFine)) {
        const double middle = std::sqrt(within.changes * within.stays);
        const bool crosses = !cannot_cross(parameter, middle) && changes_listed(times_at(parameter, middle, plans));
        (crosses ? within.changes : within.stays) = middle;
    }
    return within;
}

std::optional<Direction> CrossoverSearch::confirmed(const AdjustableParameter& parameter, Bracket within,
                                                    const Crossover& crossover) {
    for (int round = 0; round < kRounds; ++round) {
        const Bracket guess = guessed(parameter, within);
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
        if (guess.stays == within.stays || cannot_cross(parameter, guess.stays)) {
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
    if (const auto found = confirmed(parameter, {.stays = stays, .changes = crossover.factor}, crossover)) {
        return *found;
    }
    while (std::abs(std::log(crossover.factor / stays)) > std::log(kFine)) {
        const double middle = std::sqrt(crossover.factor * stays);
        if (cannot_cross(parameter, middle)) {
            stays = middle;
            continue;
        }
        Recommended there = searched(parameter, middle);
        if (!there.searched) {
            return {};
        }
        if (there.changes) {
            crossover = {.factor = middle, .to = std::move(there.plan)};
        } else {
            stays = middle;
        }
    }
    return {.searched = true, .crossover = std::move(crossover)};
}

}  // namespace dodona::search
