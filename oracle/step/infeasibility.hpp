// Why a plan cannot run, as values; text() words them for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/quantity.hpp"
#include "plan/limit.hpp"

namespace dodona::step {

/// Where memory is short: in the hosts of the nodes, or on the devices.
enum class MemoryPlace { host, device };

/// A plan needs more memory than there is.
struct MemoryShortage {
    MemoryPlace place = MemoryPlace::device;
    Bytes needed;     ///< of the device that is filled most; of the host of one node
    Bytes available;  ///< what that device or host offers
    /// The device that is short of it, where the job has several kinds.
    std::optional<std::string> device = {};
};

/// Why one plan cannot run.
using Infeasibility = std::variant<plan::Limit, MemoryShortage>;

/// A cause that plans have in common, without their figures.
using InfeasibleCause = std::variant<plan::LimitCause, MemoryPlace>;

InfeasibleCause cause_of(const Infeasibility& why_not);

/// "96.0 GiB of 79.1 GiB", `least` before it; "more than 79.1 GiB" where both would be the same text.
std::string shortage_text(std::string_view least, Bytes needed, Bytes available);

/// "out of memory: 96.0 GiB of 79.1 GiB", "filter <= 64: layer conv1 (conv) cannot be split further".
std::string text(const Infeasibility& why_not);
/// "out of memory", "filter <= 64: layer conv1 (conv) cannot be split further".
std::string text(const InfeasibleCause& cause);

}  // namespace dodona::step
