// A number that varies: its values with their shares, sums of independent draws and the largest of them.
//
//   sum of n     by doubling; after each sum what is more than kMaxValues values is put on as many evenly spaced ones
//                that keep its mean
//   largest of n P(largest <= x) = P(x)^n, exact
//
// Not modelled: draws that depend on one another.
#pragma once

#include <cstdint>
#include <vector>

namespace dodona::lengths {

inline constexpr std::size_t kMaxValues = 1000;

/// A value and the share of draws that have it.
struct Share {
    double value = 0;
    double share = 0;
};

class Distribution {
public:
    /// In any order, values more than once, shares of any sum above zero.
    explicit Distribution(std::vector<Share> shares);

    /// By value; shares add up to 1.
    [[nodiscard]] const std::vector<Share>& shares() const { return shares_; }
    [[nodiscard]] double least() const { return shares_.front().value; }
    [[nodiscard]] double most() const { return shares_.back().value; }
    [[nodiscard]] double mean() const;
    /// Of the squares.
    [[nodiscard]] double square_mean() const;
    [[nodiscard]] double deviation() const;
    /// The least value that at least `share` of the draws do not exceed.
    [[nodiscard]] double quantile(double share) const;

    /// Of `n` draws.
    [[nodiscard]] Distribution sum_of(std::int64_t n) const;
    [[nodiscard]] Distribution largest_of(std::int64_t n) const;

private:
    std::vector<Share> shares_;
};

}  // namespace dodona::lengths
