#include "search/layer_search.hpp"

#include <algorithm>
#include <chrono>

#include "search/layer_rules.hpp"
#include "search/layer_settings.hpp"
#include "search/ranking.hpp"
#include "search/space.hpp"
#include "search/uneven_cuts.hpp"
#include "step/evaluate.hpp"
#include "step/validate.hpp"

namespace dodona::search {

using plan::Plan;
using step::Prediction;

namespace {

/// Sums of layer costs and the evaluation of a whole plan differ by this much at most: choices that are slower than the
/// best known plan by more are not searched for.
constexpr double kSlack = 1.05;
/// Assignments of each frontier that are evaluated as whole plans.
constexpr std::size_t kCandidates = 6;
/// No more are evaluated once so many fit.
constexpr std::size_t kFitting = 3;
/// Frontiers with ever tighter limits of transient memory, which is a maximum and not a sum.
constexpr int kTightenings = 5;
/// If sums may take this share of the free memory, a tighter limit of transient memory frees hardly more.
constexpr double kMostlyFree = 0.8;
/// States of a frontier and partial assignments of each that are kept: for a first bound, ...
constexpr std::size_t kFewStates = 200;
constexpr std::size_t kFewPartials = 4;
/// ... where time alone counts, ...
constexpr std::size_t kManyStates = 5'000;
constexpr std::size_t kManyPartials = 12;
/// ... and where memory is short, so that more partial assignments of a state are worth keeping.
constexpr std::size_t kShortMemoryStates = 3'000;
constexpr std::size_t kShortMemoryPartials = 16;

class LayerSearch {
public:
    LayerSearch(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                const Progress& progress)
        : graph_(graph), cluster_(cluster), space_(space), progress_(progress) {}

    Answer run() {
        Space named = space_;
        named.top = std::max<std::size_t>(space_.top, 8);
        answer_ = search(graph_, cluster_, named, progress_);
        const auto start = std::chrono::steady_clock::now();
        std::vector<Prediction>& plans = answer_.plans;
        if (space_.devices > 1) {
            look_at(layer_settings(space_, plans));
        }
        if (best_) {
            insert(plans);
        }
        plans.resize(std::min(plans.size(), space_.top));
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        answer_.counts.seconds += elapsed.count();
        answer_.counts.optimal = answer_.counts.optimal && counts_.cut == 0;
        answer_.layers = counts_;
        return std::move(answer_);
    }

private:
    void look_at(const std::vector<Setting>& settings) {
        std::int64_t seen = 0;
        for (const Setting& setting : settings) {
            if (progress_ && !progress_(seen++, static_cast<std::int64_t>(settings.size()))) {
                answer_.counts.optimal = false;
                return;
            }
            if (setting.passes > 1) {
                try_setting(setting);
            } else {
                try_passes(setting);
            }
        }
    }

    /// Result of one setting.
    enum class Outcome { fits, too_large, too_slow };

    /// Tries one micro-batch of the whole batch first, then more and smaller ones, until two in a row bring nothing
    /// faster. More micro-batches never take less time, so fewer come first.
    void try_passes(Setting setting) {
        int without_gain = 0;
        for (const std::int64_t passes : divisors(space_.batch)) {
            setting.passes = passes;
            const std::optional<Seconds> before = fastest();
            const Outcome outcome = try_setting(setting);
            const bool better = fastest() != before;
            without_gain = outcome == Outcome::fits && !better ? without_gain + 1 : 0;
            if (outcome == Outcome::too_slow || (outcome == Outcome::fits && passes == 1) || without_gain == 2) {
                return;
            }
        }
    }

    Outcome try_setting(const Setting& setting) {
        ++counts_.settings;
        const NetworkChoices network(graph_, cluster_, setting);
        const bool all_may = std::all_of(network.choices().variables.begin(), network.choices().variables.end(),
                                         [](const std::vector<Choice>& choices) { return !choices.empty(); });
        if (!all_may) {
            return Outcome::too_large;
        }
        FrontierLimits limits;
        limits.weighs_memory = false;
        if (const auto known = fastest()) {
            limits.time = kSlack * *known;
        }
        Tried tried = try_frontier(network, setting, limits);
        if (tried.fits || !tried.shortfall) {
            return tried.fits ? Outcome::fits : Outcome::too_slow;
        }
        Shortfall shortfall = *tried.shortfall;
        limits.weighs_memory = true;
        for (int i = 0; i < kTightenings; ++i) {
            limits.peak = i == 0 ? shortfall.peak : 0.5 * min(limits.peak, shortfall.peak);
            limits.memory = shortfall.free - limits.peak;
            tried = try_frontier(network, setting, limits);
            if (tried.fits) {
                return Outcome::fits;
            }
            if (!tried.shortfall && limits.memory > kMostlyFree * shortfall.free) {
                break;
            }
            shortfall = tried.shortfall.value_or(shortfall);
        }
        return Outcome::too_large;
    }

    /// Of a plan that does not fit: the memory left for sums and transient memory together, and the transient part.
    struct Shortfall {
        Bytes free;
        Bytes peak;
    };

    /// Result of one frontier.
    struct Tried {
        bool fits = false;
        std::optional<Shortfall> shortfall;  ///< of the plan that needs least memory, where none fits
    };

    /// Evaluates the best assignments of a frontier as plans.
    Tried try_frontier(const NetworkChoices& network, const Setting& setting, const FrontierLimits& limits) {
        Tried tried;
        Bytes least;
        const Frontier frontier = frontier_of(network, limits);
        for (std::size_t i = 0; i < std::min(frontier.assigned.size(), kCandidates); ++i) {
            const Assigned& assigned = frontier.assigned[i];
            std::optional<Prediction> prediction = evaluate(network, setting, assigned.choices);
            if (!prediction) {
                continue;
            }
            if (prediction->fits) {
                keep(std::move(*prediction));
                tried.fits = true;
                if (i + 1 >= kFitting) {
                    break;
                }
                continue;
            }
            const Bytes needs = prediction->memory.total();
            if (!tried.shortfall || needs < least) {
                least = needs;
                const Bytes peak = prediction->memory[step::MemoryPart::workspace];
                const Bytes limit = (1 - space_.reserve) * prediction->memory_limit;
                tried.shortfall = {.free = limit - (needs - assigned.costs.memory - peak), .peak = peak};
            }
        }
        return tried;
    }

    /// Where time alone counts, a frontier of few states comes first: its result bounds the time of the next.
    Frontier frontier_of(const NetworkChoices& network, FrontierLimits limits) {
        limits.states = limits.weighs_memory ? kShortMemoryStates : kFewStates;
        limits.partials = limits.weighs_memory ? kShortMemoryPartials : kFewPartials;
        Frontier quick = assign_choices(network.choices(), limits);
        counts_.states += quick.states;
        if (quick.complete || limits.weighs_memory) {
            counts_.cut += quick.complete ? 0 : 1;
            return quick;
        }
        if (!quick.assigned.empty()) {
            limits.time = min(limits.time, quick.assigned.front().costs.time());
        }
        limits.states = kManyStates;
        limits.partials = kManyPartials;
        Frontier wide = assign_choices(network.choices(), limits);
        counts_.states += wide.states;
        counts_.cut += wide.complete ? 0 : 1;
        return wide.assigned.empty() ? quick : wide;
    }

    /// The better plan of the strategy with a rule for every layer and the terse one.
    std::optional<Prediction> evaluate(const NetworkChoices& network, const Setting& setting,
                                       const std::vector<int>& choices) {
        std::optional<Prediction> best;
        for (const plan::Strategy& strategy : {terse_strategy_of(graph_, setting, network.layers(), choices),
                                               strategy_of(graph_, setting, network.layers(), choices)}) {
            Plan plan = setting.base;
            plan.strategy = strategy;
            const std::int64_t ranks = step::data_ranks(plan);
            if (setting.samples() % ranks != 0) {
                continue;
            }
            plan.microbatch = setting.samples() / ranks;
            join_axes(plan);
            const step::CostedGraph costed = step::cost_graph(graph_, cluster_, plan, {});
            take_better(totals(costed, plan), best);
            for (const std::vector<std::int64_t>& cut : uneven_cuts(costed, plan, orders_)) {
                plan.stages = cut;
                take_better(totals(costed, plan), best);
            }
        }
        return best;
    }

    [[nodiscard]] Prediction totals(const step::CostedGraph& costed, const Plan& plan) const {
        return held_to(space_.reserve, step::evaluate(costed, plan, step::Detail::totals, space_.max_memory));
    }

    void take_better(Prediction prediction, std::optional<Prediction>& best) {
        ++answer_.counts.configurations;
        ++answer_.counts.evaluated;
        if (plan::tightest_broken(prediction.limits) != nullptr) {
            return;
        }
        const bool better =
            !best || (prediction.fits != best->fits ? prediction.fits : prediction.step.value < best->step.value);
        if (better) {
            best = std::move(prediction);
        }
    }

    void keep(Prediction prediction) {
        if (!best_ || prediction.step.value < best_->step.value) {
            best_ = std::move(prediction);
        }
    }

    [[nodiscard]] std::optional<Seconds> fastest() const {
        std::optional<Seconds> time;
        if (!answer_.plans.empty()) {
            time = answer_.plans.front().step.value;
        }
        if (best_ && (!time || best_->step.value < *time)) {
            time = best_->step.value;
        }
        return time;
    }

    /// Inserts the plan found. A named strategy that is equally fast comes before it.
    void insert(std::vector<Prediction>& plans) const {
        const Seconds time = best_->step.value;
        const auto same = std::find_if(plans.begin(), plans.end(), [&](const Prediction& plan) {
            return plan.step.value == time && plan.memory.total() == best_->memory.total();
        });
        if (same != plans.end()) {
            return;  // a named strategy describes the same plan
        }
        const Plan& plan = best_->plan;
        Prediction full =
            step::evaluate(step::cost_graph(graph_, cluster_, plan, {}), plan, step::Detail::full, space_.max_memory);
        plans.push_back(std::move(full));
        order(plans, cluster_.fast_domain(), space_.reserve);
    }

    const graph::Graph& graph_;
    const cluster::Cluster& cluster_;
    const Space& space_;
    const Progress& progress_;
    step::ScheduleTimings orders_;
    Answer answer_;
    LayerCounts counts_;
    std::optional<Prediction> best_;
};

}  // namespace

Answer search_layers(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                     const Progress& progress) {
    return LayerSearch(graph, cluster, space, progress).run();
}

}  // namespace dodona::search
