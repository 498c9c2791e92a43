#include "calibrate/cuda/management.hpp"

#include <dlfcn.h>

#include <array>

namespace dodona::calibrate::cuda {

namespace {

// Source: NVML API reference, nvml.h: nvmlReturn_t is an int, zero for success; nvmlDevice_t is a pointer.
using Init = int();
using DriverVersion = int(char*, unsigned);
using ByBusAddress = int(const char*, void**);
using MaxClock = int(void*, int, unsigned*);
using PowerLimit = int(void*, unsigned*);
struct Memory {
    unsigned long long total, free, used;
};
using MemoryInfo = int(void*, Memory*);

}  // namespace

template <typename F>
F* Management::function(const char* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library_, name));
}

Management::Management(const std::string& bus_address) : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    auto* const init = function<Init>("nvmlInit_v2");
    if (init == nullptr || init() != 0) {
        return;
    }
    std::array<char, 96> text{};
    if (auto* const version = function<DriverVersion>("nvmlSystemGetDriverVersion");
        version != nullptr && version(text.data(), static_cast<unsigned>(text.size())) == 0) {
        driver_ = text.data();
    }
    if (auto* const find = function<ByBusAddress>("nvmlDeviceGetHandleByPciBusId_v2");
        find == nullptr || find(bus_address.c_str(), &device_) != 0) {
        device_ = nullptr;
    }
}

Management::~Management() {
    if (auto* const end = function<Init>("nvmlShutdown")) {
        (void)end();
    }
    if (library_ != nullptr) {
        (void)dlclose(library_);
    }
}

Bytes Management::used_memory() const {
    Memory memory{};
    auto* const ask = function<MemoryInfo>("nvmlDeviceGetMemoryInfo");
    if (device_ == nullptr || ask == nullptr || ask(device_, &memory) != 0) {
        return {};
    }
    return Bytes::of_base(static_cast<double>(memory.used));
}

double Management::highest_clock(Clock clock) const {
    unsigned megahertz = 0;
    auto* const ask = function<MaxClock>("nvmlDeviceGetMaxClockInfo");
    return device_ != nullptr && ask != nullptr && ask(device_, static_cast<int>(clock), &megahertz) == 0
               ? 1e6 * megahertz
               : 0;
}

double Management::power_limit() const {
    unsigned milliwatts = 0;
    auto* const ask = function<PowerLimit>("nvmlDeviceGetPowerManagementLimit");
    return device_ != nullptr && ask != nullptr && ask(device_, &milliwatts) == 0 ? 1e-3 * milliwatts : 0;
}

}  // namespace dodona::calibrate::cuda
