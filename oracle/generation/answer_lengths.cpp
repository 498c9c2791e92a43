#include "generation/answer_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/random_bits.hpp"

namespace dodona::generation {

namespace {

constexpr int kValues = 512;
constexpr int kHalvings = 80;
constexpr double kSteepest = 4.0 * kValues;  ///< k L: more is one value

/// `slope`: k L.
lengths::Distribution exponential(double slope, double longest) {
    std::vector<lengths::Share> shares;
    for (int i = 1; i <= kValues; ++i) {
        const double place = static_cast<double>(i) / kValues;
        // From the end that has most, so that nothing overflows.
        shares.push_back(
            {std::max(1.0, std::round(place * longest)), std::exp(slope >= 0 ? -slope * place : -slope * (place - 1))});
    }
    return lengths::Distribution(std::move(shares));
}

}  // namespace

lengths::Distribution answer_lengths(double mean, double longest) {
    if (mean >= longest) {
        return lengths::Distribution({{longest, 1}});
    }
    double flat = -kSteepest;
    double steep = kSteepest;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (flat + steep) / 2;
        (exponential(middle, longest).mean() > mean ? flat : steep) = middle;
    }
    return exponential((flat + steep) / 2, longest);
}

std::vector<double> drawn_lengths(const lengths::Distribution& lengths, std::int64_t count) {
    std::vector<double> drawn;
    double below = 0;
    auto at = lengths.shares().begin();
    for (std::int64_t i = 0; i < count; ++i) {
        const double quantile = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
        while (std::next(at) != lengths.shares().end() && below + at->share < quantile) {
            below += at->share;
            ++at;
        }
        drawn.push_back(at->value);
    }
    for (std::size_t i = drawn.size(); i > 1; --i) {
        std::swap(drawn[i - 1], drawn[simulate::random_bits(i) % i]);
    }
    return drawn;
}

}  // namespace dodona::generation
