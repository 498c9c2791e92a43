// NVIDIA's management library (NVML), where the driver brought it: opened at run time, never linked.
#pragma once

#include <string>

#include "base/quantity.hpp"

namespace dodona::calibrate::cuda {

/// Every answer is empty or zero where the library is missing or does not know.
class Management {
public:
    enum class Clock { multiprocessor = 1, memory = 2 };  ///< numbers of nvmlClockType_t

    /// `bus_address`: of the device, "0000:41:00.0".
    explicit Management(const std::string& bus_address);
    Management(const Management&) = delete;
    Management& operator=(const Management&) = delete;
    ~Management();

    [[nodiscard]] const std::string& driver() const { return driver_; }
    [[nodiscard]] Bytes used_memory() const;
    [[nodiscard]] double highest_clock(Clock clock) const;  ///< Hz
    [[nodiscard]] double power_limit() const;               ///< W

private:
    template <typename F>
    F* function(const char* name) const;

    void* library_ = nullptr;
    void* device_ = nullptr;
    std::string driver_;
};

}  // namespace dodona::calibrate::cuda
