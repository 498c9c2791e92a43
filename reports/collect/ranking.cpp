#include "reports/collect/ranking.hpp"

namespace dodona::reports {

Ranking ranking_of(const std::vector<step::Prediction>& plans) {
    Ranking ranking;
    for (const step::Prediction& plan : plans) {
        ranking.plans.push_back({.plan = &plan});
        if (&plan != &plans.front()) {
            ranking.plans.back().first_is_faster = search::probability_first_is_faster(plans.front(), plan);
            ranking.plans.back().tied = search::tied(plans.front(), plan);
        }
    }
    ranking.ties = search::ties(plans);
    return ranking;
}

}  // namespace dodona::reports
