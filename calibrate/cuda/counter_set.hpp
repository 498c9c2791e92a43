// The hardware counters of pass `counters`: one set, read in a single pass on every chip, so that a kernel runs once.
//
// sm__throughput and its kind would need 5 to 8 passes, each a run of the kernel under other conditions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace dodona::calibrate::cuda {

struct Counter {
    const char* metric;  ///< as CUPTI names it
    const char* value;   ///< as a record does, in base units
};

inline constexpr std::array kCounters{
    Counter{"dram__bytes.sum", "dram_bytes"},
    Counter{"lts__t_bytes.sum", "l2_bytes"},
    Counter{"sm__warps_active.avg.pct_of_peak_sustained_active", "warps_active_percent"},
    Counter{"sm__inst_executed_pipe_tensor.sum", "tensor_instructions"},
    Counter{"sm__cycles_active.avg", "active_cycles"},
};

/// Chips whose counters CUPTI can plan for: "GH100" ... Needs no GPU.
std::vector<std::string> known_chips();

/// What CUPTI needs to count kCounters on a chip, and in how many passes it does. Needs no GPU.
/// Throws CannotMeasure where the chip or a counter is unknown.
struct CounterPlan {
    std::vector<std::uint8_t> image;
    std::size_t passes = 0;
};
CounterPlan plan_counters(const std::string& chip);

}  // namespace dodona::calibrate::cuda
