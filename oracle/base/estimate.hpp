// A number with an interval and the evidence behind it.
#pragma once

#include <array>
#include <string_view>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona {

/// Where a time comes from, best first.
/// `fitted`: a model of the kernel fitted to measured ones, inside their range; `extrapolated`: outside it.
enum class Evidence { measured, interpolated, fitted, extrapolated, data_sheet };

inline constexpr std::array kEvidenceTable{
    Enumerator(Evidence::measured, "measured", "a measured point"),
    Enumerator(Evidence::interpolated, "interpolated", "between measured points"),
    Enumerator(Evidence::fitted, "fitted", "a model fitted to measured kernels, inside their range"),
    Enumerator(Evidence::extrapolated, "extrapolated from a fit", "the same model outside that range"),
    Enumerator(Evidence::data_sheet, "data sheet", "a roofline of the data sheet")};
constexpr const auto& enumerators(Evidence /*type*/) { return kEvidenceTable; }
constexpr std::string_view name(Evidence evidence) { return name_of(evidence); }

/// The level at which [lo, hi] is meant to cover the truth.
inline constexpr double kIntervalLevel = 0.9;

/// A time and its interval. Intervals add as if their errors were fully correlated: the systematic part (one device,
/// one data sheet) dominates, so this is the honest side.
struct Estimate {
    Seconds value;
    Seconds lo;
    Seconds hi;

    static constexpr Estimate exactly(Seconds t) { return {t, t, t}; }
    constexpr Estimate& operator+=(const Estimate& other) {
        value += other.value;
        lo += other.lo;
        hi += other.hi;
        return *this;
    }
    friend constexpr Estimate operator+(Estimate a, const Estimate& b) { return a += b; }
    friend constexpr Estimate operator*(double ratio, Estimate a) {
        return {a.value * ratio, a.lo * ratio, a.hi * ratio};
    }
    /// The same interval in proportion around another value.
    [[nodiscard]] constexpr Estimate rescaled_to(Seconds new_value) const {
        if (value <= Seconds{}) {
            return exactly(new_value);
        }
        return (new_value / value) * *this;
    }
};

}  // namespace dodona
