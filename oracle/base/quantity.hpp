// Quantities with units: one type per dimension, none per scale.
//
// A quantity holds one double in base units (seconds, bytes, floating-point operations). Only `q.in(unit)` converts it
// to a number. A bare double is a ratio. GB = 1e9 bytes, GiB = 2^30 bytes, Gb = 1e9 bits.
#pragma once

#include <compare>

namespace dodona {

/// Exponents of the five base dimensions: time, data, arithmetic, money, energy. Money is in the one currency of an
/// answer; currencies are never converted, and readers of input check that they agree (cluster/price.hpp).
struct Dimensions {
    int second = 0;
    int byte = 0;
    int flop = 0;
    int money = 0;
    int joule = 0;
    bool operator==(const Dimensions&) const = default;
};

constexpr Dimensions operator+(Dimensions a, Dimensions b) {
    return {a.second + b.second, a.byte + b.byte, a.flop + b.flop, a.money + b.money, a.joule + b.joule};
}
constexpr Dimensions operator-(Dimensions a, Dimensions b) {
    return {a.second - b.second, a.byte - b.byte, a.flop - b.flop, a.money - b.money, a.joule - b.joule};
}

template <Dimensions D>
class Quantity {
public:
    constexpr Quantity() = default;

    /// The quantity that is `value` base units.
    static constexpr Quantity of_base(double value) {
        Quantity q;
        q.value_ = value;
        return q;
    }

    /// The quantity as a multiple of `unit`.
    [[nodiscard]] constexpr double in(Quantity unit) const { return value_ / unit.value_; }

    constexpr auto operator<=>(const Quantity&) const = default;
    constexpr Quantity operator-() const { return of_base(-value_); }
    constexpr Quantity& operator+=(Quantity other) {
        value_ += other.value_;
        return *this;
    }
    constexpr Quantity& operator*=(double ratio) {
        value_ *= ratio;
        return *this;
    }

    friend constexpr Quantity operator+(Quantity a, Quantity b) { return of_base(a.value_ + b.value_); }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return of_base(a.value_ - b.value_); }
    friend constexpr Quantity operator*(Quantity a, double ratio) { return of_base(a.value_ * ratio); }
    friend constexpr Quantity operator*(double ratio, Quantity a) { return of_base(ratio * a.value_); }
    friend constexpr Quantity operator/(Quantity a, double ratio) { return of_base(a.value_ / ratio); }

    template <Dimensions E>
    friend class Quantity;

    template <Dimensions E>
    constexpr auto operator*(Quantity<E> other) const {
        return reduce<D + E>(value_ * other.value_);
    }
    template <Dimensions E>
    constexpr auto operator/(Quantity<E> other) const {
        return reduce<D - E>(value_ / other.value_);
    }

private:
    template <Dimensions E>
    static constexpr auto reduce(double value) {
        if constexpr (E == Dimensions{}) {
            return value;
        } else {
            return Quantity<E>::of_base(value);
        }
    }

    double value_ = 0.0;
};

using Seconds = Quantity<Dimensions{.second = 1}>;
using Bytes = Quantity<Dimensions{.byte = 1}>;
using Flop = Quantity<Dimensions{.flop = 1}>;
using BytesPerSecond = Quantity<Dimensions{.second = -1, .byte = 1}>;
using FlopPerSecond = Quantity<Dimensions{.second = -1, .flop = 1}>;
using Money = Quantity<Dimensions{.money = 1}>;
using MoneyPerSecond = Quantity<Dimensions{.second = -1, .money = 1}>;
using Energy = Quantity<Dimensions{.joule = 1}>;
using Power = Quantity<Dimensions{.second = -1, .joule = 1}>;

namespace unit {
inline constexpr Seconds second = Seconds::of_base(1.0);
inline constexpr Seconds hour = Seconds::of_base(3600.0);
inline constexpr Seconds day = Seconds::of_base(86400.0);
inline constexpr Bytes byte = Bytes::of_base(1.0);
inline constexpr Flop flop = Flop::of_base(1.0);
inline constexpr BytesPerSecond byte_per_second = BytesPerSecond::of_base(1.0);
inline constexpr FlopPerSecond flop_per_second = FlopPerSecond::of_base(1.0);
inline constexpr Money money = Money::of_base(1.0);  ///< one unit of the answer's currency
inline constexpr Energy joule = Energy::of_base(1.0);
inline constexpr Energy megawatt_hour = Energy::of_base(3.6e9);
inline constexpr Power watt = Power::of_base(1.0);
}  // namespace unit

template <Dimensions D>
constexpr Quantity<D> max(Quantity<D> a, Quantity<D> b) {
    return a < b ? b : a;
}
template <Dimensions D>
constexpr Quantity<D> min(Quantity<D> a, Quantity<D> b) {
    return b < a ? b : a;
}

inline namespace literals {
constexpr Seconds operator""_s(long double v) { return Seconds::of_base(static_cast<double>(v)); }
constexpr Seconds operator""_s(unsigned long long v) { return Seconds::of_base(static_cast<double>(v)); }
constexpr Seconds operator""_us(long double v) { return Seconds::of_base(static_cast<double>(v) * 1e-6); }
constexpr Seconds operator""_us(unsigned long long v) { return Seconds::of_base(static_cast<double>(v) * 1e-6); }
constexpr Bytes operator""_B(unsigned long long v) { return Bytes::of_base(static_cast<double>(v)); }
constexpr Bytes operator""_MiB(unsigned long long v) { return Bytes::of_base(static_cast<double>(v) * 0x1p20); }
constexpr Bytes operator""_GiB(unsigned long long v) { return Bytes::of_base(static_cast<double>(v) * 0x1p30); }
constexpr Bytes operator""_GB(unsigned long long v) { return Bytes::of_base(static_cast<double>(v) * 1e9); }
constexpr BytesPerSecond operator""_GB_per_s(long double v) {
    return BytesPerSecond::of_base(static_cast<double>(v) * 1e9);
}
constexpr BytesPerSecond operator""_GB_per_s(unsigned long long v) {
    return BytesPerSecond::of_base(static_cast<double>(v) * 1e9);
}
constexpr FlopPerSecond operator""_TFLOP_per_s(long double v) {
    return FlopPerSecond::of_base(static_cast<double>(v) * 1e12);
}
constexpr FlopPerSecond operator""_TFLOP_per_s(unsigned long long v) {
    return FlopPerSecond::of_base(static_cast<double>(v) * 1e12);
}
}  // namespace literals

}  // namespace dodona
