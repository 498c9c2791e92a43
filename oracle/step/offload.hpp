// Copies between a device and host memory for offloaded tensors.
//
// W, G, S: weights, gradients, optimizer states (master copies included) of a stage on one device, as sharded. K: its
// activations of one micro-batch. Each counts only where it is offloaded. The link is full duplex:
//
//   every forward pass     in W           out K
//   every backward pass    in W + G + K   out G        gradients are accumulated on the device
//   once a step            in S           out S + W    the device updates the states
//                or        out g          in w         the host's processors do (FrameworkParameter::host_update)
//   t = max(in, out) / bandwidth
//
// g, w: gradients and weights of the device's share of the states, each unless it is offloaded itself. The first
// micro-batch does not read G; an update on the device does. A device holds two buffers of the largest segment's share of
// each (double buffering), but never more than the whole. With overlap, copies hide behind their own pass, which is
// kernels, collectives and waits, except those of the last segment (`exposed`). Those shown come before gradients of
// inputs, which need the weights; a schedule that puts gradients of weights off does not put them off. What copies add
// to a pass is time in which state transfers go on, over other links (exposed_states). Copies of the update hide behind
// the last backward pass, where it leaves the link free, behind what it leaves of the gradients' reduction, and behind
// the update itself; g is out before an update on the host, w comes in behind it. All devices of a node share its
// memory, which an update on the host reads and writes:
//   t = host_update x devices of the node x bytes of the update (plan/optimizer.hpp) / memory bandwidth of the host
// It hides behind nothing: clipping needs the norm of all gradients.
// Only the share f of the states is offloaded (Offload::optimizer_share): S, g and w, and G where it goes with the
// states, count f times, as do the bytes of the update on the host; the device then updates the rest.
//
// With pages of unified memory (Offload::pages) the host keeps what a stage has no room for, E. The driver makes room by
// what was used longest ago, so that of E the states S, which only the update uses, go out and come in once a step, and the
// rest with every micro-batch, out as forward fills the device and in again in backward:
//   t = 2 (min(E, S) + m max(0, E - S)) / (kPageRate bandwidth)
// A kernel waits for the pages that it touches, and each waits until another is out: nothing hides, nothing is at once.
// Least times: tensors that are touched again and again while they do not fit go in and out each time.
// Source: Gu et al., UVMBench, arXiv:2007.09822, sections IV.C (rate) and IV.D (eviction of what was used longest ago).
//
// Not modelled: copies by hosts whose memory or switch is slower than all links together, updates a step late. Sources:
// Isaev et al., Calculon, SC'23, and calculon/llm/llm.py: max(weights, activations) forward, their sum with the states
// backward, each behind its block's compute and exposed tensor-parallel communication; "can't overlap DP with mem
// accesses, but can overlap with offload". Updates on the host: Ren et al., ZeRO-Offload, ATC'21, section 4. Shares:
// NVIDIA/Megatron-LM: megatron/core/optimizer/cpu_offloading/hybrid_optimizer.py; microsoft/DeepSpeed:
// runtime/zero/offload_config.py, ratio.
#pragma once

#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

struct StageOffload {
    Seconds forward;         ///< busy, one micro-batch
    Seconds backward;        ///< busy, one micro-batch
    Seconds update;          ///< busy, once a step, beside an update on the device
    Seconds gradients;       ///< busy, once a step, before an update on the host
    Seconds weights;         ///< busy, once a step, beside an update on the host
    PassCopies exposed;      ///< one micro-batch
    Seconds exposed_update;  ///< once a step: `exposed_update`
    Bytes in;                ///< of one device, the whole step
    Bytes out;
    Bytes kept;      ///< in host memory, of one device
    Seconds paging;  ///< busy and exposed, once a step
    [[nodiscard]] Seconds update_copies() const { return update + gradients + weights + paging; }
};

/// All zero where nothing is offloaded. `alone`: the passes of one micro-batch without copies, waits included.
/// Domain: a cluster with a host, otherwise.
StageOffload stage_offload(const cluster::Cluster& cluster, const plan::Plan& plan, const StateSums& states,
                           const KeptActivations& kept, const PassTotals& alone, std::int64_t microbatches);

/// Share of the bandwidth of copies that pages of unified memory move with: 15.2 % less, the mean of UVMBench's programs on
/// a GTX 1080 Ti and PCIe 3.0. Domain: NVIDIA's GPUs from Pascal on whose hosts are behind PCIe.
inline constexpr double kPageRate = 1 - 0.152;
/// Whether a device is in its domain, as far as its file says.
inline bool has_page_rate(const cluster::Device& device) {
    return device.maker().value_or(cluster::Maker::nvidia) == cluster::Maker::nvidia;
}

/// Adds the pages of a stage that needs `beyond` more than its device has; nothing unless the plan pages.
void add_pages(StageOffload& offload, const cluster::Cluster& cluster, const plan::Plan& plan, const StateSums& states,
               Bytes beyond, std::int64_t microbatches);

/// What copies of the update hide behind.
struct UpdateWindow {
    Seconds backward;    ///< the last backward pass without copies, waits included
    Seconds reductions;  ///< of gradients, after that pass
    Seconds update;      ///< of the states
};

/// Exposed time of the copies of the update. `buckets`: in which states are updated.
Seconds exposed_update(const StageOffload& offload, const plan::Plan& plan, const UpdateWindow& window,
                       std::int64_t buckets);

/// Time of the update of the states, on the device or on the host. `share`: of all trained weights.
Estimate update_time(const CostedGraph& costed, const plan::Plan& plan, const StateSums& states, double share);
/// The share that is updated on the host. Domain: plans that update there (plan::Plan::updates_on_host).
Estimate host_update(const cluster::Cluster& cluster, const plan::Plan& plan, const StateSums& states);

}  // namespace dodona::step
