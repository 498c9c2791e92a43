// Batches near one that does not divide well among the devices.
#pragma once

#include <cstdint>
#include <vector>

#include "search/search.hpp"

namespace dodona::search {

/// Batches within 10 % of `batch` that divide among more data ranks than it: of n, n/2, n/4, ... ranks the first number
/// for which there are some, the nearest below and above; none where `batch` itself divides by that number.
std::vector<std::int64_t> dividing_batches(std::int64_t batch, std::int64_t devices);

/// Of these the nearest to `batch`; `batch` where there is none.
std::int64_t nearest_dividing_batch(std::int64_t batch, std::int64_t devices);

/// Those under which the best plan trains more samples a second than that of `answer` by more than kEqualTime, or under
/// which anything fits; the best first.
std::vector<OtherBatch> better_batches(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                                       const Answer& answer, const Progress& progress = {});

}  // namespace dodona::search
