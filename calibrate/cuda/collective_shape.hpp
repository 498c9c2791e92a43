// What each rank of a collective holds, and what comes of it. Needs no GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dodona::calibrate::cuda {

enum class CollectiveKind { all_reduce, reduce_scatter, all_gather, all_to_all, broadcast };

/// Elements of fp32.
struct CollectiveShape {
    CollectiveKind kind = CollectiveKind::all_reduce;
    int ranks = 2;
    bool in_place = false;
    std::int64_t part = 0;      ///< that NCCL is asked for: all of it, or a rank's share
    std::int64_t sent = 0;      ///< of a rank's buffer
    std::int64_t received = 0;  ///< likewise
};

/// `bytes`: of the full buffer (benchmark_case.hpp); what does not divide by the ranks is left out. Throws
/// CannotMeasure for an unknown word, less than an element a rank, or an all-to-all in place, which NCCL has not.
CollectiveShape collective_shape(const std::string& word, std::int64_t bytes, int ranks, bool in_place);

/// The first `count` numbers that the last rank receives, not in place; `sent`: of each rank.
std::vector<double> expected_of_last(const CollectiveShape& shape, const std::vector<std::vector<float>>& sent,
                                     std::size_t count);

}  // namespace dodona::calibrate::cuda
