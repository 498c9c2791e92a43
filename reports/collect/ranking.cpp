#include "reports/collect/ranking.hpp"

namespace dodona::reports {

Ranking ranking_of(const std::vector<step::Prediction>& plans, const std::vector<Seconds>& played) {
    Ranking ranking;
    for (const step::Prediction& plan : plans) {
        const std::size_t rank = ranking.plans.size();
        ranking.plans.push_back({.plan = &plan, .step = rank < played.size() ? played[rank] : plan.step.value});
        if (&plan != &plans.front()) {
            ranking.plans.back().first_is_faster = search::probability_first_is_faster(plans.front(), plan);
            ranking.plans.back().tied = search::tied(plans.front(), plan);
        }
    }
    ranking.ties = search::ties(plans);
    return ranking;
}

}  // namespace dodona::reports
