// Facts about this machine that can be read without privileges.
#pragma once

#include <vector>

#include "calibrate/cpu/caches.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate::cpu {

/// "device", "cores", "threads", "memory", "clock" (measured), "cache_1" ... (bytes), "page_fault" (seconds a fresh
/// page), "flushed" (bytes read between samples), "onednn", "blas", "instructions" (fp32, bf16).
Environment environment_of(const std::vector<int>& cpus, const std::vector<Cache>& caches, Bytes flushed);

}  // namespace dodona::calibrate::cpu
