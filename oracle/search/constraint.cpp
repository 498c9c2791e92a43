#include "search/constraint.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::search {

namespace {

std::set<std::string> axes_of(const std::vector<plan::Strategy>& strategies) {
    std::set<std::string> axes;
    for (const plan::Strategy& strategy : strategies) {
        axes.insert(strategy.axes.begin(), strategy.axes.end());
        for (const plan::FoldedAxis& fold : strategy.folds) {
            axes.insert(fold.name);
        }
    }
    return axes;
}

/// A whole number from 1, in digits.
std::optional<std::int64_t> count_of(const std::string& value) {
    const bool is_count = !value.empty() && value.size() < 18 && value[0] != '0' &&
                          std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    return is_count ? std::optional<std::int64_t>(std::stoll(value)) : std::nullopt;
}

ConstraintFault no_count(std::string_view name) { return {fmt::format("{} is a whole number from 1", name)}; }

/// The one of `values` with this name.
template <class Enum>
ReadConstraint one_of(const std::vector<Enum>& values, PlanSetting setting, const std::string& name) {
    std::vector<std::string_view> names;
    for (const Enum value : values) {
        names.push_back(name_of(value));
        if (value_of<Enum>(name) == value) {
            return Constraint(value);
        }
    }
    return ConstraintFault{fmt::format("{} is one of {}", name_of(setting), fmt::join(names, ", "))};
}

std::vector<plan::ScheduleKind> searched_schedules() {
    return filtered<plan::ScheduleKind>(values_of(plan::kScheduleTable), [](const plan::ScheduleKind kind) {
        return plan::schedule_of(kind).traits.searched != schedule::Searched::never;
    });
}

}  // namespace

ReadConstraint setting_constraint(PlanSetting setting, const std::string& value) {
    using plan::RecomputeKind;
    using plan::ShardLevel;
    const auto counted = [&](auto as) -> ReadConstraint {
        const auto count = count_of(value);
        return count ? ReadConstraint(Constraint(as(*count))) : no_count(name_of(setting));
    };
    switch (setting) {
        case PlanSetting::microbatch: return counted([](std::int64_t count) { return MicroBatch{count}; });
        case PlanSetting::virtual_stages: return counted([](std::int64_t count) { return VirtualStages{count}; });
        case PlanSetting::recompute:
            return one_of<RecomputeKind>(
                {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::layers, RecomputeKind::full}, setting,
                value == "modules" ? "layers" : value);
        case PlanSetting::shard:
            return one_of<ShardLevel>(
                {ShardLevel::none, ShardLevel::states, ShardLevel::gradients, ShardLevel::parameters}, setting, value);
        case PlanSetting::schedule: return one_of(searched_schedules(), setting, value);
    }
    throw InternalError("a setting without a reader");
}

ReadConstraint axis_constraint(const std::string& axis, const std::string& value,
                               const std::vector<plan::Strategy>& strategies) {
    const std::set<std::string> known = axes_of(strategies);
    if (!known.contains(axis)) {
        return ConstraintFault{fmt::format("none of the strategies searched has an axis {}; their axes are {}", axis,
                                           fmt::join(known, ", "))};
    }
    const auto size = count_of(value);
    return size ? ReadConstraint(Constraint(AxisSize{axis, *size})) : no_count(axis);
}

ReadConstraint strategy_constraint(const std::string& name, const std::vector<plan::Strategy>& strategies) {
    const bool known = std::any_of(strategies.begin(), strategies.end(),
                                   [&](const plan::Strategy& strategy) { return strategy.name == name; });
    return known ? ReadConstraint(Constraint(NamedStrategy{name}))
                 : ConstraintFault{fmt::format("{} is not one of the strategies searched", name)};
}

}  // namespace dodona::search
