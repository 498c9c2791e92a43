#include "calibrate/cuda/device_facts.hpp"

#include <cuda_runtime_api.h>

#include <array>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/management.hpp"
#include "calibrate/cuda/versions.hpp"

namespace dodona::calibrate::cuda {

namespace {

int attribute(cudaDeviceAttr which) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess ? value : 0;
}

/// "0000:41:00.0", by which the management library knows the same device under its own numbers.
std::string bus_address() {
    std::array<char, 32> text{};
    check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), 0), "asking for the device's bus address");
    return text.data();
}

Bytes bytes(std::size_t count) { return Bytes::of_base(static_cast<double>(count)); }

}  // namespace

DeviceFacts device_facts() {
    DeviceFacts facts;
    const Management management(bus_address());
    const Bytes before = management.used_memory();
    check(cudaSetDevice(0), "choosing the device");
    check(cudaFree(nullptr), "making a context on the device");

    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "asking for the device's properties");
    facts.name = properties.name;
    facts.memory = bytes(properties.totalGlobalMem);
    facts.l2 = bytes(static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize)));
    facts.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
    facts.major = attribute(cudaDevAttrComputeCapabilityMajor);
    facts.minor = attribute(cudaDevAttrComputeCapabilityMinor);

    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for free memory");
    const Bytes after = management.used_memory();
    facts.context = after > before ? after - before : bytes(total - free);
    facts.others["context_source"] =
        after > before ? "management library, before and after" : "all that is in use, other programs' too";

    facts.clock = 1e3 * attribute(cudaDevAttrClockRate);
    if (facts.clock == 0) {
        facts.clock = management.highest_clock(Management::Clock::multiprocessor);
    }
    double memory_clock = 1e3 * attribute(cudaDevAttrMemoryClockRate);
    if (memory_clock == 0) {
        memory_clock = management.highest_clock(Management::Clock::memory);
    }
    facts.memory_bandwidth = bandwidth_of_bus(memory_clock, attribute(cudaDevAttrGlobalMemoryBusWidth));

    int driver = 0;
    int runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    facts.others["driver"] = management.driver().empty() ? "CUDA " + cuda_version(driver) : management.driver();
    facts.others["runtime"] = "CUDA " + cuda_version(runtime);
    if (management.power_limit() > 0) {
        facts.others["power_limit"] = fmt::format("{:.0f}", management.power_limit());
    }
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "counting devices");
    facts.others["devices"] = fmt::format("{}", devices);
    return facts;
}

std::map<std::string, std::string> as_environment(const DeviceFacts& facts) {
    std::map<std::string, std::string> words = facts.others;
    words["device"] = facts.name;
    words["memory"] = fmt::format("{:.0f}", facts.memory.in(1_B));
    words["l2"] = fmt::format("{:.0f}", facts.l2.in(1_B));
    words["multiprocessors"] = fmt::format("{}", facts.multiprocessors);
    words["compute_capability"] = fmt::format("{}.{}", facts.major, facts.minor);
    words["clock"] = fmt::format("{:.0f}", facts.clock);
    words["context"] = fmt::format("{:.0f}", facts.context.in(1_B));
    if (facts.memory_bandwidth > BytesPerSecond{}) {
        words["memory_bandwidth"] = fmt::format("{:.0f}", facts.memory_bandwidth.in(unit::byte_per_second));
    }
    return words;
}

}  // namespace dodona::calibrate::cuda
