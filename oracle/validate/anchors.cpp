#include "validate/anchors.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "base/text_hash.hpp"
#include "step/anchor.hpp"
#include "step/predict.hpp"

namespace dodona::validate {

namespace {

step::Observation observation(const ObservedRun& run, const plan::Framework& framework) {
    plan::Plan plan = run.question.plan;
    plan.framework = framework;
    const step::Prediction prediction = step::predict(*run.question.graph, *run.question.cluster, plan);
    Seconds covered = prediction.step.value;
    for (const step::TimePart part : run.question.not_timed) {
        covered += -prediction.time[part];
    }
    step::RunKind kind = step::run_kind(*run.question.graph, plan);
    kind.id = run.id;
    return {prediction.uncertainty, covered, run.measured, std::move(kind)};
}

/// None for a run that cannot be asked, or that no plan can have run.
std::optional<ObservedRun> observed(const files::MeasuredRun& run, Questions& questions) {
    if (!run.step_time) {
        return {};
    }
    try {
        ObservedRun found{questions.of(run), *run.step_time};
        const step::Prediction prediction =
            step::predict(*found.question.graph, *found.question.cluster, found.question.plan, run.where);
        return plan::tightest_broken(prediction.limits) != nullptr ? std::nullopt : std::optional(std::move(found));
    } catch (const InputError&) {
        return {};  // compare() says why
    }
}

/// A user whose software does all of this.
std::string user_of(const files::MeasuredRun& run, const plan::Framework& framework) {
    return fmt::format("{}\n{}", validate::user_of(run), framework.label());
}

}  // namespace

std::string user_of(const files::MeasuredRun& run) {
    return fmt::format("{}\n{}\n{}", run.group, run.cell("framework"), run.cell("device"));
}

plan::Framework anchored(const plan::Framework& framework, const std::vector<ObservedRun>& runs,
                         const step::RunKind& asked) {
    const auto observe = [&](const plan::Framework& moved) {
        return mapped<step::Observation>(runs, [&](const ObservedRun& run) { return observation(run, moved); });
    };
    return step::anchored(framework, observe, asked);
}

Anchors::Anchors(const std::vector<files::MeasuredRun>& runs, std::size_t count, Questions& questions) {
    auto order = mapped<const files::MeasuredRun*>(runs, [](const files::MeasuredRun& run) { return &run; });
    std::sort(order.begin(), order.end(), [](const files::MeasuredRun* a, const files::MeasuredRun* b) {
        return std::pair(text_hash(a->id), a->id) < std::pair(text_hash(b->id), b->id);
    });
    for (const files::MeasuredRun* run : order) {
        std::optional<ObservedRun> found = observed(*run, questions);
        if (!found) {
            continue;
        }
        std::vector<ObservedRun>& of_user = by_user_[user_of(*run, found->question.plan.framework)];
        if (of_user.size() < count) {
            ids_.insert(run->id);
            of_user.push_back(std::move(*found));
        }
    }
}

plan::Framework Anchors::adjusted(const files::MeasuredRun& run, const Question& question) {
    const std::string user = user_of(run, question.plan.framework);
    const auto runs = by_user_.find(user);
    if (runs == by_user_.end()) {
        return question.plan.framework;
    }
    return anchored(question.plan.framework, runs->second, step::run_kind(*question.graph, question.plan));
}

}  // namespace dodona::validate
