// What loads beside a job would cost it: on which resource they hurt, and how many cores of a node can be lent to them.
//
// A load comes in bursts on each node, in a phase of its own. While it is on it takes half of one resource, the max-min
// fair share of one that wants all of it beside a job that does too: work on it takes twice as long. A job that wants less
// than half is not slowed down, so that this is an upper bound. All nodes wait for the slowest: with n nodes a step
// meets a burst with 1 - (1 - duty)^n.
//
// Decoding has the cores of its node. With a share f of them it takes 1 / f as long, and what the step does not hide of
// that is exposed (step/input_time.hpp). Besides, each rank keeps a core for its process and one for the threads that
// communicate.
// Source: the patterns of the noise generator NOIGENA, such as M2S2; Rojas et al. (2022) on lending idle cores.
#pragma once

#include <optional>
#include <vector>

#include "play/noisy_steps.hpp"

namespace dodona::play {

/// A resource with a load on it.
struct LoadEffect {
    simulate::NoiseOn on{};
    StepStatistics steps;
    double touched = 0;  ///< share of the steps that take longer
};

struct LentCores {
    std::int64_t cores = 0;  ///< of a node
    double decoding = 0;     ///< cores that decode, with which a step is `kMaxSlowDown` longer than with all of them
    bool assumed = false;    ///< ... as many as kDecodedOnCore decodes on, for want of the framework's `input`
    std::int64_t ranks = 0;  ///< of the node: processes, with their threads that communicate
    std::int64_t lendable = 0;
};

struct NoiseStudy {
    Seconds burst = 2_s;
    Seconds silence = 2_s;
    Seconds without;
    std::vector<LoadEffect> loads;  ///< the one that hurts most first; fewer if it was stopped
    double host_memory = 0;         ///< share of the bandwidth of a host's memory that the job needs
    std::optional<LentCores> lent;
};

/// By how much the step may be longer with cores lent.
inline constexpr double kMaxSlowDown = 0.01;
inline constexpr std::int64_t kCoresPerRank = 2;
/// JPEG images that a fast loader decodes, crops and flips on a core in a second. Source: libffcv/ffcv, docs/benchmarks.rst:
/// 31,278 of 512 pixels and quality 90 from memory, on all 48 cores of a p3dn.24xlarge. Domain: images of ImageNet;
/// loaders in Python are slower.
inline constexpr double kDecodedOnCore = 31'278.0 / 48;

/// What decodes on a node.
struct HostCores {
    std::optional<std::int64_t> cores;  ///< none: nothing is said of cores
    bool images = false;                ///< samples are images
};

/// `settings`: seed, workers, go_on; steps follow from the bursts.
NoiseStudy noise_study(const SimulatedStep& step, const cluster::Cluster& cluster, const NoiseSettings& settings,
                       const HostCores& host);

}  // namespace dodona::play
