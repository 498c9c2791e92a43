#include "search/convolution_choice.hpp"

#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::search {

namespace {

using Options = std::vector<WorkspaceOption>;

/// Parts of the room that a workspace takes, rounded up; more than there are: it does not fit.
std::size_t units(Bytes workspace, Bytes room) {
    if (workspace <= Bytes{}) {
        return 0;
    }
    const double parts =
        room > Bytes{} ? std::ceil(workspace / room * static_cast<double>(kMemoryUnits) - 1e-9) : kMemoryUnits + 1.0;
    return parts > static_cast<double>(kMemoryUnits) ? kMemoryUnits + 1 : static_cast<std::size_t>(parts);
}

/// best[u]: the least time of the layers so far with u units; chosen[l][u]: what layer l then takes.
std::vector<std::size_t> knapsack(const std::vector<Options>& layers, Bytes room) {
    const Seconds never = Seconds::of_base(std::numeric_limits<double>::infinity());
    std::vector<Seconds> best(kMemoryUnits + 1);
    std::vector<std::vector<std::size_t>> chosen;
    for (const Options& options : layers) {
        std::vector<Seconds> next(kMemoryUnits + 1, never);
        chosen.emplace_back(kMemoryUnits + 1, 0);
        for (std::size_t j = 0; j < options.size(); ++j) {
            for (std::size_t u = units(options[j].workspace, room); u <= kMemoryUnits; ++u) {
                const Seconds time = best[u - units(options[j].workspace, room)] + options[j].time;
                if (time < next[u]) {
                    next[u] = time;
                    chosen.back()[u] = j;
                }
            }
        }
        best = std::move(next);
    }
    std::vector<std::size_t> taken(layers.size());
    std::size_t left = kMemoryUnits;
    for (std::size_t l = layers.size(); l-- > 0;) {
        taken[l] = chosen[l][left];
        left -= units(layers[l][taken[l]].workspace, room);
    }
    return taken;
}

std::size_t fastest_that_fits(const Options& options, Bytes room) {
    std::size_t fastest = options.size();
    for (std::size_t j = 0; j < options.size(); ++j) {
        const bool fits = options[j].workspace <= max(room, Bytes{});
        if (fits && (fastest == options.size() || options[j].time < options[fastest].time)) {
            fastest = j;
        }
    }
    check(fastest < options.size(), "an option without workspace fits");
    return fastest;
}

}  // namespace

WorkspaceChoice choose(const std::vector<Options>& layers, Bytes room, Workspaces workspaces) {
    WorkspaceChoice choice;
    if (workspaces == Workspaces::each) {
        choice.chosen = knapsack(layers, room);
    } else {
        append(choice.chosen, layers, [&](const Options& options) { return fastest_that_fits(options, room); });
    }
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const WorkspaceOption& taken = layers[l][choice.chosen[l]];
        choice.time += taken.time;
        choice.workspace = workspaces == Workspaces::each ? choice.workspace + taken.workspace
                                                          : max(choice.workspace, taken.workspace);
    }
    return choice;
}

}  // namespace dodona::search
