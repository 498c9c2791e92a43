#include "questions/plans/ranking.hpp"

namespace dodona::questions::plans {

Ranking ranking_of(const std::vector<step::Prediction>& plans, const std::vector<Seconds>& simulated) {
    Ranking ranking;
    for (const step::Prediction& plan : plans) {
        const std::size_t before = ranking.plans.size();
        ranking.plans.push_back(
            {.rank = before + 1,
             .plan = &plan,
             .simulated = before < simulated.size() ? std::optional(simulated[before]) : std::nullopt});
        if (&plan != &plans.front()) {
            ranking.plans.back().first_is_faster = search::probability_first_is_faster(plans.front(), plan);
            ranking.plans.back().tied = search::tied(plans.front(), plan);
        }
    }
    ranking.ties = search::ties(plans);
    return ranking;
}

}  // namespace dodona::questions::plans
