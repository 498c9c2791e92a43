// The batch where none is asked for, and batches near one that does not divide well among the devices.
#pragma once

#include <cstdint>
#include <vector>

#include "search/search.hpp"

namespace dodona::search {

/// A default for the network. About four million tokens a step, up to 16 million where that gives each
/// device a sample; 128 samples, in whole groups of answers, where it is fine-tuned or most weights are frozen; of
/// recurrent networks 128 sequences on each device; 65,536 samples where there are tables of embeddings; or, for images and
/// volumes, 256 on each device of 40 GB or more and 64 on smaller ones, fewer where one is larger than 3 x 224 x 224.
std::int64_t default_batch(const graph::Graph& graph, const cluster::Cluster& cluster, std::int64_t devices);

/// Whether layers take a sequence step by step, however many samples it holds.
bool is_recurrent(const graph::Graph& graph);

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
