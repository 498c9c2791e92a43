#include <algorithm>
#include <tuple>
#include <utility>

#include "play/simulated_step.hpp"
#include "questions/plans/plans.hpp"
#include "search/batches.hpp"
#include "search/crossover_search.hpp"
#include "search/layer_search.hpp"
#include "search/ranking.hpp"
#include "search/sensitivity.hpp"

namespace dodona::questions::plans {

namespace {

/// Simulates the first plans and ranks them again; of those that are equally fast as the fastest the one that was first stays
/// first. A plan that is not simulated when the user stops keeps its rank, after those that are.
void rank_by_simulation(const Question& question, const Progress& progress, search::Answer& found) {
    std::vector<Seconds> times;
    while (times.size() < std::min(question.simulated, found.plans.size()) && progress.continues()) {
        times.push_back(play::simulate_step(question.graph, question.cluster, found.plans[times.size()].plan).time());
    }
    const std::vector<step::Prediction> before = found.plans;
    for (const std::size_t place : search::ranked_again(times)) {
        found.plans[found.played.size()] = before[place];
        found.played.push_back(times[place]);
    }
}

/// Other batches that divide better; where nothing fits, changes under which something does.
void look_beyond(const Question& question, const Progress& progress, search::Answer& found) {
    if (!progress.continues()) {
        return;
    }
    const search::Progress proceed = [&](std::int64_t, std::int64_t) { return progress.continues(); };
    found.other_batches = search::better_batches(question.graph, question.cluster, question.space, found, proceed);
    if (found.plans.empty() && question.changes) {
        const Bytes least = found.nearest.empty() ? Bytes{} : found.nearest.front().memory.total();
        found.remedies = search::remedies(question.changes(least), proceed);
    }
}

/// Plans by their tokens a second with samples of different lengths, the equally fast in the order of the search. A plan that
/// was not reached when the user stopped is left out.
std::vector<reports::PlanLengths> ranked_by_lengths(const Question& question, const Progress& progress,
                                                    const std::vector<step::Prediction>& plans) {
    std::vector<reports::PlanLengths> looked_at;
    std::vector<Seconds> of_a_token;
    for (const step::Prediction& plan : plans) {
        if (!looked_at.empty() && !progress.continues()) {
            break;
        }
        looked_at.push_back({.plan = plan, .even_rank = looked_at.size() + 1, .lengths = question.lengths(plan.plan)});
        of_a_token.push_back(Seconds::of_base(1 / looked_at.back().tokens_per_second()));
    }
    std::vector<reports::PlanLengths> ranked;
    for (const std::size_t place : search::ranked_again(of_a_token)) {
        ranked.push_back(std::move(looked_at[place]));
    }
    return ranked;
}

/// Each plan with each exchange that is tried, the fastest first. The plans outlive it.
reports::ExchangeSearch search_exchanges(const Question& question, const std::vector<step::Prediction>& plans) {
    reports::ExchangeSearch found{.kinds = *question.exchange_kinds};
    for (std::size_t rank = 0; rank < plans.size(); ++rank) {
        const step::Prediction& plan = plans[rank];
        found.choices.push_back({.rank = rank, .plan = &plan, .made = {}});
        const auto replicas = exchange::find_replicas(question.graph, question.cluster, plan);
        if (!replicas) {
            ++found.without;
            continue;
        }
        for (const exchange::Exchange& one : question.exchanges) {
            found.choices.push_back(
                {rank, &plan, exchange::replica_exchange(one, question.cluster, *replicas, plan.plan.batch)});
        }
    }
    std::stable_sort(found.choices.begin(), found.choices.end(),
                     [](const auto& a, const auto& b) { return a.step() < b.step(); });
    return found;
}

search::Question in_words(const Question& question, const search::Answer& found) {
    search::Question words{.model = question.subject.model,
                           .machine = question.subject.machine,
                           .devices = question.space.devices,
                           .batch = question.space.batch,
                           .precision = question.space.precision,
                           .model_source = question.graph.source,
                           .machine_source = question.cluster.source,
                           .parameters = graph::count(question.graph).parameters,
                           .settings = question.settings};
    for (const plan::Strategy& strategy : question.space.strategies) {
        words.strategies.push_back(strategy.name);
    }
    if (found.layers) {
        words.strategies.emplace_back(search::kByLayers);
    }
    return words;
}

}  // namespace

Answer ask(const Question& question, const Progress& progress) {
    const auto& [graph, cluster, space] = std::tie(question.graph, question.cluster, question.space);
    Answer answer{.found = question.by_layers ? search::search_layers(graph, cluster, space, progress.meshes)
                                              : search::search(graph, cluster, space, progress.meshes),
                  .saved = question.save_to,
                  .shown = question.shown};
    search::Answer& found = answer.found;
    if (question.as_observed) {
        question.as_observed(found);
    }
    found.question = in_words(question, found);
    look_beyond(question, progress, found);
    rank_by_simulation(question, progress, found);
    if (found.plans.empty()) {
        return answer;
    }
    list_other_software(found);
    if (question.exchange_kinds) {
        answer.exchanged = found.plans;
        answer.by_exchange = search_exchanges(question, answer.exchanged);
    }
    if (question.explains && progress.continues()) {
        const search::Searcher again = question.by_layers ? search::search_layers : nullptr;
        found.explanation = search::explain({graph, cluster, space, again}, found, progress.changes);
    }
    if (question.lengths) {
        answer.by_lengths = ranked_by_lengths(question, progress, found.plans);
    }
    found.plans.resize(std::min(found.plans.size(), question.shown));
    return answer;
}

}  // namespace dodona::questions::plans
