// Plans that the constraints of a user leave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "search/constraint.hpp"
#include "search/search.hpp"
#include "search/variant.hpp"

namespace dodona::search {

class Filter {
public:
    explicit Filter(const Space& space) : fixed_(space.fixed), excluded_(space.excluded) {}

    [[nodiscard]] bool excludes(const plan::Strategy& strategy) const;
    /// Whether the sizes of the plan's axes violate a constraint.
    [[nodiscard]] bool violates_sizes(const plan::Plan& plan) const;
    /// The same of its folds.
    [[nodiscard]] bool violates_folds(const plan::Plan& plan) const;
    [[nodiscard]] bool accepts(std::int64_t microbatch) const;
    [[nodiscard]] bool accepts(const Variant& variant) const;
    /// Virtual stages that plans must have; none: any.
    [[nodiscard]] std::optional<std::int64_t> virtual_stages() const;
    /// Whether the user has set the size of an axis.
    [[nodiscard]] bool sets(const std::string& axis) const;
    [[nodiscard]] bool constrains() const { return !fixed_.empty() || !excluded_.empty(); }

private:
    /// Whether no constraint on values of this type excludes this one.
    template <class Value>
    [[nodiscard]] bool allows(const Value& value) const;
    [[nodiscard]] bool violates(const plan::Plan& plan, bool folds) const;

    const std::vector<Constraint>& fixed_;
    const std::vector<Constraint>& excluded_;
};

}  // namespace dodona::search
