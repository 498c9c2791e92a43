#include "search/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "search/crossover_search.hpp"

namespace dodona::search {

namespace {

/// Parameters of the software to which the time reacts less than this are not listed: 0.01 % for a doubling.
constexpr double kUnmoved = 1e-4;
/// Plans of the answer that are asked so.
constexpr std::size_t kReacting = 12;

struct Reaction {
    AdjustableParameter parameter;
    Sensitivity sensitivity;
};

double elasticity(const ShardedPlan& plan, const Conditions& conditions, const AdjustableParameter& parameter,
                  PassCostsByCondition& shared) {
    const auto at = [&](double factor) { return predicted(plan, parameter.adjusted(conditions, factor), shared); };
    double below = parameter.below;
    double above = parameter.above;
    auto less = at(below);
    auto more = at(above);
    if (!less) {
        below = 1;
        less = at(1);
    }
    if (!more) {
        above = 1;
        more = at(1);
    }
    if (!less || !more || below == above || less->step.value <= Seconds{} || more->step.value <= Seconds{}) {
        return 0;
    }
    const double batch = static_cast<double>(more->plan.batch) / static_cast<double>(less->plan.batch);
    return std::log(more->step.value / less->step.value / batch) / std::log(above / below);
}

/// The parameters that are listed, the largest |elasticity| of the first plan first.
std::vector<Reaction> reactions(const graph::Graph& graph, const Conditions& conditions,
                                const std::vector<const plan::Plan*>& plans, PassCostsByCondition& shared,
                                Explanation& explanation) {
    std::vector<ShardedPlan> sharded;
    for (const plan::Plan* plan : plans) {
        sharded.emplace_back(graph, *plan);
    }
    std::vector<Reaction> found;
    for (AdjustableParameter& parameter : adjustable_parameters(conditions, graph, *plans.front())) {
        const double own = elasticity(sharded.front(), conditions, parameter, shared);
        const bool moves = parameter.parameter.kind != ParameterKind::software || std::abs(own) >= kUnmoved ||
                           std::any_of(sharded.begin() + 1, sharded.end(), [&](const ShardedPlan& plan) {
                               return std::abs(elasticity(plan, conditions, parameter, shared)) >= kUnmoved;
                           });
        if (!moves) {
            ++explanation.insensitive_omitted;
            continue;
        }
        Sensitivity sensitivity{.parameter = parameter.parameter, .elasticity = own, .less = {}, .more = {}};
        found.push_back({std::move(parameter), std::move(sensitivity)});
    }
    std::stable_sort(found.begin(), found.end(), [](const Reaction& a, const Reaction& b) {
        return std::abs(a.sensitivity.elasticity) > std::abs(b.sensitivity.elasticity);
    });
    return found;
}

void look_at_memory(CrossoverSearch& crossovers, const std::vector<Reaction>& all, MemoryMargin& margin) {
    const auto memory =
        find_if(all, [](const Reaction& reaction) { return reaction.sensitivity.parameter.key == "memory"; });
    check(memory != all.end(), "every device has memory");
    CrossoverSearch::Recommended there = crossovers.searched(memory->parameter, crossovers.too_little_memory());
    margin.searched = there.searched;
    margin.without = std::move(there.plan);
}

/// Memory first, then what else is searched, then what is compared among the plans that were found.
std::vector<Reaction*> in_order_of_work(std::vector<Reaction>& all) {
    std::vector<Reaction*> order;
    for (Reaction& reaction : all) {
        order.push_back(&reaction);
    }
    const auto turn = [](const AdjustableParameter& parameter) {
        return parameter.by_steps ? 0 : is_searched(parameter) ? 1 : 2;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const Reaction* a, const Reaction* b) { return turn(a->parameter) < turn(b->parameter); });
    return order;
}

/// Marks a crossover to a plan that is tied with the recommended one at the present value.
void mark_tie(const std::vector<step::Prediction>& plans, Direction& direction) {
    if (direction.crossover && direction.crossover->to) {
        const auto* listed = found_in(
            plans, [&](const step::Prediction& plan) { return same_layout(plan.plan, direction.crossover->to->plan); });
        direction.crossover->tied = listed != nullptr && tied(plans.front(), *listed);
    }
}

}  // namespace

Explanation sensitivity(const graph::Graph& graph, const cluster::Cluster& cluster,
                        const step::Prediction& prediction) {
    const Conditions conditions{.cluster = cluster,
                                .software = {},
                                .batch = prediction.plan.batch,
                                .max_memory = std::nullopt,
                                .offloads = prediction.plan.offload.any()};
    Explanation explanation;
    const plan::Plan& plan = prediction.plan;
    PassCostsByCondition shared(graph, {.precision = plan.precision, .gradient_precision = plan.gradient_precision},
                                true);
    for (Reaction& reaction : reactions(graph, conditions, {&prediction.plan}, shared, explanation)) {
        explanation.parameters.push_back(std::move(reaction.sensitivity));
    }
    explanation.memory.left = prediction.memory_limit - prediction.memory.total();
    return explanation;
}

Explanation explain(const Inquiry& asked, const Answer& whole, const Progress& progress) {
    Explanation explanation;
    explanation.crossovers_searched = true;
    check(!whole.plans.empty(), "what is explained is a recommendation");
    // Two pieces of software differ by more than any parameter says: the question is asked in that of the first plan, and
    // of plans within what it was fitted to if that is.
    Answer answer = whole;
    Space space = asked.space;
    space.only_fitted = !whole.plans.front().plan.is_beyond_fit(whole.domain);
    std::erase_if(answer.plans, [&](const step::Prediction& plan) {
        return !same_software(plan.plan, whole.plans.front().plan) ||
               (space.only_fitted && plan.plan.is_beyond_fit(whole.domain));
    });
    std::erase_if(space.software, [&](const Software& software) {
        return software.framework.label() != whole.plans.front().plan.framework.label();
    });
    const Inquiry inquiry{asked.graph, asked.cluster, space, asked.searcher};
    const Conditions conditions{.cluster = inquiry.cluster,
                                .software = {},
                                .batch = space.batch,
                                .max_memory = space.max_memory,
                                .reserve = space.reserve,
                                .offloads = space.offload.any() || space.vary.offload};
    const step::Prediction& first = answer.plans.front();
    explanation.memory.left = (1 - space.reserve) * first.memory_limit - first.memory.total();
    std::vector<const plan::Plan*> plans;
    for (std::size_t i = 0; i < std::min(answer.plans.size(), kReacting); ++i) {
        plans.push_back(&answer.plans[i].plan);
    }
    PassCostsByCondition shared(inquiry.graph, space, true);
    std::vector<Reaction> all = reactions(inquiry.graph, conditions, plans, shared, explanation);
    std::int64_t done = 0;
    const auto directions = static_cast<std::int64_t>(2 * all.size() + 1);
    const auto go_on = [&] { return !progress || progress(done, directions); };
    CrossoverSearch crossovers(inquiry, conditions, answer.plans, shared, go_on);
    look_at_memory(crossovers, all, explanation.memory);
    for (Reaction* reaction : in_order_of_work(all)) {
        for (const bool up : {false, true}) {
            ++done;
            if (go_on()) {
                Direction& direction = up ? reaction->sensitivity.more : reaction->sensitivity.less;
                direction = crossovers.look(reaction->parameter, up);
                mark_tie(answer.plans, direction);
            }
        }
    }
    for (Reaction& reaction : all) {
        explanation.parameters.push_back(std::move(reaction.sensitivity));
    }
    explanation.complete = go_on();
    explanation.searches = crossovers.searches();
    return explanation;
}

}  // namespace dodona::search
