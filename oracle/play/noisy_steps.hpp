// Many steps of a job with noise.
//
// Each replica plays its passes with draws of its own; ranks that synchronise in every pass are played as one, as slow as
// the slowest of them. A stage reduces its gradients when all replicas have ended its passes, and all ranks update when
// all gradients are reduced. The next step begins when the slowest rank has ended. Replicas that noise does not part are
// played once for all.
//
// Each node reads its samples ahead, up to kBatchesAhead batches: a step begins when the batches of all nodes are there,
// so that noise on storage is hidden until the queue is empty.
//
// Noise on the memory of hosts comes from a load that takes all the bandwidth B it can get. Two that share it max-min fairly
// get half each, or what they need if that is less: a job that needs U takes max(1, 2 U / B) times as long. A share s of
// noise on memory is one of s max(0, 2 U / B - 1) on the host. U: bytes of samples and of copies of offloaded tensors that
// the memory of a node carries in a step, over the step's time.
//
// Not modelled: noise within a collective (a pass waits for its slowest rank once, at its end), stages that begin the next
// step before the slowest has ended this one, a reduction that begins before the slowest replica's last pass.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "play/rank_layout.hpp"
#include "play/simulated_step.hpp"
#include "simulate/noise_source.hpp"

namespace dodona::play {

/// Batches that are read before they are needed. Source: torch.utils.data.DataLoader, prefetch_factor, default 2.
inline constexpr std::int64_t kBatchesAhead = 2;

struct NoiseSettings {
    std::vector<simulate::NoiseSource> sources;
    std::int64_t steps = 100;
    std::uint64_t seed = 1;
    int workers = 1;                                    ///< 0: as many as processors
    std::function<bool()> go_on = [] { return true; };  ///< asked before every step
    /// What a micro-batch takes over the prediction's, forward and backward; may be called by several threads at once.
    /// Null: as long.
    std::function<double(std::int64_t replica, std::int64_t step, std::int32_t micro_batch)> work = nullptr;
};

/// Of a number of steps.
struct StepStatistics {
    Seconds mean;
    Seconds deviation;
    /// 95 % confidence interval of the mean, as of steps that are independent: mean +- 1.96 deviation / sqrt(steps).
    Seconds low;
    Seconds high;
};
/// All zero without steps; without an interval of one.
StepStatistics statistics(const std::vector<Seconds>& steps);
/// The least step that at least `share` of the steps do not exceed. Domain: at least one step.
Seconds percentile(std::vector<Seconds> steps, double share);

/// A part of the job: its first replicas, with the exchange of the whole job.
struct NoisyScale {
    std::int64_t replicas = 1;
    std::int64_t ranks = 1;
    StepStatistics steps;
};

/// The same with the noise of one kind alone.
struct NoiseAlone {
    simulate::NoiseOn on{};
    StepStatistics steps;
};

struct NoisySteps {
    NoiseSettings settings;
    RankLayout layout;
    Seconds without;                 ///< a step without noise
    std::vector<Seconds> steps;      ///< in order; fewer than asked for if it was stopped
    std::vector<NoisyScale> scales;  ///< 1, 2, 4, ... replicas and all; empty for one replica
    std::vector<NoiseAlone> alone;   ///< by kind, where there are several
    std::int64_t played = 1;         ///< replicas that were played
    [[nodiscard]] StepStatistics all() const { return statistics(steps); }
    /// What is left of the speed without noise.
    [[nodiscard]] double efficiency(const StepStatistics& of) const;
    [[nodiscard]] bool complete() const { return static_cast<std::int64_t>(steps.size()) == settings.steps; }
};

/// U / B of a node.
double host_memory_use(const SimulatedStep& step, const cluster::Cluster& cluster);

/// Throws InputError where devices differ, or where tasks choose their order while they are played.
NoisySteps noisy_steps(const SimulatedStep& step, const cluster::Cluster& cluster, const NoiseSettings& settings);

}  // namespace dodona::play
