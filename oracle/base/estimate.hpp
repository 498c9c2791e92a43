// A number with an interval and the evidence behind it.
#pragma once

#include <array>
#include <string_view>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona {

/// The evidence behind a time, best first.
enum class Evidence { measured, interpolated, fitted, extrapolated, data_sheet };

inline constexpr std::array kEvidenceTable{
    Enumerator(Evidence::measured, "measured", "a measured point"),
    Enumerator(Evidence::interpolated, "interpolated", "between measured points"),
    Enumerator(Evidence::fitted, "fitted", "a model fitted to measured kernels, inside their range"),
    Enumerator(Evidence::extrapolated, "extrapolated from the fit", "the same model outside that range"),
    Enumerator(Evidence::data_sheet, "data sheet", "a roofline of the data sheet")};
constexpr const auto& enumerators(Evidence /*type*/) { return kEvidenceTable; }
constexpr std::string_view name(Evidence evidence) { return name_of(evidence); }

/// The probability with which [lo, hi] should contain the true value.
inline constexpr double kIntervalLevel = 0.9;

/// A time and its interval. Sums treat errors as fully correlated, because the systematic part (one device, one data
/// sheet) dominates; this does not understate the interval.
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
    /// The interval scaled to another value.
    [[nodiscard]] constexpr Estimate rescaled_to(Seconds new_value) const {
        if (value <= Seconds{}) {
            return exactly(new_value);
        }
        return (new_value / value) * *this;
    }
};

}  // namespace dodona
