// GPUs as cuDNN describes them: it plans for these without one.
#pragma once

#include <string>

#include <fmt/format.h>

namespace dodona::calibrate::cuda {

struct Described {
    const char* name;
    int capability;  ///< 100 major + 10 minor
    int multiprocessors;
    int shared_bytes;  ///< of a block that asks for it
    double memory;     ///< bytes
    double l2;
    int clock_khz, memory_clock_khz;
};

// Sources: data sheets of the three; CUDA C++ programming guide, table of compute capabilities.
inline constexpr Described kA100{"NVIDIA A100-SXM4-80GB", 800, 108, 166912, 85e9, 41943040, 1410000, 1593000};
inline constexpr Described kH200{"NVIDIA H200", 900, 132, 232448, 150e9, 62914560, 1980000, 3201000};
inline constexpr Described kB200{"NVIDIA B200", 1000, 148, 232448, 190e9, 132644864, 1965000, 3996000};

inline std::string json_of(const Described& device) {
    return fmt::format(
        R"({{"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,)"
        R"("multiProcessorCount":{},"warpSize":32,"maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":{},)"
        R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,"maxCtasPerSM":32,"maxThreadsPerBlock":1024,)"
        R"("maxThreadsPerSM":2048,"pciDeviceId":0,"isTccDriver":0,"supportCoopLaunch":1,"totalGlobalMem":{:.0f},)"
        R"("smClockRateKHz":{},"memClockRateKHz":{},"l2CacheSize":{:.0f},"cudaDeviceId":0,"deviceVer":{},)"
        R"("driverVer":13000,"deviceName":"{}"}})",
        device.multiprocessors, device.shared_bytes, device.memory, device.clock_khz, device.memory_clock_khz,
        device.l2, device.capability, device.name);
}

}  // namespace dodona::calibrate::cuda
