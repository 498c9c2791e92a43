// What a search over the plans of one mesh has found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/variant.hpp"
#include "step/infeasibility.hpp"

namespace dodona::search {

/// Configurations that cannot run for one cause.
struct InfeasibleGroup {
    step::InfeasibleCause cause;
    std::int64_t count = 0;
    std::optional<Candidate> least;  ///< of those that lack memory: the one that needs least, the first among equals
};

struct MeshResult {
    std::int64_t configurations = 0;
    std::int64_t evaluated = 0;
    std::int64_t pruned = 0;                  ///< settled by a bound
    std::optional<Candidate> best;            ///< of those that fit
    std::optional<Bytes> bound;               ///< of memory, more than there is: nothing was looked at more closely
    std::vector<InfeasibleGroup> infeasible;  ///< by first cause, in the order in which they turned up

    void take(const Candidate& candidate) {
        if (!best || better(candidate, *best)) {
            best = candidate;
        }
    }
    InfeasibleGroup& add_infeasible(const step::InfeasibleCause& cause, std::int64_t count) {
        for (InfeasibleGroup& known : infeasible) {
            if (known.cause == cause) {
                known.count += count;
                return known;
            }
        }
        return infeasible.emplace_back(InfeasibleGroup{cause, count, {}});
    }
    void add_out_of_memory(step::MemoryPlace place, const Candidate& candidate) {
        InfeasibleGroup& known = add_infeasible(place, 1);
        if (!known.least || candidate.memory < known.least->memory) {
            known.least = candidate;
        }
    }
};

}  // namespace dodona::search
