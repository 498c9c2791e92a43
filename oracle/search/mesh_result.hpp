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
    std::int64_t pruned = 0;        ///< ruled out by a bound
    std::optional<Candidate> best;  ///< of those that fit
    std::optional<Bytes> bound;     ///< lower bound of memory where it exceeds what there is: no plan was evaluated
    std::vector<InfeasibleGroup> infeasible;  ///< by first cause, in order of appearance

    void take(const Candidate& candidate) {
        if (!best || better(candidate, *best)) {
            best = candidate;
        }
    }
    void add_infeasible(const step::InfeasibleCause& cause, std::int64_t count) {
        for (InfeasibleGroup& known : infeasible) {
            if (known.cause == cause) {
                known.count += count;
                return;
            }
        }
        infeasible.push_back({cause, count, {}});
    }
    /// The group that lacks memory there; null if there is none yet.
    [[nodiscard]] InfeasibleGroup* find(step::MemoryPlace place) {
        for (InfeasibleGroup& known : infeasible) {
            const auto* cause = std::get_if<step::MemoryPlace>(&known.cause);
            if (cause != nullptr && *cause == place) {
                return &known;
            }
        }
        return nullptr;
    }
    InfeasibleGroup& out_of_memory(step::MemoryPlace place) {
        InfeasibleGroup* known = find(place);
        return known != nullptr ? *known : infeasible.emplace_back(InfeasibleGroup{place, 0, {}});
    }
    void add_out_of_memory(step::MemoryPlace place, const Candidate& candidate) {
        InfeasibleGroup& known = out_of_memory(place);
        ++known.count;
        if (!known.least || candidate.memory < known.least->memory) {
            known.least = candidate;
        }
    }
};

}  // namespace dodona::search
