#include "cli/plan_search.hpp"

#include <algorithm>
#include <functional>

#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/note.hpp"
#include "cli/progress.hpp"
#include "cli/remedies.hpp"
#include "reports/document/number_format.hpp"
#include "search/crossover_search.hpp"

namespace dodona::cli {

namespace {

constexpr std::size_t kPlansToPack = 32;  ///< that --lengths ranks

bool by_layers(Arguments& arguments) {
    const std::vector<std::string> names = arguments.list("--strategy");
    return std::find(names.begin(), names.end(), search::kByLayers) != names.end();
}

/// Meshes that a search has seen, on a terminal.
class MeshProgress {
public:
    bool operator()(std::int64_t seen, std::int64_t all) {
        line_.show(seen, all);
        seen_ = seen;
        all_ = all;
        return !interrupted();
    }
    void clear() { line_.clear(); }
    /// Clears the line, and says where the search was stopped.
    void end() {
        line_.clear();
        if (interrupted() && seen_ < all_) {
            note("stopped; this is the best of {} of {} meshes", reports::whole(seen_), reports::whole(all_));
        }
    }

private:
    ProgressLine line_{"meshes"};
    std::int64_t seen_ = 0;
    std::int64_t all_ = 0;
};

/// Exchanges of these kinds.
std::vector<exchange::Exchange> exchanges_of_kinds(const reports::ExchangeKinds& kinds) {
    std::vector<exchange::Exchange> exchanges;
    for (const std::string& name : library().exchanges()) {
        exchange::Exchange one = library().exchange(name, {});
        if (kinds[static_cast<std::size_t>(reports::kind_of(one))]) {
            exchanges.push_back(std::move(one));
        }
    }
    return exchanges;
}

}  // namespace

std::size_t plans_to_rank(const PlanRequest& request) {
    const bool competes = request.explains || request.observed.any();
    return std::max({request.shown, competes ? search::kCompetitors : 0, request.exchange_kinds ? kPlansToExchange : 0,
                     request.lengths ? kPlansToPack : 0});
}

search::Answer search_with_progress(const Workload& workload, const search::Space& space) {
    listen_for_interrupt();
    MeshProgress line;
    search::Answer answer = search::search(workload.graph, workload.cluster, space, std::ref(line));
    line.end();
    return answer;
}

questions::plans::Answer find_plans(Arguments& arguments, const PlanRequest& request, const Workload& workload,
                                    const search::Space& space, const ObservedSteps& observed) {
    questions::plans::Question question{.subject = {workload.model, workload.machine},
                                        .graph = workload.graph,
                                        .cluster = workload.cluster,
                                        .space = space,
                                        .settings = settings_given(arguments),
                                        .by_layers = by_layers(arguments),
                                        .shown = request.shown,
                                        .simulated = request.simulated,
                                        .explains = request.explains,
                                        .save_to = request.save_to,
                                        .exchange_kinds = request.exchange_kinds};
    if (request.exchange_kinds) {
        question.exchanges = exchanges_of_kinds(*request.exchange_kinds);
    }
    if (!observed.runs.empty()) {
        question.as_observed = [&](search::Answer& found) {
            rank_as_observed(workload, observed.software, observed.runs, found);
        };
    }
    question.changes = [&](Bytes least) { return relaxation_sequences(arguments, workload, space, least); };
    std::optional<LengthAnswers> lengths;
    if (request.lengths) {
        question.lengths = [&](const plan::Plan& plan) {
            if (!lengths) {
                lengths.emplace(*request.lengths, workload);
            }
            return lengths->of(plan);
        };
    }
    listen_for_interrupt();
    MeshProgress meshes;
    ProgressLine changes("changes");
    questions::plans::Answer answer = questions::plans::ask(question, {.meshes = std::ref(meshes),
                                                                       .changes =
                                                                           [&](std::int64_t done, std::int64_t all) {
                                                                               meshes.clear();
                                                                               changes.show(done, all);
                                                                               return !interrupted();
                                                                           },
                                                                       .continues = [] { return !interrupted(); }});
    changes.clear();
    meshes.end();
    if (answer.found.explanation && !answer.found.explanation->complete) {
        note("stopped; ? marks what was not looked at");
    }
    return answer;
}

}  // namespace dodona::cli
