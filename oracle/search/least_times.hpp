// Lower bounds of the times of plans: what the devices compute (compute_time_bounds.hpp). A search for the best plan leaves
// out a mesh or a micro-batch where
//
//   least > (1 + kEqualTime) T(last plan that is listed)
//
// since none of its plans can be listed, nor be the simplest of those as fast as a plan that is.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "base/ranges.hpp"
#include "plan/limit.hpp"

namespace dodona::search {

/// Sums in another order may be this much less.
inline constexpr double kSumSlack = 1e-6;

/// Of the plans of one layout of an enumeration that fit.
struct LayoutTimes {
    bool searched = false;  ///< false: nothing is known
    std::vector<std::pair<std::int64_t, Seconds>> by_microbatch;
    std::shared_ptr<const plan::Limit> broken;  ///< why no plan of it can run; null: some can, or unknown

    /// What plans of this micro-batch take at least; infinite where none fits.
    [[nodiscard]] Seconds of(std::int64_t microbatch) const {
        const auto* found = found_in(by_microbatch, [&](const auto& known) { return known.first == microbatch; });
        return found != nullptr ? found->second : of_none();
    }
    /// Of all micro-batches.
    [[nodiscard]] Seconds least() const {
        Seconds least = of_none();
        for (const auto& known : by_microbatch) {
            least = min(least, known.second);
        }
        return least;
    }

private:
    [[nodiscard]] Seconds of_none() const {
        return searched ? Seconds::of_base(std::numeric_limits<double>::infinity()) : Seconds{};
    }
};

/// By layout of the enumeration; empty: nothing is known.
using LeastTimes = std::vector<LayoutTimes>;

/// Of the plans of one layout, which are of interest.
struct TimeBounds {
    const LayoutTimes* least = nullptr;  ///< null: nothing is known
    Seconds slowest = Seconds::of_base(std::numeric_limits<double>::max());
    Seconds slowest_fitted = slowest;  ///< ... of plans that are not beyond what their software was fitted to
};

}  // namespace dodona::search
