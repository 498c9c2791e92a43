#include "lengths/distribution.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::lengths {

namespace {

/// Each value's share goes to the two evenly spaced ones around it, so that the mean stays.
std::vector<Share> evenly_spaced(const std::vector<Share>& shares, double least, double most) {
    const double width = (most - least) / static_cast<double>(kMaxValues - 1);
    std::vector<Share> spaced(kMaxValues);
    for (std::size_t i = 0; i < kMaxValues; ++i) {
        spaced[i].value = least + width * static_cast<double>(i);
    }
    for (const Share& one : shares) {
        const double place = (one.value - least) / width;
        const std::size_t below = std::min(kMaxValues - 2, static_cast<std::size_t>(place));
        const double above = std::clamp(place - static_cast<double>(below), 0.0, 1.0);
        spaced[below].share += one.share * (1 - above);
        spaced[below + 1].share += one.share * above;
    }
    std::erase_if(spaced, [](const Share& one) { return one.share <= 0; });
    return spaced;
}

Distribution sum_of(const Distribution& a, const Distribution& b) {
    std::vector<Share> sums;
    sums.reserve(a.shares().size() * b.shares().size());
    for (const Share& x : a.shares()) {
        for (const Share& y : b.shares()) {
            sums.push_back({x.value + y.value, x.share * y.share});
        }
    }
    const double least = a.least() + b.least();
    const double most = a.most() + b.most();
    return Distribution(sums.size() > kMaxValues && most > least ? evenly_spaced(sums, least, most) : sums);
}

}  // namespace

Distribution::Distribution(std::vector<Share> shares) {
    std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.value < b.value; });
    double sum = 0;
    for (const Share& one : shares) {
        sum += one.share;
        if (!shares_.empty() && shares_.back().value == one.value) {
            shares_.back().share += one.share;
        } else if (one.share > 0) {
            shares_.push_back(one);
        }
    }
    check(sum > 0, "a distribution has a value");
    for (Share& one : shares_) {
        one.share /= sum;
    }
}

double Distribution::mean() const {
    return dodona::sum_of<double>(shares_, [](const Share& one) { return one.share * one.value; });
}

double Distribution::square_mean() const {
    return dodona::sum_of<double>(shares_, [](const Share& one) { return one.share * one.value * one.value; });
}

double Distribution::deviation() const {
    const double middle = mean();
    const auto squares = dodona::sum_of<double>(
        shares_, [&](const Share& one) { return one.share * (one.value - middle) * (one.value - middle); });
    return std::sqrt(squares);
}

double Distribution::quantile(double share) const {
    double sum = 0;
    for (const Share& one : shares_) {
        sum += one.share;
        if (sum >= share) {
            return one.value;
        }
    }
    return most();
}

Distribution Distribution::sum_of(std::int64_t n) const {
    check(n >= 1, "a sum of one draw or more");
    Distribution doubled = shares_.size() > kMaxValues ? Distribution(evenly_spaced(shares_, least(), most())) : *this;
    Distribution sum({{0, 1}});
    for (std::int64_t left = n; left > 0; left /= 2) {
        if (left % 2 == 1) {
            sum = lengths::sum_of(sum, doubled);
        }
        if (left > 1) {
            doubled = lengths::sum_of(doubled, doubled);
        }
    }
    return sum;
}

Distribution Distribution::largest_of(std::int64_t n) const {
    check(n >= 1, "the largest of one draw or more");
    std::vector<Share> largest;
    double below = 0;
    double sum = 0;
    for (const Share& one : shares_) {
        sum = std::min(1.0, sum + one.share);
        const double reached = &one == &shares_.back() ? 1 : std::pow(sum, static_cast<double>(n));
        largest.push_back({one.value, reached - below});
        below = reached;
    }
    return Distribution(std::move(largest));
}

}  // namespace dodona::lengths
