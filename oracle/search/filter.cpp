#include "search/filter.hpp"

#include <algorithm>

#include "base/ranges.hpp"

namespace dodona::search {

namespace {

bool is_fold(const plan::Strategy& strategy, const std::string& name) {
    return any_of(strategy.folds, [&](const plan::FoldedAxis& fold) { return fold.name == name; });
}

std::int64_t fold_size(const plan::Plan& plan, const std::string& name) {
    const auto* found = found_in(plan.folds, &plan::Fold::name, name);
    return found == nullptr ? 1 : found->size;
}

}  // namespace

template <class Value>
bool Filter::allows(const Value& value) const {
    const auto other = [&](const Constraint& constraint) {
        const Value* due = std::get_if<Value>(&constraint);
        return due != nullptr && *due != value;
    };
    return std::none_of(fixed_.begin(), fixed_.end(), other) && !contains(excluded_, Constraint(value));
}

bool Filter::excludes(const plan::Strategy& strategy) const {
    return std::find(excluded_.begin(), excluded_.end(), Constraint(NamedStrategy{strategy.name})) != excluded_.end();
}

bool Filter::violates(const plan::Plan& plan, bool folds) const {
    const auto has = [&](const Constraint& constraint, bool due) {
        const AxisSize* of = std::get_if<AxisSize>(&constraint);
        if (of == nullptr || is_fold(plan.strategy, of->axis) != folds) {
            return false;
        }
        return (of->size == (folds ? fold_size(plan, of->axis) : plan.axis_size(of->axis))) == due;
    };
    return std::any_of(fixed_.begin(), fixed_.end(), [&](const Constraint& fixed) { return has(fixed, false); }) ||
           std::any_of(excluded_.begin(), excluded_.end(), [&](const Constraint& out) { return has(out, true); });
}

bool Filter::violates_sizes(const plan::Plan& plan) const { return violates(plan, false); }

bool Filter::violates_folds(const plan::Plan& plan) const { return violates(plan, true); }

bool Filter::sets(const std::string& axis) const {
    return std::any_of(fixed_.begin(), fixed_.end(), [&](const Constraint& constraint) {
        const AxisSize* of = std::get_if<AxisSize>(&constraint);
        return of != nullptr && of->axis == axis;
    });
}

std::optional<std::int64_t> Filter::virtual_stages() const {
    for (const Constraint& constraint : fixed_) {
        if (const auto* due = std::get_if<VirtualStages>(&constraint)) {
            return due->number;
        }
    }
    return std::nullopt;
}

bool Filter::accepts(std::int64_t microbatch) const { return allows(MicroBatch{microbatch}); }

bool Filter::accepts(const Variant& variant) const {
    return allows(VirtualStages{variant.virtual_stages}) && allows(variant.recompute) && allows(variant.shard) &&
           allows(variant.schedule);
}

}  // namespace dodona::search
