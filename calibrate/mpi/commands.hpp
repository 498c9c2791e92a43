// What rank 0 sends to the others: a case to measure, or the order to end.
//
// Between cases rank 0 may wait for long; the others then look for an order a thousand times a second and sleep in
// between, so that idle ranks take nothing of hosts that others measure on.
#pragma once

#include <optional>
#include <string>

namespace dodona::calibrate {

/// Called by rank 0: to all others.
void send_command(const std::string& line);
void send_end();

/// Called by the others: the next line, or none where they are to end.
std::optional<std::string> next_command();

}  // namespace dodona::calibrate
