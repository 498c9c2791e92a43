// What a user has decided already: sizes and savings that are fixed, and those that are out of the question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "search/search.hpp"
#include "search/variant.hpp"

namespace dodona::search {

/// The words that a constraint may begin with, but for axes: microbatch, chunks, recompute, shard, schedule.
const std::vector<std::string>& constraint_names();

/// Why a constraint means nothing for these strategies; none if it means something.
std::optional<std::string> constraint_fault(const Constraint& constraint,
                                            const std::vector<plan::Strategy>& strategies);

class Filter {
public:
    explicit Filter(const Space& space) : fixed_(space.fixed), excluded_(space.excluded) {}

    [[nodiscard]] bool excludes(const plan::Strategy& strategy) const;
    /// Whether axes have other sizes than are fixed (a size that is not 1 of an axis that the strategy lacks is none of
    /// its), or sizes that are excluded.
    [[nodiscard]] bool fixes_other_sizes(const plan::Plan& plan) const;
    [[nodiscard]] bool fixes_other_folds(const plan::Plan& plan) const;
    [[nodiscard]] bool takes(std::int64_t microbatch) const;
    [[nodiscard]] bool takes(const Variant& variant) const;
    [[nodiscard]] bool any_variant() const { return !fixed_.empty() || !excluded_.empty(); }

private:
    [[nodiscard]] bool allows(const std::string& word, const std::string& value) const;

    const std::vector<Constraint>& fixed_;
    const std::vector<Constraint>& excluded_;
};

}  // namespace dodona::search
