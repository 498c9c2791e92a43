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
constexpr std::array kGrid{1.25, 1.5, 2.0, 3.0, 4.0, 8.0, 16.0};
/// Those at which all plans are searched: of the batch, which stays a whole number, and of memory.
constexpr std::array kDoublings{2.0, 4.0, 8.0, 16.0};
constexpr std::array kSearched{1.25, 1.75, 2.5, 4.0, 16.0};

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
    if (parameter.by_steps) {
        std::for_each(kSearched.begin(), kSearched.end(), add);
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
           a.stages == b.stages && a.recompute == b.recompute && a.recompute_modules == b.recompute_modules &&
           a.shard == b.shard && a.shard_group == b.shard_group && a.repeated == b.repeated &&
           a.gather_group == b.gather_group && a.offload == b.offload &&
           plan::words(a.overlap) == plan::words(b.overlap);
}

Plan under(const Conditions& conditions, Plan plan) {
    plan.framework = conditions.adjusted(plan.framework);
    plan.batch = conditions.batch;
    return plan;
}

step::CostedGraph costed_under(const Conditions& conditions, const Plan& plan, const ShardedPlan& known,
                               PassCostsByCondition& shared) {
    return step::cost_graph(conditions.cluster, plan, plan::Mesh(plan, {}), known.sharded,
                            shared.of(conditions.cluster, plan.framework).times());
}

}  // namespace

ShardedPlan::ShardedPlan(const graph::Graph& graph, const Plan& of)
    : plan(of),
      sharded(std::make_shared<const plan::ShardedGraph>(
          plan::shard(graph, plan::Mesh(of, {}), of.strategy, of.microbatch))) {}

std::optional<step::Prediction> predicted(const ShardedPlan& known, const Conditions& conditions,
                                          PassCostsByCondition& shared) {
    const Plan plan = under(conditions, known.plan);
    if (step::plan_faults(*known.sharded->graph, conditions.cluster, plan, {}).has_errors()) {
        return std::nullopt;
    }
    step::Prediction prediction = step::evaluate(costed_under(conditions, plan, known, shared), plan,
                                                 step::Detail::totals, conditions.max_memory, shared.orders());
    return prediction.runs ? std::optional(std::move(prediction)) : std::nullopt;
}

double middle(const Bracket& bracket) { return std::sqrt(bracket.changes * bracket.stays); }

bool is_fine(const Bracket& bracket) { return std::abs(std::log(bracket.changes / bracket.stays)) <= std::log(kFine); }

CrossoverCache::CrossoverCache(const graph::Graph& graph, const std::vector<Software>& software,
                               const Conditions& conditions, const std::vector<step::Prediction>& plans,
                               PassCostsByCondition& shared)
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
    Known fresh{.sharded = ShardedPlan(graph_, plan), .now = std::nullopt, .under = {}};
    if (const auto found = fitting(conditions_, fresh)) {
        fresh.now = found->step.value;
    }
    const bool known = std::any_of(known_.begin(), known_.end(),
                                   [&](const Known& other) { return alike(other) && fresh.now == other.now; });
    if (!known) {
        known_.push_back(std::move(fresh));
    }
}

std::optional<step::Prediction> CrossoverCache::fitting(const Conditions& conditions, const Known& known) const {
    auto prediction = predicted(known.sharded, conditions, shared_);
    const bool fits = prediction && prediction->fits && leaves(*prediction, conditions.reserve);
    return fits ? std::move(prediction) : std::nullopt;
}

const Conditions& CrossoverCache::conditions_at(const AdjustableParameter& parameter, double factor) {
    Point point(parameter.parameter.key, factor);
    if (!varied_ || varied_->first != point) {
        varied_.emplace(std::move(point), parameter.adjusted(conditions_, factor));
    }
    return varied_->second;
}

std::optional<Seconds> CrossoverCache::time(const AdjustableParameter& parameter, double factor, Known& known) {
    const auto [found, fresh] = known.under.try_emplace(Point(parameter.parameter.key, factor));
    if (fresh) {
        const auto prediction = fitting(conditions_at(parameter, factor), known);
        found->second = prediction ? std::optional(prediction->step.value) : std::nullopt;
    }
    return found->second;
}

std::vector<CrossoverCache::Known*> CrossoverCache::all() {
    std::vector<Known*> plans;
    for (Known& known : known_) {
        plans.push_back(&known);
    }
    return plans;
}

std::vector<CrossoverCache::Known*> CrossoverCache::contenders(const AdjustableParameter& parameter, double end) {
    const std::optional<Seconds> now = known_.front().now;
    const std::optional<Seconds> then = time(parameter, end, known_.front());
    const auto may_win = [&](Known& known) {
        const auto wins = [&](std::optional<Seconds> taken) {
            return taken && (1 + kEqualTime) * *taken < max(*now, *then);
        };
        return is_ours(known.plan()) || !now || !then || wins(known.now) || wins(time(parameter, end, known));
    };
    std::vector<Known*> plans = all();
    std::erase_if(plans, [&](Known* known) { return !may_win(*known); });
    return plans;
}

Seconds CrossoverCache::least(const AdjustableParameter& parameter, double factor, const Known& known) {
    Seconds least = known.now && (factor <= 1) == parameter.parameter.more_is_better ? *known.now : Seconds{};
    for (const auto& [point, taken] : known.under) {
        const auto& [key, at] = point;
        if (taken && key == parameter.parameter.key && (at >= factor) == parameter.parameter.more_is_better) {
            least = max(least, *taken);
        }
    }
    return parameter.by_doublings ? Seconds{} : least;
}

bool CrossoverCache::changes(const AdjustableParameter& parameter, double factor, const std::vector<Known*>& plans) {
    std::optional<Seconds> ours;
    for (Known* known : plans) {
        if (const auto taken = is_ours(known->plan()) ? time(parameter, factor, *known) : std::nullopt) {
            ours = ours ? min(*ours, *taken) : *taken;
        }
    }
    return !ours || std::any_of(plans.begin(), plans.end(), [&](Known* known) {
        const auto wins = [&](Seconds taken) { return *ours > (1 + kEqualTime) * taken; };
        if (is_ours(known->plan()) || !wins(least(parameter, factor, *known))) {
            return false;
        }
        const std::optional<Seconds> taken = time(parameter, factor, *known);
        return taken && wins(*taken);
    });
}

bool CrossoverCache::changes(const AdjustableParameter& parameter, double factor) {
    return changes(parameter, factor, all());
}

Bracket CrossoverCache::located(const AdjustableParameter& parameter, Bracket within,
                                const std::vector<Known*>& plans) {
    while (!is_fine(within)) {
        const double at = middle(within);
        (changes(parameter, at, plans) ? within.changes : within.stays) = at;
    }
    return within;
}

Bracket CrossoverCache::located(const AdjustableParameter& parameter, Bracket within) {
    return located(parameter, within, all());
}

std::optional<Bracket> CrossoverCache::first_crossover(const AdjustableParameter& parameter,
                                                       const std::vector<double>& way) {
    const std::vector<Known*> plans = contenders(parameter, way.back());
    Bracket found;
    for (const double factor : way) {
        found.changes = factor;
        if (changes(parameter, factor, plans)) {
            return located(parameter, found, plans);
        }
        found.stays = factor;
    }
    return std::nullopt;
}

bool CrossoverCache::cannot_cross(const AdjustableParameter& parameter, double factor) {
    const bool worse = (factor > 1) != parameter.parameter.more_is_better;
    const std::optional<Seconds> then = worse ? time(parameter, factor, known_.front()) : std::nullopt;
    return then && std::all_of(known_.begin(), known_.end(), [&](const Known& known) {
               return !known.now || *then <= (1 + kEqualTime) * *known.now;
           });
}

std::optional<step::Prediction> CrossoverCache::best_at(const AdjustableParameter& parameter, double factor) {
    const Conditions& conditions = conditions_at(parameter, factor);
    std::vector<step::Prediction> others;
    Seconds fastest = Seconds::of_base(std::numeric_limits<double>::infinity());
    for (Known& known : known_) {
        if (!is_ours(known.plan()) && time(parameter, factor, known)) {
            others.push_back(*fitting(conditions, known));
            fastest = min(fastest, others.back().step.value);
        }
    }
    std::erase_if(others, [&](const step::Prediction& p) { return p.step.value > (1 + kEqualTime) * fastest; });
    const auto order = [&](const step::Prediction& p) {
        return std::pair(simplicity(p, conditions.cluster.fast_domain(), conditions.reserve), p.step.value);
    };
    const auto simplest = std::min_element(others.begin(), others.end(),
                                           [&](const auto& a, const auto& b) { return order(a) < order(b); });
    return simplest == others.end() ? std::nullopt : std::optional(std::move(*simplest));
}

}  // namespace dodona::search
