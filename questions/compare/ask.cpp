
#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/compare/compare.hpp"
#include "reports/document/number_format.hpp"
#include "step/predict.hpp"

namespace dodona::questions::compare {

namespace {

bool from_data_sheet(const cluster::Device& device) {
    return device.curves.empty() && (device.profile.fits.empty() || device.profile.borrowed);
}

/// A hybrid with an axis of one rank is another strategy: data+filter on filter 1 is data. A pipeline's other axes may have
/// one.
std::vector<search::Constraint> axes_of_one(const plan::Strategy& strategy) {
    std::vector<search::Constraint> sizes;
    if (strategy.axes.size() > 1 && !strategy.pipeline) {
        append(sizes, strategy.axes, [](const std::string& axis) { return search::AxisSize{axis, 1}; });
    }
    return sizes;
}

search::Answer searched(const Item& item, const search::Space& space, const std::function<bool()>& continues) {
    return search::search(item.workload.graph, item.workload.cluster, space,
                          [&](std::int64_t, std::int64_t) { return continues(); });
}

/// A hybrid that is asked for by name has both axes, where such a plan fits.
search::Answer best_of(const Item& item, const search::Space& space, const std::function<bool()>& continues) {
    if (space.strategies.size() == 1) {
        search::Space hybrid = space;
        const auto sizes = axes_of_one(space.strategies.front());
        hybrid.excluded.insert(hybrid.excluded.end(), sizes.begin(), sizes.end());
        search::Answer answer = searched(item, hybrid, continues);
        if (!answer.plans.empty() || sizes.empty()) {
            return answer;
        }
    }
    return searched(item, space, continues);
}

Compared compared(const Item& item, const std::function<bool()>& continues) {
    const Workload& workload = item.workload;
    Compared one{.name = item.name,
                 .model = workload.subject.model,
                 .machine = workload.subject.machine,
                 .plan = {},
                 .answer = {},
                 .from_data_sheet = from_data_sheet(workload.cluster.device)};
    if (const auto* const plan = std::get_if<plan::Plan>(&item.of)) {
        one.plan = step::predict(workload.graph, workload.cluster, *plan);
        return one;
    }
    one.answer = best_of(item, std::get<search::Space>(item.of), continues);
    if (!one.answer.plans.empty()) {
        one.plan = one.answer.plans.front();
    }
    return one;
}

/// "llama-3.1-8b on 64 GPUs of dgx-h100": what all items have in common.
std::string common_to(const Question& question) {
    const Item& first = question.items.front();
    const auto* const space = std::get_if<search::Space>(&first.of);
    std::string all = question.kind == ComparedKind::models ? "" : first.workload.subject.model;
    if (space != nullptr) {
        all += fmt::format("{}{}", all.empty() ? "" : " on ", reports::counted(space->devices, "GPU"));
    }
    if (question.kind != ComparedKind::machines) {
        all += fmt::format(" {} {}", space != nullptr ? "of" : "on", first.workload.subject.machine);
    }
    return all;
}

}  // namespace

Answer ask(const Question& question, const Progress& progress) {
    Answer answer{.of = question.kind, .on = common_to(question), .all = {}};
    for (const Item& item : question.items) {
        progress.begins(static_cast<std::int64_t>(answer.all.size()), static_cast<std::int64_t>(question.items.size()),
                        item.name);
        answer.all.push_back(compared(item, progress.continues));
    }
    return answer;
}

}  // namespace dodona::questions::compare
