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
// each (double buffering), but never more than the whole. With overlap, copies hide behind the compute of their own
// pass, except those of the last segment (`exposed`). Copies of the update hide behind the last backward pass, where it
// leaves the link free, behind what it leaves of the gradients' reduction (another link), and behind the update itself.
// Not modelled: updates on the host's processors (Ren et al., ZeRO-Offload, ATC'21, sends gradients out and weights
// back), hosts whose memory or switch is slower than all links together. Source: Isaev et al., Calculon, SC'23, and calculon/llm/llm.py: max(weights, activations) forward, their
// sum with the states backward, each behind its block's compute.
#pragma once

#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

struct StageOffload {
    Seconds forward;           ///< busy, one micro-batch
    Seconds backward;          ///< busy, one micro-batch
    Seconds update;            ///< busy, once a step
    Seconds exposed_forward;   ///< one micro-batch
    Seconds exposed_backward;  ///< one micro-batch
    Seconds exposed_update;    ///< once a step
    Bytes in;                  ///< of one device, the whole step
    Bytes out;
    Bytes kept;  ///< in host memory, of one device
};

/// Compute of a stage that copies may hide behind.
struct StageSteps {
    Seconds forward;   ///< kernels of one micro-batch
    Seconds backward;  ///< ... with recomputation
    Seconds update;
    std::int64_t microbatches = 1;
    Seconds reductions;  ///< of gradients, that no kernel hides: copies of the update go on beside them
};

/// All zero where nothing is offloaded. Domain: a cluster with a host, otherwise.
StageOffload stage_offload(const cluster::Cluster& cluster, const plan::Plan& plan, const StateSums& states,
                           const KeptActivations& kept, const StageSteps& steps);

}  // namespace dodona::step
