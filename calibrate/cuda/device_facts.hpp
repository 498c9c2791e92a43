// What a GPU says of itself before anything is measured.
#pragma once

#include <map>
#include <string>

#include "base/quantity.hpp"

namespace dodona::calibrate::cuda {

struct DeviceFacts {
    std::string name;
    Bytes memory;
    Bytes l2;
    int multiprocessors = 0;
    int major = 0, minor = 0;         ///< compute capability
    double clock = 0;                 ///< highest SM clock, Hz
    BytesPerSecond memory_bandwidth;  ///< two transfers a clock of the memory, over its whole bus; zero where unknown
    Bytes context;                    ///< that this process took of the device's memory before its first tensor
    std::map<std::string, std::string> others;  ///< "driver", "power_limit" (W) ...
};

/// Makes the context of device 0, so that nothing of this process was on it before. Throws CannotMeasure.
DeviceFacts device_facts();

/// The words of record.hpp's Environment.
std::map<std::string, std::string> as_environment(const DeviceFacts& facts);

/// Two transfers a clock: DDR. 3201 MHz over 6144 bits are 4.917 TB/s.
constexpr BytesPerSecond bandwidth_of_bus(double memory_clock_hz, int bus_bits) {
    return BytesPerSecond::of_base(2.0 * memory_clock_hz * bus_bits / 8.0);
}

}  // namespace dodona::calibrate::cuda
