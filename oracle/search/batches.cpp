#include "search/batches.hpp"

#include <algorithm>

namespace dodona::search {

namespace {

/// Farther from what was asked for is another question.
constexpr double kNearBatch = 0.1;

}  // namespace

std::vector<std::int64_t> dividing_batches(std::int64_t batch, std::int64_t devices) {
    for (std::int64_t ranks = devices; ranks > 1; ranks /= 2) {
        if (batch % ranks == 0) {
            return {};
        }
        std::vector<std::int64_t> found;
        for (const std::int64_t near : {batch / ranks * ranks, (batch / ranks + 1) * ranks}) {
            const double off = static_cast<double>(near - batch) / static_cast<double>(batch);
            if (near > 0 && off >= -kNearBatch && off <= kNearBatch) {
                found.push_back(near);
            }
        }
        if (!found.empty() || ranks % 2 != 0) {
            return found;
        }
    }
    return {};
}

std::int64_t nearest_dividing_batch(std::int64_t batch, std::int64_t devices) {
    const auto off = [batch](std::int64_t other) { return other > batch ? other - batch : batch - other; };
    const std::vector<std::int64_t> near = dividing_batches(batch, devices);
    const auto best =
        std::min_element(near.begin(), near.end(), [&](std::int64_t a, std::int64_t b) { return off(a) < off(b); });
    return best == near.end() ? batch : *best;
}

std::vector<OtherBatch> better_batches(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                                       const Answer& answer, const Progress& progress) {
    std::vector<OtherBatch> better;
    const double now = answer.plans.empty() ? 0 : answer.plans.front().samples_per_second;
    for (const std::int64_t batch : dividing_batches(space.batch, space.devices)) {
        Space other = space;
        other.batch = batch;
        other.top = 1;
        Answer found = search(graph, cluster, other, progress);
        if (found.counts.optimal && !found.plans.empty() &&
            found.plans.front().samples_per_second > (1 + kEqualTime) * now) {
            const double gain = now > 0 ? found.plans.front().samples_per_second / now : 0;
            better.push_back({batch, gain, std::move(found.plans.front())});
        }
    }
    std::stable_sort(better.begin(), better.end(), [](const OtherBatch& a, const OtherBatch& b) {
        return a.plan.samples_per_second > b.plan.samples_per_second;
    });
    return better;
}

}  // namespace dodona::search
