#include "graph/expert_loads.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace dodona::graph {

namespace {

/// Load of the fullest rank over that of all.
double fullest_share(const std::vector<double>& loads, std::size_t each) {
    double fullest = 0;
    for (std::size_t first = 0; first < loads.size(); first += each) {
        const auto begin = loads.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = loads.begin() + static_cast<std::ptrdiff_t>(std::min(loads.size(), first + each));
        fullest = std::max(fullest, std::accumulate(begin, end, 0.0));
    }
    return fullest / std::accumulate(loads.begin(), loads.end(), 0.0);
}

/// Whether the dimension or loop holds experts, and takes the loads where it can.
template <class Held>
void take(Held& held, const std::vector<double>& fullest, LoadsTaken& found) {
    if (held.name != "expert" || held.density == 1 || held.extent != static_cast<Extent>(fullest.size())) {
        return;
    }
    const bool even = held.fullest == std::vector<double>{1};
    if (!even) {
        held.fullest = fullest;
    }
    found = even && found != LoadsTaken::taken ? LoadsTaken::even : LoadsTaken::taken;
}

}  // namespace

std::vector<double> fullest_ranks(const ExpertLoads& loads) {
    check(!loads.empty(), "loads of a layer");
    const std::size_t experts = loads.front().size();
    std::vector<double> fullest;
    for (std::size_t ranks = 1; ranks <= experts; ++ranks) {
        const std::size_t each = (experts + ranks - 1) / ranks;
        double sum = 0;
        for (const std::vector<double>& layer : loads) {
            sum += fullest_share(layer, each) * static_cast<double>(experts) / static_cast<double>(each);
        }
        fullest.push_back(sum / static_cast<double>(loads.size()));
    }
    return fullest;
}

LoadsTaken take_loads(Graph& graph, const ExpertLoads& loads) {
    const std::vector<double> fullest = fullest_ranks(loads);
    LoadsTaken found = LoadsTaken::other_number;
    for (Layer& layer : graph.layers) {
        for (Loop& loop : layer.nest.loops) {
            take(loop, fullest, found);
        }
        for (TensorDimension& dimension : layer.nest.result.dimensions) {
            take(dimension, fullest, found);
        }
    }
    return found;
}

}  // namespace dodona::graph
