#include "search/search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <tuple>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "search/common_practice.hpp"
#include "search/mesh_search.hpp"
#include "search/ranking.hpp"
#include "step/evaluate.hpp"
#include "step/validate.hpp"

namespace dodona::search {

using plan::Plan;
using step::Prediction;

namespace {

/// Layouts that may share tables, as indices of the enumeration.
using Batch = std::vector<std::size_t>;

/// By strategy, and by cause within each.
using GroupsByStrategy = std::map<std::pair<std::size_t, step::InfeasibleCause>, InfeasibleGroup>;

bool is_faster(const Candidate& a, const Candidate& b) { return a.step < b.step; }

class Search {
public:
    Search(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space, const SoftwarePasses& passes,
           const Progress& progress)
        : context_(graph, cluster, space),
          passes_(passes.by_software),
          orders_(*passes.orders),
          shards_(passes_.front()->shards()),
          progress_(progress) {
        check(passes_.size() == space.software.size(), "each software has its passes");
    }

    Answer run() {
        const auto start = std::chrono::steady_clock::now();
        enumerate_layouts();
        answer_.counts.unusual = enumeration_.unusual;
        answer_.reserve = context_.space.reserve;
        answer_.domain = context_.cluster.fast_domain();
        const std::vector<Batch> all = batches();
        if (context_.space.best_only && bounds_times()) {
            search_within(all, least_by_compute(all));
            answer_.counts.optimal = !stopped_ && enumeration_.complete;
        } else {
            search_all(all);
        }
        if (!context_.space.best_only || candidates().empty()) {
            find_least_memory();
        }
        collect();
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        answer_.counts.seconds = elapsed.count();
        return std::move(answer_);
    }

private:
    void enumerate_layouts() {
        Diagnostics faults;
        step::check_devices(context_.cluster, context_.space.devices, context_.space.precision, {}, faults);
        faults.throw_if_errors();
        enumeration_ = enumerate(context_.graph, context_.cluster, context_.space);
        results_.resize(enumeration_.layouts.size());
    }

    [[nodiscard]] bool from_tables() const {
        return !context_.space.exhaustive && context_.cluster.device_kinds(context_.space.devices).size() == 1;
    }

    [[nodiscard]] std::vector<Batch> batches() const {
        std::vector<Batch> batches;
        std::map<std::tuple<std::size_t, std::size_t, MeshKey>, std::size_t> known;
        std::size_t strategy = context_.space.strategies.size();
        Plan plan;  // its software does not matter
        for (std::size_t i = 0; i < enumeration_.layouts.size(); ++i) {
            const MeshLayout& layout = enumeration_.layouts[i];
            if (!from_tables()) {
                batches.push_back({i});
                continue;
            }
            if (layout.strategy != strategy) {
                strategy = layout.strategy;
                plan = plan_of(context_.space, layout);
            }
            layout.apply(plan);
            plan.shard_group = 0;
            const plan::Mesh mesh(plan, {});
            MeshKey key = mesh_key(plan, mesh, communication_free_candidates(plan, mesh));
            const auto [found, fresh] =
                known.emplace(std::tuple(strategy, layout.software, std::move(key)), batches.size());
            if (fresh) {
                batches.emplace_back();
            }
            batches[found->second].push_back(i);
        }
        return batches;
    }

    void search_all(const std::vector<Batch>& batches) {
        parallel_for(batches.size(), context_.space.workers, [&](std::size_t i) { search_batch(batches[i]); });
        cut_otherwise();
        answer_.counts.optimal = !stopped_ && enumeration_.complete;
    }

    [[nodiscard]] PassTables pass_tables(std::size_t software) const {
        return PassTables(context_.graph, context_.cluster, orders_, passes_[software]->times(), shards_);
    }

    void search_batch(const Batch& batch) {
        const MeshLayout& first = enumeration_.layouts[batch.front()];
        PassTables passes = pass_tables(first.software);
        Plan plan = plan_of(context_.space, first);
        for (const std::size_t i : batch) {
            if (stopped_) {
                return;
            }
            const MeshLayout& layout = enumeration_.layouts[i];
            results_[i] = from_tables() ? search_mesh(context_, layout, i, plan, passes, {.cuts = Cuts::balanced})
                                        : search_mesh_exhaustively(context_, layout, i, plan);
            report(done_.fetch_add(1) + 1);
        }
    }

    /// Layouts by their bounds, until none that is left can be of interest.
    void search_within(const std::vector<Batch>& batches, const LeastTimes& bounds) {
        struct Open {
            Seconds least;
            std::size_t layout = 0;
            PassTables* passes = nullptr;  ///< of its batch
        };
        std::list<PassTables> tables;
        std::vector<Open> order;
        for (const Batch& batch : batches) {
            tables.push_back(pass_tables(enumeration_.layouts[batch.front()].software));
            for (const std::size_t i : batch) {
                order.push_back({bounds[i].least(), i, &tables.back()});
            }
        }
        std::stable_sort(order.begin(), order.end(), [](const Open& a, const Open& b) { return a.least < b.least; });
        std::vector<Interest> by_software(context_.space.software.size());
        std::map<std::pair<std::size_t, std::size_t>, Plan> plans;  ///< by strategy and software
        for (const Open& open : order) {
            const MeshLayout& layout = enumeration_.layouts[open.layout];
            Interest& interest = by_software[layout.software];
            TimeBounds time = interest.bounds();
            if (stopped_ || open.least > time.slowest_fitted) {
                continue;
            }
            time.least = &bounds[open.layout];
            const auto [known, is_new] = plans.try_emplace({layout.strategy, layout.software});
            Plan& plan = known->second;
            if (is_new) {
                plan = plan_of(context_.space, layout);
            }
            results_[open.layout] = search_mesh(context_, layout, open.layout, plan, *open.passes, {.time = time});
            if (!results_[open.layout].kept.empty()) {
                interest = interest_in(layout.software);
            }
            report(done_.fetch_add(1) + 1);
        }
    }

    /// Looks again at layouts that may have plans of interest where pipelines are cut otherwise, by their bounds.
    void cut_otherwise() {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < results_.size(); ++i) {
            if (results_[i].recut) {
                order.push_back(i);
            }
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return *results_[a].recut < *results_[b].recut; });
        std::vector<std::optional<Interest>> by_software(context_.space.software.size());
        for (const std::size_t i : order) {
            const MeshLayout& layout = enumeration_.layouts[i];
            std::optional<Interest>& interest = by_software[layout.software];
            interest = interest ? interest : interest_in(layout.software);
            const TimeBounds time = interest->bounds();
            if (stopped_ || *results_[i].recut > time.slowest_fitted) {
                continue;
            }
            Plan plan = plan_of(context_.space, layout);
            PassTables passes = pass_tables(layout.software);
            results_[i].kept = search_mesh(context_, layout, i, plan, passes, {.time = time}).kept;
            interest.reset();
        }
    }

    /// Whether what devices compute bounds times: measured steps of the whole network replace it.
    [[nodiscard]] bool bounds_times() const {
        const auto& measured = context_.cluster.measured_samples;
        return from_tables() && none_of(measured, [&](const cluster::MeasuredSamples& samples) {
                   return samples.model == context_.graph.name;
               });
    }

    /// The plan of a layout without its mesh; one of the same strategy and software is kept, for strategies are large.
    void start_plan(Plan& plan, const MeshLayout*& last, const MeshLayout& layout) const {
        if (last == nullptr || last->strategy != layout.strategy || last->software != layout.software) {
            plan = plan_of(context_.space, layout);
        }
        last = &layout;
    }

    [[nodiscard]] LeastTimes least_by_compute(const std::vector<Batch>& batches) const {
        LeastTimes least(enumeration_.layouts.size());
        Plan plan;
        const MeshLayout* last = nullptr;
        for (const Batch& batch : batches) {
            const MeshLayout& first = enumeration_.layouts[batch.front()];
            start_plan(plan, last, first);
            for (const std::size_t i : batch) {
                least[i] = least_times(context_, enumeration_.layouts[i], plan, *passes_[first.software]);
            }
        }
        return least;
    }

    /// Times that plans of a software must beat: a plan that does not changes neither which plans are listed nor which of
    /// equally fast ones, nor which is the software's own choice.
    struct Interest {
        Seconds listed = TimeBounds{}.slowest;          ///< as fast as the slowest that would be listed now
        Seconds fastest = TimeBounds{}.slowest;         ///< as fast as the fastest
        Seconds fastest_fitted = TimeBounds{}.slowest;  ///< ... of those within what their software was fitted to

        [[nodiscard]] TimeBounds bounds() const {
            return {.least = nullptr, .slowest = max(listed, fastest), .slowest_fitted = max(listed, fastest_fitted)};
        }
    };

    [[nodiscard]] Interest interest_in(std::size_t software) const {
        constexpr double kRounding = 1 + 1e-6;
        Interest found;
        const std::vector<Candidate> its = candidates_in(software);
        const std::vector<Candidate> listed = ranked(context_.space, enumeration_.layouts, its).plans;
        if (listed.size() == context_.space.top) {
            const Candidate& slowest = *std::max_element(listed.begin(), listed.end(), is_faster);
            found.listed = kRounding * (1 + kEqualTime) * slowest.step;
        }
        for (const Candidate& one : its) {
            const Seconds limit = kRounding * (1 + kEqualTime) * one.step;
            found.fastest = min(found.fastest, limit);
            found.fastest_fitted = one.is_beyond_fit ? found.fastest_fitted : min(found.fastest_fitted, limit);
        }
        return found;
    }

    void report(std::size_t done) {
        const std::unique_lock lock(reporting_, std::try_to_lock);
        if (lock && progress_ &&
            !progress_(static_cast<std::int64_t>(done), static_cast<std::int64_t>(enumeration_.layouts.size()))) {
            stopped_ = true;
        }
    }

    /// Evaluates layouts that a bound has ruled out if one of their plans might need least memory of its strategy: an
    /// answer names that plan.
    void find_least_memory() {
        std::map<std::size_t, Bytes> least;                                      // by strategy
        std::map<std::size_t, std::vector<std::pair<Bytes, std::size_t>>> open;  // by strategy: bound, layout
        const auto note = [&](std::size_t layout) {
            const std::size_t strategy = enumeration_.layouts[layout].strategy;
            for (const InfeasibleGroup& group : results_[layout].infeasible) {
                if (group.least && group.cause == step::InfeasibleCause(step::MemoryPlace::device)) {
                    const auto found = least.emplace(strategy, group.least->memory).first;
                    found->second = min(found->second, group.least->memory);
                }
            }
        };
        for (std::size_t i = 0; i < results_.size(); ++i) {
            note(i);
            if (results_[i].bound) {
                open[enumeration_.layouts[i].strategy].emplace_back(*results_[i].bound, i);
            }
        }
        for (auto& [strategy, layouts] : open) {
            std::sort(layouts.begin(), layouts.end());
            for (const auto& [bound, i] : layouts) {
                if (stopped_ || (least.contains(strategy) && bound > least.at(strategy))) {
                    break;
                }
                const MeshLayout& layout = enumeration_.layouts[i];
                Plan plan = plan_of(context_.space, layout);
                PassTables passes = pass_tables(layout.software);
                results_[i] =
                    search_mesh(context_, layout, i, plan, passes, {.memory = Bounds::ignored, .cuts = Cuts::balanced});
                note(i);
            }
        }
    }

    void collect() {
        GroupsByStrategy groups;
        const auto add = [&](std::size_t strategy, const InfeasibleGroup& group) {
            InfeasibleGroup& known = groups[{strategy, group.cause}];
            known.cause = group.cause;
            known.count += group.count;
            if (group.least && (!known.least || group.least->memory < known.least->memory)) {
                known.least = group.least;
            }
        };
        for (const RefusedMeshes& refused : enumeration_.refused) {
            answer_.counts.configurations += refused.count;
            add(refused.strategy, {refused.cause, refused.count, {}});
        }
        for (std::size_t i = 0; i < results_.size(); ++i) {
            const MeshResult& result = results_[i];
            answer_.counts.configurations += result.configurations;
            answer_.counts.evaluated += result.evaluated;
            answer_.counts.pruned += result.pruned;
            for (const InfeasibleGroup& group : result.infeasible) {
                add(enumeration_.layouts[i].strategy, group);
            }
        }
        list_plans();
        explain(groups);
    }

    /// Plans that fit, of all meshes.
    [[nodiscard]] std::vector<Candidate> candidates() const {
        std::vector<Candidate> candidates;
        for (const MeshResult& result : results_) {
            append(candidates, result.kept, &MeshResult::Kept::candidate);
        }
        return candidates;
    }

    [[nodiscard]] std::vector<Candidate> candidates_in(std::size_t software) const {
        std::vector<Candidate> its = candidates();
        std::erase_if(its, [&](const Candidate& candidate) {
            return enumeration_.layouts[candidate.layout].software != software;
        });
        return its;
    }

    void list_plans() {
        const Ranked best = ranked(context_.space, enumeration_.layouts, candidates());
        answer_.counts.equally_fast = best.equally_fast;
        for (const Candidate& candidate : best.plans) {
            answer_.plans.push_back(predicted(candidate, step::Detail::full));
        }
        if (!answer_.plans.empty()) {
            choose_among_tied();
        }
    }

    /// The plan of one software that is recommended, with how many are as fast, and the fastest of it.
    struct Choice {
        Prediction plan;
        std::int64_t equally_fast = 0;
        Prediction fastest;
    };

    /// Choice among candidates in one software: one within what the software was fitted to, if that stands before the fastest.
    [[nodiscard]] Choice choice_of(std::vector<Candidate> all) const {
        const auto best = [&] {
            const Ranked found = ranked(context_.space, enumeration_.layouts, all);
            const Prediction plan = predicted(found.plans.front(), step::Detail::full);
            return Choice{plan, found.equally_fast, plan};
        };
        Choice fastest = best();
        std::erase_if(all, [](const Candidate& one) { return one.is_beyond_fit; });
        if (all.empty() || !fastest.plan.plan.is_beyond_fit(answer_.domain)) {
            return fastest;
        }
        Choice fitted = best();
        fitted.fastest = fastest.plan;
        return stands_before(fitted.plan, fitted.fastest) ? fitted : fastest;
    }

    /// Whether all plans that fit are of one software, and all or none beyond what it was fitted to.
    [[nodiscard]] bool are_alike() const {
        const std::vector<Candidate> all = candidates();
        return context_.space.software.size() == 1 && std::all_of(all.begin(), all.end(), [&](const Candidate& one) {
                   return one.is_beyond_fit == all.front().is_beyond_fit;
               });
    }

    /// Puts first the choice of the first software, in the order of the space, if that stands before the fastest plan of
    /// all; else that of the fastest.
    void choose_among_tied() {
        if (are_alike()) {
            return;
        }
        std::vector<Choice> choices;
        for (std::size_t software = 0; software < context_.space.software.size(); ++software) {
            if (const std::vector<Candidate> its = candidates_in(software); !its.empty()) {
                choices.push_back(choice_of(its));
            }
        }
        const auto fastest = min_element(
            choices, [](const Choice& a, const Choice& b) { return a.fastest.step.value < b.fastest.step.value; });
        const bool is_first = stands_before(choices.front().plan, fastest->fastest);
        const Choice& choice = is_first ? choices.front() : *fastest;
        std::vector<Prediction>& plans = answer_.plans;
        const auto is_choice = [&](const Prediction& listed) {
            return same_software(listed.plan, choice.plan.plan) && listed.step.value == choice.plan.step.value;
        };
        if (!is_choice(plans.front())) {
            std::erase_if(plans, is_choice);
            plans.insert(plans.begin(), choice.plan);
            plans.resize(std::min(plans.size(), context_.space.top));
            answer_.counts.equally_fast = choice.equally_fast;
        }
        if (!context_.space.best_only) {
            for (Choice& one : choices) {
                answer_.in_other_software.push_back(std::move(one.plan));
            }
            list_other_software(answer_);
        }
    }

    [[nodiscard]] step::CostedGraph costed(const Plan& plan) const {
        plan::Mesh mesh(plan, {});
        plan::SharedShards sharded = shards_of(context_.graph, plan, mesh, shards_);
        const std::vector<Software>& all = context_.space.software;
        const auto runs = std::find_if(all.begin(), all.end(),
                                       [&](const Software& software) { return software.framework == plan.framework; });
        check(runs != all.end(), "a plan of the space is in software of it");
        return step::cost_graph(context_.cluster, plan, std::move(mesh), std::move(sharded),
                                passes_[static_cast<std::size_t>(runs - all.begin())]->times());
    }

    [[nodiscard]] Prediction evaluated(const step::CostedGraph& costed, const Plan& plan, step::Detail detail) const {
        return held_to(context_.space.reserve,
                       step::evaluate(costed, plan, detail, context_.space.max_memory, orders_));
    }

    [[nodiscard]] Prediction predicted(const Candidate& candidate, step::Detail detail) const {
        const Plan plan = plan_of(context_.space, enumeration_.layouts, candidate);
        return evaluated(costed(plan), plan, detail);
    }

    void explain(const GroupsByStrategy& groups) {
        const Candidate* nearest = nullptr;
        for (const auto& [key, group] : groups) {
            Infeasible infeasible{context_.space.strategies[key.first].name, group.cause, group.count, {}};
            if (group.least) {
                infeasible.nearest = NearestPlan{plan_of(context_.space, enumeration_.layouts, *group.least),
                                                 group.least->memory, group.least->limit};
                if (nearest == nullptr || group.least->memory < nearest->memory) {
                    nearest = &*group.least;
                }
            }
            answer_.infeasible.push_back(std::move(infeasible));
        }
        stable_sort(answer_.infeasible, [](const Infeasible& a, const Infeasible& b) {
            return std::tuple(-a.count, a.strategy, text(a.cause)) < std::tuple(-b.count, b.strategy, text(b.cause));
        });
        if (answer_.plans.empty() && nearest != nullptr) {
            answer_.nearest.push_back(predicted(*nearest, step::Detail::full));
        }
    }

    SearchContext context_;
    const std::vector<ComputeTimeBounds*>& passes_;
    step::ScheduleTimings& orders_;
    KnownShards* shards_;
    const Progress& progress_;
    Enumeration enumeration_;
    std::vector<MeshResult> results_;  ///< by layout
    std::atomic<bool> stopped_ = false;
    std::atomic<std::size_t> done_ = 0;
    std::mutex reporting_;
    Answer answer_;
};

}  // namespace

Answer search(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
              const Progress& progress) {
    PassCostsByCondition passes(graph, space, false);
    return search(graph, cluster, space, passes.of(cluster, space), progress);
}

Answer search(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
              const SoftwarePasses& passes, const Progress& progress) {
    Answer answer = Search(graph, cluster, space, passes, progress).run();
    if (!answer.plans.empty() || answer.counts.unusual == 0 || space.vary.unusual || space.only_usual ||
        !answer.counts.optimal) {
        return answer;
    }
    Space all = space;
    all.vary.unusual = true;
    answer = Search(graph, cluster, all, passes, progress).run();
    if (!answer.plans.empty()) {
        const Plan& plan = answer.plans.front().plan;
        answer.unusual = CommonPractice(plan.strategy, graph, cluster.node_size()).faults(plan, Filter(space));
    }
    return answer;
}

}  // namespace dodona::search
