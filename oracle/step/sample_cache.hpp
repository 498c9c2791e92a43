// Reading samples over epochs, where nodes keep what they have read: a data set far away, disks, memory.
//
//   share_i        of a node's part of the data set is read from tier i; the fastest tier that was filled in the epoch
//                  before keeps what it has room for, those before it the rest
//   reading        = max over i of share_i b s_i / bandwidth_i      tiers are read at once; b samples of a node in a step
//   s_i            bytes of a sample as stored, or of its tensors where the tier keeps it decoded
//   decoding       only of what is not kept decoded
//   step           = t + what of both exceeds t, or t + both without prefetching
//
// In the first epoch everything is read where the data set is, the first tier; tier i + 1 is filled in the i-th epoch.
// A tier that would be slower than the one before, bandwidth_i / s_i, is not used.
// Each node reads the same part of the data set in every epoch, and keeps no samples for others.
// Not modelled: what writing into the caches takes, samples that are dealt anew to all nodes, caches of the system.
// Source: Shi et al., "Towards scalable distributed training of deep learning on public cloud clusters",
// arXiv:2010.10458, section 4.1 (DataCache: the network's file system in the first epoch, local SSD, memory).
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.hpp"
#include "step/pipeline_costs.hpp"

namespace dodona::step {

struct SampleCacheQuestion {
    const std::vector<cluster::SampleTier>& tiers;  ///< one or more
    double samples = 0;                             ///< of the data set
    Bytes sample;                                   ///< as stored
    Bytes tensors;                                  ///< of a sample, decoded
    std::int64_t nodes = 1;
    std::int64_t batch = 1;  ///< of all nodes
    std::int64_t epochs = 3;
    Seconds step;      ///< without input
    InputCosts input;  ///< decoding and feeding of a step; reading is not read
};

/// What a step reads from a tier.
struct TierUse {
    std::size_t tier = 0;
    double share = 0;  ///< of the samples
    Seconds reading;
};

struct EpochInput {
    std::vector<TierUse> tiers;  ///< those that are read, slowest first
    Seconds reading;             ///< of a step
    Seconds decoding;            ///< of a step
    Seconds exposed;             ///< of a step
    Seconds step;
    double steps = 0;  ///< of the epoch; the last one may be in part
    Seconds time;      ///< of the epoch
    /// Of input, if compute took no time.
    [[nodiscard]] Seconds input() const { return max(reading, decoding); }
};

/// By epoch.
std::vector<EpochInput> epoch_inputs(const SampleCacheQuestion& question);

}  // namespace dodona::step
