// What a walk over the plans of one mesh has found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/variant.hpp"

namespace dodona::search {

inline constexpr const char* kOutOfMemory = "out of memory";
inline constexpr const char* kOutOfHostMemory = "out of host memory";

/// Configurations that cannot run for one reason.
struct Infeasibility {
    std::string reason;
    std::int64_t count = 0;
    std::optional<Candidate> least;  ///< of those that lack memory: the one that needs least, the first among equals
};

struct MeshResult {
    std::int64_t configurations = 0;
    std::int64_t evaluated = 0;
    std::int64_t pruned = 0;            ///< settled by a bound
    std::optional<Candidate> best;      ///< of those that fit
    std::optional<Bytes> bound;         ///< of memory, more than there is: nothing was looked at more closely
    std::vector<Infeasibility> misses;  ///< by first reason, in the order in which they turned up

    void take(const Candidate& candidate) {
        if (!best || better(candidate, *best)) {
            best = candidate;
        }
    }
    Infeasibility& miss(const std::string& reason, std::int64_t count) {
        for (Infeasibility& known : misses) {
            if (known.reason == reason) {
                known.count += count;
                return known;
            }
        }
        return misses.emplace_back(Infeasibility{reason, count, {}});
    }
    void lacks_memory(const char* reason, const Candidate& candidate) {
        Infeasibility& known = miss(reason, 1);
        if (!known.least || candidate.memory < known.least->memory) {
            known.least = candidate;
        }
    }
};

}  // namespace dodona::search
