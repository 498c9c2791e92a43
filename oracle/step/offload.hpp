// Copies between a device and the memory of its host, beside the passes that need them.
//
// W, G, S: weights, gradients, optimizer states (master copies included) of a stage on one device, as sharded; K: what
// it keeps of one micro-batch for backward; each only where it is offloaded. The link carries both directions at once:
//
//   every forward pass     in W           out K
//   every backward pass    in W + G + K   out G        the gradient buffer visits the device to be added to
//   once a step            in S           out S + W    states stream through the device, which updates
//   t = max(in, out) / bandwidth
//
// The first micro-batch has no buffer to read; the update reads it instead. A device keeps two buffers of the largest
// segment's share of each (one is filled while the other is worked on) and never more than the whole.
// With overlap, copies hide behind the compute of their own pass, the last segment's show (`exposed`); those of the update
// behind the last backward pass, as far as it leaves the link free, and behind the update itself.
// Not modelled: an update on the processors of the host (Ren et al., ZeRO-Offload, ATC'21, sends gradients out and
// weights back instead), a host whose memory or switch is slower than all its links together.
// Source: Isaev et al., Calculon, SC'23, and calculon/llm/llm.py: max(weights, activations) forward, their sum with the
// states backward, each behind its block's compute.
#pragma once

#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

struct StageOffload {
    Seconds forward;         ///< busy, one micro-batch
    Seconds backward;        ///< busy, one micro-batch
    Seconds update;          ///< busy, once a step
    Seconds exposed_pass;    ///< of forward and backward, one micro-batch
    Seconds exposed_update;  ///< once a step
    Bytes in;                ///< of one device, the whole step
    Bytes out;
    Bytes kept;  ///< in host memory, of one device
};

/// What a stage does beside its copies.
struct StageSteps {
    Seconds forward;   ///< kernels of one micro-batch
    Seconds backward;  ///< ... with what is repeated
    Seconds update;
    std::int64_t microbatches = 1;
};

/// Nothing where nothing is offloaded; else the cluster has a host.
StageOffload stage_offload(const cluster::Cluster& cluster, const plan::Plan& plan, const StateSums& states,
                           const KeptActivations& kept, const StageSteps& steps);

}  // namespace dodona::step
