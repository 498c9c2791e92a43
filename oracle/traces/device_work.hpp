// What a device works on, by the names of its kernels.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/enumeration.hpp"

namespace dodona::traces {

enum class DeviceWork : std::uint8_t {
    matmul,
    convolution,
    attention,
    recurrent,
    passes,
    optimizer,
    unnamed,
    all_reduce,
    all_gather,
    reduce_scatter,
    all_to_all,
    send,
    other_collective,
    copies,
};
inline constexpr std::array kDeviceWorkTable{
    Enumerator(DeviceWork::matmul, "matmul", "matrix products"),
    Enumerator(DeviceWork::convolution, "convolution", "convolutions"),
    Enumerator(DeviceWork::attention, "attention", "fused attention"),
    Enumerator(DeviceWork::recurrent, "recurrent", "recurrent cells"),
    Enumerator(DeviceWork::passes, "passes", "norms, element-wise passes, look-ups"),
    Enumerator(DeviceWork::optimizer, "optimizer", "update of the weights, norm of the gradients"),
    Enumerator(DeviceWork::unnamed, "unnamed", "compute whose name tells no kind"),
    Enumerator(DeviceWork::all_reduce, "all-reduce", "all-reduces"),
    Enumerator(DeviceWork::all_gather, "all-gather", "all-gathers"),
    Enumerator(DeviceWork::reduce_scatter, "reduce-scatter", "reduce-scatters"),
    Enumerator(DeviceWork::all_to_all, "all-to-all", "all-to-alls"),
    Enumerator(DeviceWork::send, "send", "sends and receives"),
    Enumerator(DeviceWork::other_collective, "other collective", "broadcasts, barriers and the like"),
    Enumerator(DeviceWork::copies, "copies", "copies to and from the host")};
constexpr const auto& enumerators(DeviceWork /*type*/) { return kDeviceWorkTable; }
inline constexpr std::size_t kDeviceWorks = kDeviceWorkTable.size();
constexpr std::size_t index(DeviceWork work) { return static_cast<std::size_t>(work); }

constexpr bool is_compute(DeviceWork work) { return work <= DeviceWork::unnamed; }
constexpr bool is_communication(DeviceWork work) {
    return work >= DeviceWork::all_reduce && work <= DeviceWork::other_collective;
}

/// Of a kernel. Those that no pattern knows are `passes`: PyTorch names its element-wise kernels after functions.
/// `collective`: what the trace says that it does, such as "_allgather_base"; may be empty.
DeviceWork work_of_kernel(std::string_view name, std::string_view collective);

/// Of a copy by the driver: "Memcpy HtoD (Pinned -> Device)", "Memset (Device)".
DeviceWork work_of_copy(std::string_view name);

}  // namespace dodona::traces
