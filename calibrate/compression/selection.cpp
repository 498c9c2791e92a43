#include "calibrate/compression/selection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/ranges.hpp"

namespace dodona::calibrate {

namespace {

/// Grows with the magnitude.
std::uint32_t key_of(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fffffffU; }

/// The key of the k-th largest magnitude. Domain: 1 <= k <= number of values.
std::uint32_t key_of_rank(std::span<const float> values, std::size_t k) {
    std::uint32_t found = 0;
    std::uint32_t known = 0;  // bits of `found` that are
    for (unsigned shift = 32; shift > 0;) {
        shift -= 8;
        std::array<std::size_t, 256> counts{};
        for (const float value : values) {
            const std::uint32_t key = key_of(value);
            counts[(key >> shift) & 0xffU] += (key & known) == found ? 1 : 0;
        }
        std::uint32_t digit = 255;
        while (counts[digit] < k) {
            k -= counts[digit];
            --digit;
        }
        found |= digit << shift;
        known |= 0xffU << shift;
    }
    return found;
}

/// All whose key is above `sure`, and the first of those from `least` on until there are k.
std::vector<std::uint32_t> taken(std::span<const float> values, std::uint32_t sure, std::uint32_t least,
                                 std::size_t k) {
    std::size_t open = k;
    for (const float value : values) {
        open -= key_of(value) > sure ? 1 : 0;
    }
    std::vector<std::uint32_t> indices;
    indices.reserve(k);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t key = key_of(values[i]);
        const bool fills = key <= sure && key >= least && open > 0;
        open -= fills ? 1 : 0;
        if (key > sure || fills) {
            indices.push_back(static_cast<std::uint32_t>(i));
        }
    }
    return indices;
}

struct Magnitudes {
    float mean = 0;
    float most = 0;
};

Magnitudes magnitudes_of(std::span<const float> values) {
    double sum = 0;
    float most = 0;
    for (const float value : values) {
        sum += std::abs(value);
        most = std::max(most, std::abs(value));
    }
    return {static_cast<float>(sum / static_cast<double>(values.size())), most};
}

}  // namespace

std::vector<std::uint32_t> largest_exactly(std::span<const float> values, std::size_t k) {
    if (k == 0) {
        return {};
    }
    const std::uint32_t least = key_of_rank(values, k);
    return taken(values, least, least, k);
}

std::vector<std::uint32_t> largest_by_threshold(std::span<const float> values, std::size_t k, int passes) {
    if (k == 0) {
        return {};
    }
    const auto [mean, most] = magnitudes_of(values);
    float least = 0;    // at least k elements reach it
    float sure = most;  // fewer than k elements are above it
    for (int pass = 0; pass < passes; ++pass) {
        const float threshold = pass == 0 ? mean : (least + sure) / 2;
        const auto above =
            sum_of<std::size_t>(values, [&](const float value) { return std::abs(value) > threshold ? 1 : 0; });
        (above < k ? sure : least) = threshold;
    }
    return taken(values, key_of(sure), key_of(least), k);
}

}  // namespace dodona::calibrate
