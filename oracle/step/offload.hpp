// Copies between a device and host memory for offloaded tensors.
//
// W, G, S: weights, gradients, optimizer states (master copies included) of a stage on one device, as sharded. K: its
// activations of one micro-batch. Each counts only where it is offloaded. The link is full duplex:
//
//   every forward pass     in W           out K
//   every backward pass    in W + G + K   out G        gradients are accumulated on the device
//   once a step            in S           out S + W    the device updates the states
//   t = max(in, out) / bandwidth
//
// The first micro-batch does not read G; the update does. A device holds two buffers of the largest segment's share of
// each (double buffering), but never more than the whole. With overlap, copies hide behind their own pass, which is
// kernels, collectives and waits, except those of the last segment (`exposed`). Those shown come before gradients of
// inputs, which need the weights; a schedule that puts gradients of weights off does not put them off. What copies add
// to a pass is time in which state transfers go on, over other links (exposed_states). Copies of the update hide behind
// the last backward pass, where it leaves the link free, behind what it leaves of the gradients' reduction, and behind
// the update itself.
// Not modelled: updates on the host's processors (Ren et al., ZeRO-Offload, ATC'21, sends gradients out and weights
// back), hosts whose memory or switch is slower than all links together. Source: Isaev et al., Calculon, SC'23, and
// calculon/llm/llm.py: max(weights, activations) forward, their sum with the states backward, each behind its block's
// compute and exposed tensor-parallel communication; "can't overlap DP with mem accesses, but can overlap with offload".
#pragma once

#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

struct StageOffload {
    Seconds forward;         ///< busy, one micro-batch
    Seconds backward;        ///< busy, one micro-batch
    Seconds update;          ///< busy, once a step
    PassCopies exposed;      ///< one micro-batch
    Seconds exposed_update;  ///< once a step: `exposed_update`
    Bytes in;                ///< of one device, the whole step
    Bytes out;
    Bytes kept;  ///< in host memory, of one device
};

/// All zero where nothing is offloaded. `alone`: the passes of one micro-batch without copies, waits included.
/// Domain: a cluster with a host, otherwise.
StageOffload stage_offload(const cluster::Cluster& cluster, const plan::Plan& plan, const StateSums& states,
                           const KeptActivations& kept, const PassTotals& alone, std::int64_t microbatches);

/// What copies of the update hide behind.
struct UpdateWindow {
    Seconds backward;    ///< the last backward pass without copies, waits included
    Seconds reductions;  ///< of gradients, after that pass
    Seconds update;      ///< of the states
};

/// Exposed time of the copies of the update. `buckets`: in which states are updated.
Seconds exposed_update(const StageOffload& offload, const plan::Plan& plan, const UpdateWindow& window,
                       std::int64_t buckets);

}  // namespace dodona::step
