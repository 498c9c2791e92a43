#include <algorithm>
#include <tuple>
#include <utility>

#include "base/ranges.hpp"
#include "play/simulated_step.hpp"
#include "questions/plans/plans.hpp"
#include "questions/plans/remedies.hpp"
#include "search/batches.hpp"
#include "search/crossover_search.hpp"
#include "search/layer_search.hpp"
#include "search/ranking.hpp"
#include "search/sensitivity.hpp"
#include "tables/step_time.hpp"

namespace dodona::questions::plans {

namespace {

constexpr std::size_t kPlansToExchange = 24;  ///< that exchanges are tried on
constexpr std::size_t kPlansToPack = 32;      ///< that are ranked with samples of different lengths

/// Simulates the first plans and ranks them again; of those that are equally fast as the fastest the one that was first stays
/// first. A plan that is not simulated when the user stops keeps its rank, after those that are.
void rank_by_simulation(const Question& question, const Progress& progress, search::Answer& found) {
    std::vector<Seconds> times;
    while (times.size() < std::min(question.simulated, found.plans.size()) && progress.continues()) {
        times.push_back(
            play::simulate_step(question.workload.graph, question.workload.cluster, found.plans[times.size()].plan)
                .time());
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
    found.other_batches =
        search::better_batches(question.workload.graph, question.workload.cluster, question.space, found, proceed);
    if (found.plans.empty()) {
        const Bytes least = found.nearest.empty() ? Bytes{} : found.nearest.front().memory.total();
        found.remedies = search::remedies(relaxation_sequences(question, least), proceed);
    }
}

/// Plans by their tokens a second with samples of different lengths, the equally fast in the order of the search. A plan that
/// was not reached when the user stopped is left out.
std::vector<reports::PlanLengths> ranked_by_lengths(const Question& question, const Progress& progress,
                                                    const std::vector<step::Prediction>& plans) {
    std::vector<reports::PlanLengths> looked_at;
    std::vector<Seconds> of_a_token;
    LengthAnswers lengths(question.lengths, question.workload);
    for (const step::Prediction& plan : plans) {
        if (!looked_at.empty() && !progress.continues()) {
            break;
        }
        looked_at.push_back({.plan = plan, .even_rank = looked_at.size() + 1, .lengths = lengths.of(plan.plan)});
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
        const auto replicas = exchange::find_replicas(question.workload.graph, question.workload.cluster, plan);
        if (!replicas) {
            ++found.without;
            continue;
        }
        for (const exchange::Exchange& one : question.exchanges) {
            found.choices.push_back(
                {rank, &plan, exchange::replica_exchange(one, question.workload.cluster, *replicas, plan.plan.batch)});
        }
    }
    stable_sort(found.choices, [](const auto& a, const auto& b) { return a.step() < b.step(); });
    return found;
}

search::Question in_words(const Question& question, const search::Answer& found) {
    search::Question words{.model = question.workload.subject.model,
                           .machine = question.workload.subject.machine,
                           .devices = question.space.devices,
                           .batch = question.space.batch,
                           .precision = question.space.precision,
                           .model_source = question.workload.graph.source,
                           .machine_source = question.workload.cluster.source,
                           .parameters = graph::count(question.workload.graph).parameters,
                           .settings = question.settings};
    append(words.strategies, question.space.strategies, &plan::Strategy::name);
    if (found.layers) {
        words.strategies.emplace_back(search::kByLayers);
    }
    return words;
}

/// The listed plans with an exchange in the place of their own; none where nothing fits.
std::optional<WithExchange> with_exchange(const Question& question, const std::vector<step::Prediction>& plans) {
    if (!question.exchange || plans.empty()) {
        return std::nullopt;
    }
    WithExchange with{.name = question.exchange->name, .of_plans = {}};
    for (const step::Prediction& plan : plans) {
        const auto replicas = exchange::find_replicas(question.workload.graph, question.workload.cluster, plan);
        with.of_plans.push_back(replicas
                                    ? std::optional(exchange::replica_exchange(
                                          *question.exchange, question.workload.cluster, *replicas, plan.plan.batch))
                                    : std::nullopt);
    }
    return with;
}

/// Embedding tables placed one by one; none of a network without tables.
std::optional<reports::PlacedTables> placed_tables(const Question& question) {
    const search::Space& space = question.space;
    if (!question.table_optimizer || dodona::tables::tables_of(question.workload.graph).empty()) {
        return std::nullopt;
    }
    return reports::PlacedTables{
        .devices = space.devices,
        .batch = space.batch,
        .placed = dodona::tables::predict({.graph = question.workload.graph,
                                           .cluster = question.workload.cluster,
                                           .devices = space.devices,
                                           .batch = space.batch,
                                           .precision = space.precision,
                                           .format = {.moments = plan::optimizer(*question.table_optimizer).table}})};
}

/// Ranked as all says that was asked of them, and explained.
void look_closer(const Question& question, const Progress& progress, Answer& answer) {
    search::Answer& found = answer.found;
    list_other_software(found);
    if (question.exchange_kinds) {
        answer.exchanged = found.plans;
        answer.by_exchange = search_exchanges(question, answer.exchanged);
    }
    if (question.explains && progress.continues()) {
        const search::Searcher again = question.by_layers ? search::search_layers : nullptr;
        found.explanation = search::explain({question.workload.graph, question.workload.cluster, question.space, again},
                                            found, progress.changes);
    }
    if (!question.lengths.file.empty()) {
        answer.by_lengths = ranked_by_lengths(question, progress, found.plans);
    }
    found.plans.resize(std::min(found.plans.size(), question.shown));
}

}  // namespace

std::size_t plans_to_rank(const Question& question) {
    const bool competes = question.explains || !question.observed.runs.empty();
    return std::max({question.shown, competes ? search::kCompetitors : 0,
                     question.exchange_kinds ? kPlansToExchange : 0, question.lengths.file.empty() ? 0 : kPlansToPack});
}

Answer ask(const Question& question, const Progress& progress) {
    const auto& [graph, cluster, space] = std::tie(question.workload.graph, question.workload.cluster, question.space);
    Answer answer{.found = question.by_layers ? search::search_layers(graph, cluster, space, progress.meshes)
                                              : search::search(graph, cluster, space, progress.meshes),
                  .saved = question.save_to,
                  .shown = question.shown};
    search::Answer& found = answer.found;
    if (!question.observed.runs.empty()) {
        found =
            ranked_as_observed(question.workload, question.observed.software, question.observed.runs, std::move(found));
    }
    found.question = in_words(question, found);
    look_beyond(question, progress, found);
    rank_by_simulation(question, progress, found);
    if (!found.plans.empty()) {
        look_closer(question, progress, answer);
    }
    if (question.why_not) {
        answer.why_not = {.asked = question.why_not->asked,
                          .of_that_kind = search::search(graph, cluster, question.why_not->space, progress.meshes)};
    }
    answer.with_exchange = with_exchange(question, found.plans);
    answer.tables = placed_tables(question);
    return answer;
}

}  // namespace dodona::questions::plans
