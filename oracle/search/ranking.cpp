#include "search/ranking.hpp"

#include <algorithm>
#include <map>

namespace dodona::search {

using plan::Plan;

namespace {

/// How much a user has to configure: axes in use, then sharding, recomputation, axes of the strategy, virtual stages.
std::int64_t complexity(const Plan& plan) {
    const auto used =
        std::count_if(plan.mesh.begin(), plan.mesh.end(), [](const plan::MeshAxis& axis) { return axis.size > 1; });
    const bool recomputes = plan.recompute != plan::RecomputeKind::none;
    const auto folds = static_cast<std::int64_t>(plan.folds.size());
    return 10000 * (used + folds) + 1000 * static_cast<std::int64_t>(plan.shard) + (recomputes ? 500 : 0) +
           100 * static_cast<std::int64_t>(plan.strategy.axes.size()) + std::min<std::int64_t>(plan.virtual_stages, 99);
}

std::vector<Candidate> best_of_each(const Space& space, const std::vector<MeshLayout>& layouts,
                                    const std::vector<Candidate>& candidates) {
    std::map<std::string, std::size_t> known;
    std::vector<Candidate> best;
    for (const Candidate& candidate : candidates) {
        const auto [found, fresh] = known.emplace(layout_key(space, layouts[candidate.layout]), best.size());
        if (fresh) {
            best.push_back(candidate);
        } else if (better(candidate, best[found->second])) {
            best[found->second] = candidate;
        }
    }
    return best;
}

}  // namespace

Plan plan_of(const Space& space, const std::vector<MeshLayout>& layouts, const Candidate& candidate) {
    const MeshLayout& layout = layouts[candidate.layout];
    Plan plan = plan_of(space, layout.strategy);
    layout.apply(plan);
    plan.microbatch = candidate.microbatch;
    candidate.variant.apply(plan);
    return plan;
}

std::vector<Candidate> ranked(const Space& space, const std::vector<MeshLayout>& layouts,
                              const std::vector<Candidate>& candidates) {
    std::vector<Candidate> left = best_of_each(space, layouts, candidates);
    std::stable_sort(left.begin(), left.end(), better);
    std::vector<Candidate> chosen;
    while (!left.empty() && chosen.size() < space.top) {
        const Seconds equal = (1.0 + kEqualTime) * left.front().step;
        const auto end = std::find_if(left.begin(), left.end(), [&](const Candidate& c) { return c.step > equal; });
        auto next = left.begin();
        std::int64_t simplest = complexity(plan_of(space, layouts, *next));
        for (auto other = left.begin() + 1; other != end; ++other) {
            const std::int64_t here = complexity(plan_of(space, layouts, *other));
            if (here < simplest) {
                simplest = here;
                next = other;
            }
        }
        const bool known = std::any_of(chosen.begin(), chosen.end(),
                                       [&](const Candidate& c) { return !better(c, *next) && !better(*next, c); });
        if (!known) {
            chosen.push_back(*next);
        }
        left.erase(next);
    }
    return chosen;
}

}  // namespace dodona::search
