// Constraints of the user: what plans must have and must not have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "search/search.hpp"
#include "search/variant.hpp"

namespace dodona::search {

/// The names that a constraint may have besides those of axes: microbatch, virtual_stages, recompute, shard, schedule.
const std::vector<std::string>& constraint_names();

/// What is wrong with a constraint for these strategies; none if nothing is.
std::optional<std::string> constraint_fault(const Constraint& constraint,
                                            const std::vector<plan::Strategy>& strategies);

class Filter {
public:
    explicit Filter(const Space& space) : fixed_(space.fixed), excluded_(space.excluded) {}

    [[nodiscard]] bool excludes(const plan::Strategy& strategy) const;
    /// Whether the sizes of the plan's axes violate a constraint. An axis that the strategy lacks has size 1.
    [[nodiscard]] bool violates_sizes(const plan::Plan& plan) const;
    /// The same of its folds.
    [[nodiscard]] bool violates_folds(const plan::Plan& plan) const;
    [[nodiscard]] bool accepts(std::int64_t microbatch) const;
    [[nodiscard]] bool accepts(const Variant& variant) const;
    /// Whether the user has set the size of an axis.
    [[nodiscard]] bool sets(const std::string& axis) const;
    [[nodiscard]] bool constrains() const { return !fixed_.empty() || !excluded_.empty(); }

private:
    [[nodiscard]] bool allows(const std::string& name, const std::string& value) const;

    const std::vector<Constraint>& fixed_;
    const std::vector<Constraint>& excluded_;
};

}  // namespace dodona::search
