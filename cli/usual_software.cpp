#include "cli/usual_software.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cli/interrupt.hpp"
#include "cli/software.hpp"
#include "search/search.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

/// A space of the best plan with another framework, without strategies.
search::Space with_framework(search::Space space, plan::Framework framework) {
    space.strategies.clear();
    space.top = 1;
    space.best_only = true;
    space.memory = memory_of(framework);
    space.framework = std::move(framework);
    return space;
}

/// The strategies of a space for which another framework is usual, with that one. On one device none shards anything.
std::vector<search::Space> spaces_of_other_frameworks(const UsualSoftware& software, const search::Space& space) {
    std::vector<search::Space> found;
    for (const plan::Strategy& strategy : space.strategies) {
        std::optional<plan::Framework> usual = software.other_than(space.framework, strategy, space.offload.any());
        if (!usual || space.devices == 1) {
            continue;
        }
        auto with = std::find_if(found.begin(), found.end(),
                                 [&](const search::Space& other) { return other.framework.name == usual->name; });
        if (with == found.end()) {
            with = found.insert(found.end(), with_framework(space, std::move(*usual)));
        }
        with->strategies.push_back(strategy);
    }
    return found;
}

/// The best usual plan of a space, if one fits.
std::optional<step::Prediction> best_usual(const Workload& workload, const search::Space& space) {
    const search::Answer answer = search::search(workload.graph, workload.cluster, space,
                                                 [](std::int64_t, std::int64_t) { return !interrupted(); });
    return answer.plans.empty() || !answer.unusual.empty() ? std::nullopt : std::optional(answer.plans.front());
}

}  // namespace

std::optional<step::Prediction> in_usual_framework(const Workload& workload, const search::Space& space,
                                                   const search::Answer& answer) {
    const UsualSoftware software(workload);
    std::optional<step::Prediction> best;
    for (const search::Space& other : spaces_of_other_frameworks(software, space)) {
        const std::optional<step::Prediction> found = best_usual(workload, other);
        best = found && (!best || found->step.value < best->step.value) ? found : best;
    }
    if (best && search::is_better(*best, answer)) {
        return best;
    }
    if (answer.plans.empty()) {
        return {};
    }
    plan::Plan plan = answer.plans.front().plan;
    const std::optional<plan::Framework> usual =
        software.other_than(space.framework, plan.strategy, plan.offload.any());
    if (!usual) {
        return {};
    }
    search::Space same = with_framework(space, *usual);
    same.strategies = {plan.strategy};
    if (std::optional<step::Prediction> found = best_usual(workload, same)) {
        return found;
    }
    plan.memory = same.memory;
    plan.framework = *usual;
    return step::predict(workload.graph, workload.cluster, plan);
}

}  // namespace dodona::cli
