// The allocator of a stage, played through a step: what it takes from the driver for what the stage allocates.
//
// The stage runs the tasks of its schedule in their order. Each allocates and frees as its layers do
// (stage_tensors.hpp); states are there before. Micro-batches beyond those of the steady state repeat it and are left
// out. Two steps are played, since the second finds the segments of the first. Not modelled: several streams, workspaces
// of single kernels, weights that autocast copies, tensors that blocks read alike, buffers of pipeline neighbours, the
// order in which an optimizer updates.
#pragma once

#include <cstddef>
#include <optional>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "play/caching_allocator.hpp"

namespace dodona::play {

struct AllocatorUse {
    Bytes allocated;   ///< largest
    Bytes reserved;    ///< largest
    Bytes passing;     ///< of `allocated`, what is not states
    bool fits = true;  ///< in the device's memory; else what it would take from a larger one

    /// Reserved and not allocated, over what comes and goes: as plan::MemoryProfile::fragmentation.
    [[nodiscard]] double fragmentation() const;
};

struct PlayedAllocator {
    std::size_t stage = 0;    ///< from 0
    AllocatorUse fixed;       ///< with segments of fixed size, as by default
    AllocatorUse expandable;  ///< with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
};

/// Of a stage (from 0) of the replica that finishes last; none for a plan that keeps tensors in host memory or puts
/// gradients of weights off, and for devices that PyTorch serves otherwise. Throws InputError where the schedule has no
/// order. Domain: a plan whose prediction runs.
std::optional<PlayedAllocator> play_allocator(const graph::Graph& graph, const cluster::Cluster& cluster,
                                              const plan::Plan& plan, std::size_t stage);

}  // namespace dodona::play
