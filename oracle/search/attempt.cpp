#include "search/attempt.hpp"

namespace dodona::search {

namespace {

/// Why the plan that needs least memory does not fit, where it is known; else the most frequent cause.
decltype(Attempt::why_not) why_nothing_fits(const Answer& answer) {
    if (!answer.nearest.empty()) {
        return *answer.nearest.front().why_not;
    }
    if (!answer.infeasible.empty()) {
        return answer.infeasible.front().cause;
    }
    return {};
}

}  // namespace

std::string why_not_text(const Attempt& attempt) {
    if (const auto* plan = std::get_if<step::Infeasibility>(&attempt.why_not)) {
        return text(*plan);
    }
    const auto* cause = std::get_if<step::InfeasibleCause>(&attempt.why_not);
    return cause != nullptr ? text(*cause) : "no strategy has a plan for it";
}

std::optional<Attempt> attempt(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                               const Goals& goals, const Progress& progress) {
    bool stopped = false;
    Space first_only = space;
    first_only.top = 1;
    first_only.only_usual = true;
    Answer answer = search(graph, cluster, first_only, [&](std::int64_t seen, std::int64_t all) {
        stopped = stopped || (progress && !progress(seen, all));
        return !stopped;
    });
    if (stopped) {
        return std::nullopt;
    }
    Attempt made{.value = space.devices, .devices = space.devices, .batch = space.batch, .goals = goals};
    made.configurations = answer.counts.configurations;
    if (answer.plans.empty()) {
        made.missed = Goal::fits;
        made.why_not = why_nothing_fits(answer);
        if (!answer.nearest.empty()) {
            made.plan = std::move(answer.nearest.front());
        }
        return made;
    }
    made.plan = std::move(answer.plans.front());
    made.missed = missed(goals, *made.plan, cluster.price);
    if (goals.samples) {
        made.run = run_of(*made.plan, *goals.samples, cluster.price);
    }
    return made;
}

}  // namespace dodona::search
