#include "search/filter.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace dodona::search {

namespace {

bool is_fold(const plan::Strategy& strategy, const std::string& name) {
    return std::any_of(strategy.folds.begin(), strategy.folds.end(),
                       [&](const plan::FoldedAxis& fold) { return fold.name == name; });
}

std::int64_t fold_size(const plan::Plan& plan, const std::string& name) {
    const auto found =
        std::find_if(plan.folds.begin(), plan.folds.end(), [&](const plan::Fold& fold) { return fold.name == name; });
    return found == plan.folds.end() ? 1 : found->size;
}

bool is_count(const std::string& value) {
    return !value.empty() && value.size() < 18 && value[0] != '0' &&
           std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_setting(const std::string& name) {
    const auto& names = constraint_names();
    return std::find(names.begin(), names.end(), name) != names.end();
}

template <class Enum, std::size_t N>
std::string one_of(const std::array<Enum, N>& values) {
    std::vector<std::string> names;
    for (const Enum value : values) {
        names.emplace_back(plan::name(value));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<std::string> value_fault(const Constraint& constraint) {
    using plan::RecomputeKind;
    using plan::ShardLevel;
    const auto known = [&](bool good, const std::string& variants) {
        return good ? std::nullopt : std::optional(fmt::format("{} is one of {}", constraint.name, variants));
    };
    if (constraint.name == "recompute") {
        constexpr std::array kKinds{RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full};
        const auto kind = plan::recompute_from(constraint.value);
        return known(kind && std::find(kKinds.begin(), kKinds.end(), *kind) != kKinds.end(), one_of(kKinds));
    }
    if (constraint.name == "shard") {
        return known(
            plan::shard_from(constraint.value).has_value(),
            one_of(std::array{ShardLevel::none, ShardLevel::states, ShardLevel::gradients, ShardLevel::parameters}));
    }
    if (constraint.name == "schedule") {
        std::vector<std::string_view> names;
        for (const plan::ScheduleKind kind : values_of(plan::kScheduleTable)) {
            if (plan::schedule_of(kind).traits.searched != schedule::Searched::never) {
                names.push_back(plan::name(kind));
            }
        }
        const auto kind = plan::schedule_from(constraint.value);
        return known(kind && std::find(names.begin(), names.end(), plan::name(*kind)) != names.end(),
                     fmt::format("{}", fmt::join(names, ", ")));
    }
    return is_count(constraint.value) ? std::nullopt
                                      : std::optional(fmt::format("{} is a whole number from 1", constraint.name));
}

}  // namespace

const std::vector<std::string>& constraint_names() {
    static const std::vector<std::string> names{"microbatch", "virtual_stages", "recompute", "shard", "schedule"};
    return names;
}

std::optional<std::string> constraint_fault(const Constraint& constraint,
                                            const std::vector<plan::Strategy>& strategies) {
    std::set<std::string> axes;
    for (const plan::Strategy& strategy : strategies) {
        if (constraint.value.empty() && strategy.name == constraint.name) {
            return std::nullopt;
        }
        axes.insert(strategy.axes.begin(), strategy.axes.end());
        for (const plan::FoldedAxis& fold : strategy.folds) {
            axes.insert(fold.name);
        }
    }
    if (constraint.value.empty()) {
        return fmt::format("{} is not one of the strategies searched", constraint.name);
    }
    if (!is_setting(constraint.name) && !axes.contains(constraint.name)) {
        return fmt::format("none of the strategies searched has an axis {}; their axes are {}", constraint.name,
                           fmt::join(axes, ", "));
    }
    return value_fault(constraint);
}

bool Filter::excludes(const plan::Strategy& strategy) const {
    return std::any_of(excluded_.begin(), excluded_.end(), [&](const Constraint& constraint) {
        return constraint.value.empty() && constraint.name == strategy.name;
    });
}

bool Filter::violates_sizes(const plan::Plan& plan) const {
    const auto size = [&](const Constraint& constraint) { return std::to_string(plan.axis_size(constraint.name)); };
    const auto concerns = [&](const Constraint& constraint) {
        return !is_setting(constraint.name) && !is_fold(plan.strategy, constraint.name);
    };
    const auto other = [&](const Constraint& constraint) {
        return concerns(constraint) && size(constraint) != constraint.value;
    };
    const auto out = [&](const Constraint& constraint) {
        return concerns(constraint) && size(constraint) == constraint.value;
    };
    return std::any_of(fixed_.begin(), fixed_.end(), other) || std::any_of(excluded_.begin(), excluded_.end(), out);
}

bool Filter::violates_folds(const plan::Plan& plan) const {
    const auto size = [&](const Constraint& constraint) { return std::to_string(fold_size(plan, constraint.name)); };
    const auto other = [&](const Constraint& constraint) {
        return is_fold(plan.strategy, constraint.name) && size(constraint) != constraint.value;
    };
    const auto out = [&](const Constraint& constraint) {
        return is_fold(plan.strategy, constraint.name) && size(constraint) == constraint.value;
    };
    return std::any_of(fixed_.begin(), fixed_.end(), other) || std::any_of(excluded_.begin(), excluded_.end(), out);
}

bool Filter::allows(const std::string& name, const std::string& value) const {
    const auto other = [&](const Constraint& constraint) {
        return constraint.name == name && constraint.value != value;
    };
    const auto out = [&](const Constraint& constraint) { return constraint.name == name && constraint.value == value; };
    return std::none_of(fixed_.begin(), fixed_.end(), other) && std::none_of(excluded_.begin(), excluded_.end(), out);
}

bool Filter::sets(const std::string& axis) const {
    return std::any_of(fixed_.begin(), fixed_.end(),
                       [&](const Constraint& constraint) { return constraint.name == axis; });
}

bool Filter::accepts(std::int64_t microbatch) const { return allows("microbatch", std::to_string(microbatch)); }

bool Filter::accepts(const Variant& variant) const {
    return allows("virtual_stages", std::to_string(variant.virtual_stages)) &&
           allows("recompute", std::string(plan::name(variant.recompute))) &&
           allows("shard", std::string(plan::name(variant.shard))) &&
           allows("schedule", std::string(plan::name(variant.schedule)));
}

}  // namespace dodona::search
