#include "questions/growth.hpp"

#include "search/batches.hpp"

namespace dodona::questions {

search::Growth default_growth(const graph::Graph& graph, const cluster::Cluster& cluster) {
    search::Growth growth{.batch = {}, .machine = cluster.devices(), .asked = {}};
    const std::int64_t on_one = search::default_batch(graph, cluster, 1);
    growth.samples_per_device = on_one;
    if (search::default_batch(graph, cluster, 2) == on_one && on_one > 1) {
        growth.batch = on_one;
    }
    return growth;
}

}  // namespace dodona::questions
