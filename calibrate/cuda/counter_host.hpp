// CUPTI's host side of counting: plans what the device collects, and reads what came of it.
#pragma once

#include <cupti_profiler_host.h>

#include <array>
#include <string>
#include <string_view>

#include "calibrate/cuda/counter_set.hpp"

namespace dodona::calibrate::cuda {

/// Throws CannotMeasure where the call failed, with what to do where a privilege is missing.
void expect_cupti(CUptiResult answer, std::string_view doing);

/// The names of kCounters, as CUPTI takes them.
std::array<const char*, kCounters.size()> counter_names();

class CounterHost {
public:
    explicit CounterHost(const std::string& chip);
    CounterHost(const CounterHost&) = delete;
    CounterHost& operator=(const CounterHost&) = delete;
    ~CounterHost();

    [[nodiscard]] CounterPlan plan() const;
    [[nodiscard]] CUpti_Profiler_Host_Object* get() const { return host_; }

private:
    CUpti_Profiler_Host_Object* host_ = nullptr;
};

}  // namespace dodona::calibrate::cuda
