// What micro-batches are made of where samples differ in length.
//
//   pad      as they come, m at a time; each sample is padded to the longest of its micro-batch
//   bucket   samples are sorted into buckets by length, a micro-batch is of one bucket, padded as above
//   pack     samples are put one after another into rows of S tokens, best fit, the longest first; none is cut and
//            attention sees the tokens of one sample only; lengths are those at evenly spaced quantiles
//
// Of m samples of one length l_i at most with probability F_i, the longest is l_i with F_i^m - F_(i-1)^m. A packed row
// has the work of S tokens, and in attention that of sum(l^2) pairs: as rows of samples that are all sum(l^2) / S long.
//
// Not modelled: samples that are cut, kernels of attention that slow down where lengths in a row differ, an order of
// samples that is not drawn.
// Sources: PyTorch's pad_sequence and Hugging Face's DataCollatorWithPadding (padding to the longest of a batch);
// tf.data's bucket_by_sequence_length (one bucket a batch, padded to its longest sample); Ding et al., arXiv:2404.10830
// (best-fit packing, the longest first); Dao, arXiv:2307.08691 (attention within the samples of a row).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "lengths/distribution.hpp"

namespace dodona::lengths {

enum class Packing { pack, bucket, pad };
inline constexpr std::array kPackingTable{
    Enumerator(Packing::pack, "pack", "several samples in a row, each seen by itself"),
    Enumerator(Packing::bucket, "bucket", "samples of a like length in a micro-batch, padded to its longest"),
    Enumerator(Packing::pad, "pad", "samples as they come, padded to the longest of a micro-batch")};
constexpr const auto& enumerators(Packing /*type*/) { return kPackingTable; }
inline constexpr std::array kPackings = values_of(kPackingTable);
constexpr std::string_view name(Packing packing) { return name_of(packing); }

/// Samples that are packed at once: at least so many, and so many rows unless that takes too many samples.
inline constexpr double kLeastPacked = 4096;
inline constexpr double kMaxPacked = 100'000;
inline constexpr double kPackedRows = 256;

struct MicroBatchQuestion {
    const Distribution& lengths;  ///< of samples, in tokens
    Packing packing = Packing::pack;
    double row = 0;               ///< S: tokens of a packed row; no sample is longer
    std::int64_t samples = 1;     ///< m: samples, or rows, of a micro-batch
    std::vector<double> edges{};  ///< of buckets: the longest sample of each but the last; empty: powers of two
};

/// What a step draws anew for every micro-batch, or for every row of it.
struct MicroBatches {
    /// The length that all samples of a micro-batch have once they are padded. pack: sum(l^2) / S of a row.
    Distribution drawn;
    std::int64_t draws = 1;  ///< of a micro-batch: m rows, or one
    double samples = 1;      ///< of a micro-batch, on average
    // Of a micro-batch:
    double tokens = 0;  ///< of samples, on average
    double tokens_deviation = 0;
    double positions = 0;  ///< with padding, on average
    double positions_deviation = 0;
    double squares = 0;  ///< of lengths, padding included where attention works on it: what attention's work goes with
    double squares_deviation = 0;
    [[nodiscard]] double padding() const { return 1 - tokens / positions; }  ///< share of positions
};

MicroBatches micro_batches(const MicroBatchQuestion& question);

/// The powers of two between the shortest and the longest sample.
std::vector<double> powers_of_two(const Distribution& lengths);

}  // namespace dodona::lengths
