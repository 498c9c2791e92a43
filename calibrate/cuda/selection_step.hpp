// What follows from a pass over the values of a selection: the next digit of a key, or the next threshold. One thread
// computes it after all have counted. The host compiles it as well, so that tests of it need no GPU.
#pragma once

#include <cstdint>

#include "calibrate/cuda/block_codes.hpp"

namespace dodona::calibrate::cuda {

inline constexpr int kDigitBits = 8;
inline constexpr int kDigits = 1 << kDigitBits;

/// The k-th largest key as far as it is known, from its highest bits on.
struct KeySearch {
    std::uint32_t found;  ///< its known bits
    std::uint32_t known;  ///< which those are
    std::uint32_t left;   ///< the key's rank among those that share the known bits
};

/// Whether keys that share the known bits count in the next pass.
DODONA_HOST_DEVICE inline bool competes(const KeySearch& search, std::uint32_t key) {
    return (key & search.known) == search.found;
}

/// Whether the digit is the key's: of those that compete `above` have a larger one and `count` have it.
DODONA_HOST_DEVICE inline bool has_rank(const KeySearch& search, std::uint32_t above, std::uint32_t count) {
    return above < search.left && search.left - above <= count;
}

DODONA_HOST_DEVICE inline KeySearch with_digit(const KeySearch& search, std::uint32_t digit, int shift,
                                               std::uint32_t above) {
    return {search.found | digit << shift, search.known | (kDigits - 1U) << shift, search.left - above};
}

/// Thresholds around the k-th largest magnitude.
struct ThresholdSearch {
    float least;               ///< at least k elements reach it
    float sure;                ///< fewer than k are above it
    float next;                ///< to be tried
    std::uint32_t above_sure;  ///< how many are
};

/// After `above` elements were found above the threshold that was tried.
DODONA_HOST_DEVICE inline ThresholdSearch narrowed(ThresholdSearch search, std::uint32_t above, std::uint32_t k) {
    if (above < k) {
        search.sure = search.next;
        search.above_sure = above;
    } else {
        search.least = search.next;
    }
    search.next = (search.least + search.sure) / 2;
    return search;
}

/// Which elements are taken: all above `sure`, and the first `open` of those from `least` to it.
struct Taking {
    std::uint32_t least, sure;  ///< keys
    std::uint32_t open;
};

DODONA_HOST_DEVICE inline bool is_sure(const Taking& taking, std::uint32_t key) { return key > taking.sure; }
DODONA_HOST_DEVICE inline bool may_fill(const Taking& taking, std::uint32_t key) {
    return key <= taking.sure && key >= taking.least;
}

}  // namespace dodona::calibrate::cuda
