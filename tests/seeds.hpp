// Seeds of tests that draw. Half of them are always the same; the other half follows from DODONA_DRAW, which tests/run sets
// to the commit's hash and prints. DODONA_FULL=1, as in `./tests/run --full`, takes all fixed ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

namespace dodona::drawn {

/// Whether all are taken. What holds of many draws only in the mean is tested then.
inline bool full() {
    const char* const asked = std::getenv("DODONA_FULL");
    return asked != nullptr && *asked != '\0';
}

/// A number of the commit, other for each `set`.
inline unsigned commit_seed(unsigned set) {
    const char* const draw = std::getenv("DODONA_DRAW");
    unsigned hash = 2166136261U + set;  // FNV-1a
    for (const char c : std::string_view(draw == nullptr ? "" : draw)) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    return hash;
}

/// Seeds of one set: `most` fixed ones from 1000 * set on, or a tenth of them and as many that the commit draws. At least
/// one of each.
inline std::vector<unsigned> seeds(unsigned set, unsigned most) {
    const unsigned fixed = full() ? most : std::max(1U, most / 10);
    std::vector<unsigned> all;
    for (unsigned i = 0; i < fixed; ++i) {
        all.push_back(1000 * set + i);
    }
    std::mt19937 random(commit_seed(set));
    for (unsigned i = 0; i < (full() ? 0 : fixed); ++i) {
        all.push_back(1'000'000 + static_cast<unsigned>(random() % 1'000'000'000));
    }
    return all;
}

}  // namespace dodona::drawn
