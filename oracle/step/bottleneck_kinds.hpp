// The kinds of bottlenecks, each with its threshold and the source of that.
//
// Categories, and whether a bottleneck is inherent in the strategy (L) or can be removed by software or machine (B):
// Kahira et al., HPDC'21 (arXiv:2104.09075), Table 6; "input/output": its technical report. The bubble, launches and
// copies to the host are not in that table. Measured shares: that paper, its report's Table VIII and its public ABCI
// logs.
#pragma once

#include <array>
#include <string_view>

namespace dodona::step {

enum class BottleneckKind {
    gradient_exchange,
    layer_collectives,
    halo_exchange,
    stage_transfers,
    congestion,
    memory_redundancy,
    memory_stalling,
    weight_update,
    balance,
    compute_redundancy,
    devices,
    input,
    bubble,
    launch,
    host_link,
};

struct BottleneckRow {
    BottleneckKind kind;
    std::string_view name;
    std::string_view category;
    bool inherent = false;  ///< L: inherent in the strategy
    double threshold = 0;   ///< reported above this
    std::string_view evidence;
};

inline constexpr std::array kBottlenecks{
    BottleneckRow{BottleneckKind::gradient_exchange, "gradient exchange", "communication", true, 0.20,
                  "share of the step; on 8 V100 of ABCI, 12 % of ResNet-50's step, "
                  "which scales on, is more than one V100 takes, and 42 % of VGG-16's"},
    BottleneckRow{BottleneckKind::layer_collectives, "layer-wise collective", "communication", true, 0.50,
                  "share of the step; filter and channel on ABCI communicate for 55 to "
                  "90 % of it, data+filter of ResNet-50, which scales, for 40 to 52 %"},
    BottleneckRow{BottleneckKind::halo_exchange, "point-to-point", "communication", false, 0.25,
                  "halo over gradient exchange; the paper reports 60 % for ResNet-50 on 128 V100"},
    BottleneckRow{BottleneckKind::stage_transfers, "pipeline send/recv", "communication", false, 0.10,
                  "share of the step; sending a tensor in parts won up to 11 % (Narayanan et al., SC'21, section 5.7)"},
    BottleneckRow{BottleneckKind::congestion, "network congestion", "communication", false, 1.0,
                  "flows of the job on one link, which divide its bandwidth; data+filter runs on ABCI fit phi = 2"},
    BottleneckRow{BottleneckKind::memory_redundancy, "memory redundancy", "memory", false, 0.50,
                  "share of memory that other ranks hold too; sharding it as ZeRO does costs 50 % more communication"},
    BottleneckRow{BottleneckKind::memory_stalling, "near OOM", "memory", false, 0.80,
                  "share of device memory; one of 66 measured peaks was over 1.25 times its prediction; stalls made "
                  "VGG-16 1.5 times "
                  "as long"},
    BottleneckRow{BottleneckKind::weight_update, "optimizer step", "computation", true, 0.10,
                  "share of the step; the paper reports 11.4 % for ResNet-50 and 15.1 % for VGG-16"},
    BottleneckRow{BottleneckKind::balance, "workload balance", "computation", true, 1.10,
                  "slowest stage over the mean; ours: stages idle for a tenth of the passes"},
    BottleneckRow{
        BottleneckKind::compute_redundancy, "computation redundancy", "computation", false, 0.50,
        "share of the arithmetic done elsewhere too: what is not split takes longer than what is; ResNet-50 by "
        "filter on 64 V100, where layers left whole still take 112 of 120 ms"},
    BottleneckRow{BottleneckKind::devices, "number of devices", "scaling", true, 0.50,
                  "share of the limit: above it no axis can be doubled; Table 3's limits"},
    BottleneckRow{BottleneckKind::input, "input/output", "input/output", false, 0.10,
                  "share of the step; AlexNet on ABCI: 0.65 s on 32 GPUs, 1.48 s on 64, waiting "
                  "for files; CosmoFlow 4 times the rest"},
    BottleneckRow{BottleneckKind::bubble, "pipeline bubble", "computation", true, 0.20, "share of the step; ours"},
    BottleneckRow{BottleneckKind::launch, "launch-bound", "computation", false, 0.10, "share of the step; ours"},
    BottleneckRow{BottleneckKind::host_link, "host link", "input/output", false, 0.20, "share of the step; ours"},
};

/// The row of a kind.
constexpr const BottleneckRow& row_of(BottleneckKind kind) { return kBottlenecks[static_cast<std::size_t>(kind)]; }
static_assert([] {
    for (const BottleneckRow& row : kBottlenecks) {
        if (&row != &row_of(row.kind)) {
            return false;
        }
    }
    return true;
}());

constexpr std::string_view name(BottleneckKind kind) { return row_of(kind).name; }

}  // namespace dodona::step
