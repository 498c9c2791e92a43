// What a search over the plans of one mesh has found.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "search/answer.hpp"
#include "search/simplicity.hpp"
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
    /// A plan that fits: the fastest with these settings.
    struct Kept {
        Settings settings;
        Candidate candidate;
    };

    std::int64_t configurations = 0;
    std::int64_t evaluated = 0;
    std::int64_t pruned = 0;                ///< ruled out by a bound
    std::optional<Seconds> fastest;         ///< of those that fit
    std::optional<Seconds> fastest_fitted;  ///< ... and are not beyond what their software was fitted to
    std::vector<Kept> kept;
    /// Lower bound of plans that may be faster than those kept where their pipelines are cut otherwise; none: no cut is.
    std::optional<Seconds> recut;
    std::optional<Bytes> bound;  ///< lower bound of memory where it exceeds what there is: no plan was evaluated
    std::vector<InfeasibleGroup> infeasible;  ///< by first cause, in order of appearance

    void take(const Candidate& candidate) {
        fastest = min(fastest.value_or(candidate.step), candidate.step);
        if (!candidate.is_beyond_fit) {
            fastest_fitted = min(fastest_fitted.value_or(candidate.step), candidate.step);
        }
        const Settings its = settings(candidate.variant, candidate.memory, candidate.limit);
        for (Kept& known : kept) {
            if (known.settings == its) {
                known.candidate = better(candidate, known.candidate) ? candidate : known.candidate;
                return;
            }
        }
        kept.push_back({its, candidate});
    }
    /// Drops what is slower than equally fast; plans within the fit of their software are compared with such only.
    void finish() {
        std::erase_if(kept, [&](const Kept& one) {
            return one.candidate.step > (1 + kEqualTime) * *(one.candidate.is_beyond_fit ? fastest : fastest_fitted);
        });
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
        const auto least = [](const Candidate& one) { return std::pair(one.memory, one.microbatch); };
        if (!known.least || least(candidate) < least(*known.least)) {  // in whatever order they are evaluated
            known.least = candidate;
        }
    }
};

}  // namespace dodona::search
