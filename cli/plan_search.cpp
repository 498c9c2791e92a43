#include "cli/plan_search.hpp"

#include <algorithm>

#include "cli/explain.hpp"
#include "cli/interrupt.hpp"
#include "cli/note.hpp"
#include "cli/progress.hpp"
#include "cli/remedies.hpp"
#include "play/simulated_step.hpp"
#include "reports/document/number_format.hpp"
#include "search/batches.hpp"
#include "search/crossover_search.hpp"
#include "search/layer_search.hpp"
#include "search/ranking.hpp"

namespace dodona::cli {

namespace {

constexpr std::size_t kPlansToPack = 32;  ///< that --lengths ranks

bool by_layers(Arguments& arguments) {
    const std::vector<std::string> names = arguments.list("--strategy");
    return std::find(names.begin(), names.end(), search::kByLayers) != names.end();
}

std::vector<std::string> names_of(const std::vector<plan::Strategy>& strategies) {
    std::vector<std::string> names;
    for (const plan::Strategy& strategy : strategies) {
        names.push_back(strategy.name);
    }
    return names;
}

/// Plays the first `count` plans and ranks them anew; of those that are equally fast as the fastest the one that was first
/// stays first. What is not played when the user stops keeps its rank, after those that are.
void rank_by_playing(const Workload& workload, std::size_t count, search::Answer& answer) {
    std::vector<Seconds> times;
    while (times.size() < std::min(count, answer.plans.size()) && !interrupted()) {
        times.push_back(play::simulate_step(workload.graph, workload.cluster, answer.plans[times.size()].plan).time());
    }
    const std::vector<step::Prediction> before = answer.plans;
    for (const std::size_t place : search::ranked_again(times)) {
        answer.plans[answer.played.size()] = before[place];
        answer.played.push_back(times[place]);
    }
}

/// Other batches that divide better; where nothing fits, what would.
void look_beyond(Arguments& arguments, const Workload& workload, const search::Space& space, search::Answer& answer) {
    if (interrupted()) {
        return;
    }
    const search::Progress go_on = [](std::int64_t, std::int64_t) { return !interrupted(); };
    answer.other_batches = search::better_batches(workload.graph, workload.cluster, space, answer, go_on);
    if (answer.plans.empty()) {
        answer.remedies =
            search::remedies(ladders(arguments, workload, space,
                                     answer.nearest.empty() ? Bytes{} : answer.nearest.front().memory.total()),
                             go_on);
    }
}

/// Plans by their tokens a second with samples of different lengths, the equally fast as the search has them.
/// What was not looked at when the user stopped is left out.
std::vector<reports::PlanLengths> ranked_by_lengths(const LengthSettings& settings, const Workload& workload,
                                                    const std::vector<step::Prediction>& plans) {
    LengthAnswers lengths(settings, workload);
    std::vector<reports::PlanLengths> looked_at;
    std::vector<Seconds> of_a_token;
    for (const step::Prediction& plan : plans) {
        if (!looked_at.empty() && interrupted()) {
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

search::Question question_of(const Arguments& arguments, const Workload& workload, const search::Space& space) {
    return {.model = workload.model,
            .machine = workload.machine,
            .devices = space.devices,
            .batch = space.batch,
            .precision = space.precision,
            .strategies = names_of(space.strategies),
            .model_source = workload.graph.source,
            .machine_source = workload.cluster.source,
            .parameters = graph::count(workload.graph).parameters,
            .settings = settings_given(arguments)};
}

}  // namespace

std::size_t plans_to_rank(const PlanRequest& request) {
    const bool competes = request.explains || request.observed.any();
    return std::max({request.shown, competes ? search::kCompetitors : 0, request.exchange_kinds ? kPlansToExchange : 0,
                     request.lengths ? kPlansToPack : 0});
}

/// The search, with progress on a terminal and Ctrl-C.
search::Answer search_with_progress(const Workload& workload, const search::Space& space, bool layers) {
    listen_for_interrupt();
    ProgressLine line("meshes");
    std::int64_t seen_last = 0;
    std::int64_t in_all = 0;
    const search::Progress progress = [&](std::int64_t seen, std::int64_t all) {
        line.show(seen, all);
        seen_last = seen;
        in_all = all;
        return !interrupted();
    };
    search::Answer answer = layers ? search::search_layers(workload.graph, workload.cluster, space, progress)
                                   : search::search(workload.graph, workload.cluster, space, progress);
    line.clear();
    if (interrupted()) {
        note("stopped; this is the best of {} of {} meshes", reports::whole(seen_last), reports::whole(in_all));
    }
    return answer;
}

questions::plans::Answer find_plans(Arguments& arguments, const PlanRequest& request, const Workload& workload,
                                    const search::Space& space, const ObservedSteps& observed) {
    questions::plans::Answer found{.found = {}, .saved = request.save_to, .shown = request.shown};
    search::Answer& answer = found.found;
    answer = search_with_progress(workload, space, by_layers(arguments));
    if (!observed.runs.empty()) {
        rank_as_observed(workload, observed.software, observed.runs, answer);
    }
    answer.question = question_of(arguments, workload, space);
    if (answer.layers) {
        answer.question.strategies.emplace_back(search::kByLayers);
    }
    look_beyond(arguments, workload, space, answer);
    rank_by_playing(workload, request.simulated, answer);
    if (!answer.plans.empty()) {
        list_other_software(answer);
    }
    if (request.exchange_kinds && !answer.plans.empty()) {
        found.exchanged = answer.plans;
        found.by_exchange = search_exchanges(*request.exchange_kinds, workload, found.exchanged);
    }
    if (request.explains) {
        const search::Searcher again = by_layers(arguments) ? search::search_layers : nullptr;
        explain({workload.graph, workload.cluster, space, again}, answer);
    }
    if (request.lengths && !answer.plans.empty()) {
        found.by_lengths = ranked_by_lengths(*request.lengths, workload, answer.plans);
    }
    answer.plans.resize(std::min(answer.plans.size(), request.shown));
    return found;
}

}  // namespace dodona::cli
