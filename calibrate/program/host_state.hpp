// The state that a host is in when measuring begins: measured times are those of that state.
#pragma once

#include <map>
#include <span>
#include <string>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// The name under which a journal keeps it.
inline constexpr const char* kHostRecords = "host";

/// Load, governor and turbo of the CPUs where the system says them, and its kernel.
std::map<std::string, std::string> host_state();

/// "load 0.2 of 16 CPUs, governor performance, Linux 6.1.0": the latest in the records; empty without one.
std::string host_state_text(std::span<const Record> records);

}  // namespace dodona::calibrate
