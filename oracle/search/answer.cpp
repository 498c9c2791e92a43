#include "search/answer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "step/infeasibility.hpp"

namespace dodona::search {

std::string mesh_text(const plan::Plan& plan) {
    std::string text = plan.strategy.name;
    for (const plan::MeshAxis& axis : plan.mesh) {
        text += fmt::format(" {}={}", axis.name, axis.size);
    }
    for (const plan::Fold& fold : plan.folds) {
        text += fmt::format(" {}={}", fold.name, fold.size);
    }
    return text;
}

std::string text(const NearestPlan& nearest) {
    return fmt::format("{} per device ({}, micro-batch {}, recompute {})",
                       step::shortage_text("at least ", nearest.needed, nearest.available), mesh_text(nearest.plan),
                       nearest.plan.microbatch, name(nearest.plan.recompute));
}

bool leaves(const step::Prediction& prediction, double reserve) {
    return prediction.plan.offload.pages || prediction.memory.total() <= (1 - reserve) * prediction.memory_limit;
}

step::Prediction held_to(double reserve, step::Prediction prediction) {
    if (prediction.fits && !leaves(prediction, reserve)) {
        prediction.fits = false;
        prediction.why_not = step::MemoryShortage{.needed = prediction.memory.total(),
                                                  .available = (1 - reserve) * prediction.memory_limit};
    }
    return prediction;
}

bool same_software(const plan::Plan& a, const plan::Plan& b) { return a.framework.label() == b.framework.label(); }

void list_other_software(Answer& answer) {
    std::vector<step::Prediction> others;
    const auto add = [&](const step::Prediction& plan) {
        const auto runs = [&](const step::Prediction& other) { return same_software(other.plan, plan.plan); };
        if (!runs(answer.plans.front()) && std::none_of(others.begin(), others.end(), runs)) {
            others.push_back(plan);
        }
    };
    std::for_each(answer.plans.begin(), answer.plans.end(), add);
    std::for_each(answer.in_other_software.begin(), answer.in_other_software.end(), add);
    std::stable_sort(others.begin(), others.end(),
                     [](const step::Prediction& a, const step::Prediction& b) { return a.step.value < b.step.value; });
    answer.in_other_software = std::move(others);
}

double probability_first_is_faster(const step::Prediction& first, const step::Prediction& other) {
    if (first.step.value <= Seconds{} || other.step.value <= Seconds{}) {
        return 0.5;
    }
    const double longer = std::log(other.step.value / first.step.value);
    const double sigma = same_software(first.plan, other.plan)
                             ? step::difference(first.uncertainty, other.uncertainty, first.plan.framework)
                             : step::difference_of_software(first.uncertainty, other.uncertainty);
    if (sigma <= 0) {
        return longer > 0 ? 1 : longer < 0 ? 0 : 0.5;
    }
    return 0.5 * std::erfc(-longer / sigma / std::numbers::sqrt2);
}

bool tied(const step::Prediction& first, const step::Prediction& other) {
    return probability_first_is_faster(first, other) < (1 + kIntervalLevel) / 2;
}

bool stands_before(const step::Prediction& preferred, const step::Prediction& faster) {
    return preferred.step.value <= (1 + kUncertainTime) * faster.step.value && tied(faster, preferred);
}

std::vector<std::vector<std::size_t>> ties(const std::vector<step::Prediction>& plans) {
    std::vector<std::vector<std::size_t>> groups;
    std::vector<bool> placed(plans.size(), false);
    for (std::size_t leader = 0; leader < plans.size(); ++leader) {
        if (placed[leader]) {
            continue;
        }
        std::vector<std::size_t> group{leader + 1};
        for (std::size_t other = leader + 1; other < plans.size(); ++other) {
            if (!placed[other] && tied(plans[leader], plans[other])) {
                placed[other] = true;
                group.push_back(other + 1);
            }
        }
        if (group.size() > 1) {
            groups.push_back(std::move(group));
        }
    }
    return groups;
}

}  // namespace dodona::search
