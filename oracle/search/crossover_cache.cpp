#include "search/crossover_cache.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "search/pass_table.hpp"
#include "search/ranking.hpp"
#include "step/validate.hpp"

namespace dodona::search {

namespace {

using plan::Plan;

/// Factors at which known plans are compared; denser near 1, where a crossover is more likely.
constexpr std::array kGrid{1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0};
constexpr std::array kDoublings{2.0, 4.0, 8.0, 16.0};

}  // namespace

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

bool same_layout(const Plan& a, const Plan& b) {
    return a.strategy.name == b.strategy.name && same_software(a, b) && a.mesh == b.mesh &&
           std::equal(a.folds.begin(), a.folds.end(), b.folds.begin(), b.folds.end(),
                      [](const plan::Fold& x, const plan::Fold& y) { return x.name == y.name && x.size == y.size; });
}

namespace {

/// Whether two plans of one layout are the same plan.
bool same_run(const Plan& a, const Plan& b) {
    return a.microbatch == b.microbatch && a.schedule == b.schedule && a.virtual_stages == b.virtual_stages &&
           a.stages == b.stages && a.recompute == b.recompute && a.shard == b.shard && a.shard_group == b.shard_group &&
           a.repeated == b.repeated && a.gather_group == b.gather_group && a.offload == b.offload &&
           plan::words(a.overlap) == plan::words(b.overlap);
}

Plan under(const Conditions& conditions, Plan plan) {
    plan.framework = conditions.adjusted(plan.framework);
    plan.batch = conditions.batch;
    return plan;
}

step::CostedGraph costed_under(const Conditions& conditions, const Plan& plan, const ShardedPlan& known,
                               const SharedTimes& shared) {
    return step::cost_graph(conditions.cluster, plan, plan::Mesh(plan, {}), known.sharded,
                            shared.passes.of(conditions.cluster, plan.framework).times());
}

/// Whether the stages of a plan hold the same layers under all conditions.
bool has_fixed_cut(const Conditions& conditions, const ShardedPlan& known, const SharedTimes& shared) {
    if (conditions.cluster.device_kinds(known.plan.devices()).size() > 1) {
        return false;
    }
    return !known.plan.stages.empty() ||
           PassTable(costed_under(conditions, known.plan, known, shared)).cut_is_fixed(known.plan.places().positions());
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
    step::Prediction prediction = step::evaluate(costed_under(conditions, plan, known, shared), plan,
                                                 step::Detail::totals, conditions.max_memory, shared.orders);
    return prediction.runs ? std::optional(std::move(prediction)) : std::nullopt;
}

double middle(const Bracket& bracket) { return std::sqrt(bracket.changes * bracket.stays); }

bool is_fine(const Bracket& bracket) { return std::abs(std::log(bracket.changes / bracket.stays)) <= std::log(kFine); }

CrossoverCache::CrossoverCache(const graph::Graph& graph, const std::vector<Software>& software,
                               const Conditions& conditions, const std::vector<step::Prediction>& plans,
                               const SharedTimes& shared)
    : graph_(graph), software_(software), conditions_(conditions), shared_(shared) {
    check(!plans.empty(), "the recommended plan is known");
    for (const step::Prediction& prediction : plans) {
        know(prediction.plan);
    }
}

/// Of per-layer strategies, which have one name and different rules, times are compared too.
void CrossoverCache::know(Plan plan) {
    for (const Software& software : software_) {
        if (software.framework.label() == plan.framework.label()) {
            plan.framework = software.framework;
        }
    }
    const auto alike = [&](const Known& other) {
        return same_layout(plan, other.plan()) && same_run(plan, other.plan());
    };
    const bool by_layers = plan.strategy.by_layers;
    if (!by_layers && std::any_of(known_.begin(), known_.end(), alike)) {
        return;
    }
    Known fresh{.sharded = ShardedPlan(graph_, plan), .now = std::nullopt};
    if (const auto found = taken(conditions_, fresh)) {
        fresh.now = found->time;
        fresh.slack = has_fixed_cut(conditions_, fresh.sharded, shared_) ? kSumSlack : 1;
    }
    const bool known = std::any_of(known_.begin(), known_.end(),
                                   [&](const Known& other) { return alike(other) && fresh.now == other.now; });
    if (!known) {
        known_.push_back(std::move(fresh));
    }
}

void BestTimes::take(bool is_ours, Seconds time) {
    fastest = fastest ? min(*fastest, time) : time;
    if (is_ours) {
        ours = ours ? min(*ours, time) : time;
    }
}

bool BestTimes::crosses() const { return !ours || *ours > (1 + kEqualTime) * *fastest; }

std::optional<CrossoverCache::Taken> CrossoverCache::taken(const Conditions& conditions, const Known& known) const {
    const auto prediction = predicted(known.sharded, conditions, shared_);
    const bool fits = prediction && prediction->fits && leaves(*prediction, conditions.reserve);
    return fits ? std::optional(Taken{prediction->step.value,
                                      simplicity(*prediction, conditions.cluster.node_size(), conditions.reserve)})
                : std::nullopt;
}

const Conditions& CrossoverCache::conditions_at(const AdjustableParameter& parameter, double factor) {
    Point point(parameter.parameter.key, factor);
    if (!varied_ || varied_->first != point) {
        varied_.emplace(std::move(point), parameter.adjusted(conditions_, factor));
    }
    return varied_->second;
}

const std::optional<CrossoverCache::Taken>& CrossoverCache::taken(const AdjustableParameter& parameter, double factor,
                                                                  Known& known) {
    const auto [found, fresh] = known.under.try_emplace(Point(parameter.parameter.key, factor));
    if (fresh) {
        found->second = taken(conditions_at(parameter, factor), known);
    }
    return found->second;
}

std::optional<Seconds> CrossoverCache::time(const AdjustableParameter& parameter, double factor, Known& known) {
    const std::optional<Taken>& found = taken(parameter, factor, known);
    return found ? std::optional(found->time) : std::nullopt;
}

CrossoverCache::KnownTimes CrossoverCache::times_at(const AdjustableParameter& parameter, double factor,
                                                    std::vector<Contender>& contenders) {
    KnownTimes times;
    std::optional<Seconds> ours;
    const auto take = [&](Contender& contender) {
        if (const auto& found = taken(parameter, factor, *contender.known)) {
            contender.times.emplace_back(factor, found->time);
            times.emplace_back(contender.known, *found);
        }
    };
    // What is within equal time of ours may be the fastest, and decides which plans are listed.
    const auto loses = [&](const Contender& contender) {
        return ours && least(parameter, factor, contender) > (1 + kEqualTime) * *ours;
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

bool CrossoverCache::changes(const AdjustableParameter& parameter, double factor, std::vector<Contender>& contenders) {
    BestTimes best_times;
    const auto take = [&](Contender& contender) {
        const std::optional<Seconds> found = time(parameter, factor, *contender.known);
        if (found) {
            contender.times.emplace_back(factor, *found);
            best_times.take(is_ours(contender.known->plan()), *found);
        }
    };
    for (Contender& contender : contenders) {
        if (is_ours(contender.known->plan()) &&
            !(best_times.ours && least(parameter, factor, contender) > *best_times.ours)) {
            take(contender);
        }
    }
    for (std::size_t i = 0; i < contenders.size() && !best_times.crosses(); ++i) {
        const bool loses =
            best_times.ours && (1 + kEqualTime) * least(parameter, factor, contenders[i]) > *best_times.ours;
        if (is_ours(contenders[i].known->plan()) || loses) {
            continue;
        }
        take(contenders[i]);
        if (best_times.crosses()) {  // it is likely to win at the next factor too, and is asked first
            std::swap(contenders[i], contenders.front());
            return true;
        }
    }
    return best_times.crosses();
}

Seconds CrossoverCache::least(const AdjustableParameter& parameter, double factor, const Contender& contender) {
    Seconds least;
    for (const auto& [at, taken] : contender.times) {
        if ((at >= factor) == parameter.parameter.more_is_better) {
            least = max(least, (1 - contender.known->slack) * taken);
        }
    }
    return least;
}

bool CrossoverCache::changes_listed(const KnownTimes& times) const {
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
    BestTimes best_times;
    for (const Layout& layout : layouts) {
        best_times.take(is_ours(*layout.plan), layout.listed->time);
    }
    for (std::size_t i = 0; i < times.size() && best_times.crosses(); ++i) {
        if (is_ours(times[i].first->plan())) {
            best_times.take(true, times[i].second.time);
        }
    }
    return best_times.crosses();
}

std::vector<CrossoverCache::Contender> CrossoverCache::contenders(const AdjustableParameter& parameter, double end,
                                                                  double lead) {
    const std::optional<Seconds> now = known_.front().now;
    const std::optional<Seconds> then = time(parameter, end, known_.front());
    std::vector<Contender> plans;
    for (Known& known : known_) {
        Contender contender{.known = &known, .times = {}};
        if (known.now) {
            contender.times.emplace_back(1, *known.now);
        }
        const auto wins = [&](std::optional<Seconds> taken) { return taken && (1 + lead) * *taken < max(*now, *then); };
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

bool CrossoverCache::cannot_cross(const AdjustableParameter& parameter, double factor) {
    const bool worse = !parameter.by_doublings && (factor > 1) != parameter.parameter.more_is_better;
    if (!worse) {
        return false;
    }
    const std::optional<Seconds> then = time(parameter, factor, known_.front());
    return then && std::all_of(known_.begin(), known_.end(), [&](const Known& known) {
               return !known.now || *then <= (1 + kEqualTime) * *known.now;
           });
}

std::optional<Bracket> CrossoverCache::first_crossover(const AdjustableParameter& parameter, double end) {
    std::vector<Contender> plans = contenders(parameter, end, kEqualTime);
    const bool fits = known_.front().now && time(parameter, end, known_.front());
    if (fits &&
        std::all_of(plans.begin(), plans.end(), [&](const Contender& plan) { return is_ours(plan.known->plan()); })) {
        return std::nullopt;
    }
    const auto changes = [&](double factor) { return this->changes(parameter, factor, plans); };
    Bracket found;
    for (const double factor : steps(parameter, end, conditions_.batch)) {
        found.changes = factor;
        if (changes(factor)) {
            while (!is_fine(found)) {
                const double at = middle(found);
                (changes(at) ? found.changes : found.stays) = at;
            }
            return found;
        }
        found.stays = factor;
    }
    return std::nullopt;
}

Bracket CrossoverCache::bisected(const AdjustableParameter& parameter, Bracket within) {
    std::vector<Contender> plans = contenders(parameter, within.changes, 0);
    while (!is_fine(within)) {
        const double at = middle(within);
        const bool crosses = !cannot_cross(parameter, at) && changes_listed(times_at(parameter, at, plans));
        (crosses ? within.changes : within.stays) = at;
    }
    return within;
}

void CrossoverCache::take_ours(const AdjustableParameter& parameter, double factor, BestTimes& best_times) {
    for (Known& known : known_) {
        if (!best_times.crosses()) {
            return;  // further plans of the layout cannot make it slower
        }
        if (const auto taken = is_ours(known.plan()) ? time(parameter, factor, known) : std::nullopt) {
            best_times.take(true, *taken);
        }
    }
}

bool CrossoverCache::reacts(const AdjustableParameter& parameter, double factor) {
    const std::optional<Seconds> now = known_.front().now;
    const std::optional<Seconds> then = time(parameter, factor, known_.front());
    return !now || !then || std::abs(std::log(*then / *now)) > std::log(1 + kEqualTime);
}

}  // namespace dodona::search
