#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/plans/plans.hpp"
#include "reports/collect/difference.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::plans {

namespace {

using namespace reports;

std::string against_first(const step::Prediction& first, const step::Prediction& one) {
    const bool same = whole_plan(first) == whole_plan(one);
    if (same) {
        return "it is the plan that comes first";
    }
    std::string sentence = fmt::format("its step takes {} ({} against {})", how_much_longer(first, one),
                                       text(one.step.value), text(first.step.value));
    if (intervals_overlap(first, one)) {
        sentence += "; predictions may be off by more, so measure both before a long run";
    }
    return sentence;
}

}  // namespace

std::vector<std::string> reasons(const search::Answer& answer) {
    constexpr std::size_t kMax = 5;
    auto groups =
        mapped<const search::Infeasible*>(answer.infeasible, [](const search::Infeasible& group) { return &group; });
    std::stable_sort(groups.begin(), groups.end(),
                     [](const search::Infeasible* a, const search::Infeasible* b) { return a->count > b->count; });
    std::vector<std::string> items;
    for (const search::Infeasible* group : groups) {
        if (items.size() < kMax) {
            items.push_back(fmt::format("{} of {}: {}{}", counted(group->count, "configuration"), group->strategy,
                                        text(group->cause),
                                        group->nearest ? "; nearest: " + text(*group->nearest) : ""));
        }
    }
    return items;
}

namespace {

List why_not_items(const Answer& answer) {
    const auto& [asked, of_that_kind] = *answer.why_not;
    List list;
    if (of_that_kind.plans.empty()) {
        list.items.push_back(fmt::format("no plan with {} fits:", asked));
        append(list.items, reasons(of_that_kind));
        return list;
    }
    const step::Prediction& one = of_that_kind.plans.front();
    list.items.push_back(fmt::format("the best plan with {}: {}", asked, whole_plan(one)));
    list.items.push_back(fmt::format("it needs {} of {}", text(one.memory.total()), text(one.memory_limit)));
    if (!answer.found.plans.empty()) {
        list.items.push_back(against_first(answer.found.plans.front(), one));
    }
    return list;
}

}  // namespace

void add_why_not(Document& document, const Answer& answer) {
    const auto first_section = std::find_if(document.blocks.begin(), document.blocks.end(),
                                            [](const Block& block) { return std::holds_alternative<Section>(block); });
    const std::vector<Block> section{Section{fmt::format("Why not {}", answer.why_not->asked)}, why_not_items(answer)};
    document.blocks.insert(first_section, section.begin(), section.end());
}

}  // namespace dodona::questions::plans
