// Exclusive use of a file that several processes may write.
#pragma once

#include <chrono>

namespace dodona {

/// Locks an open file until it is closed, or returns false where another process keeps it locked for a second: one that was
/// killed leaves its lock to a child for as long as that takes to start its program. Then errno says why: EWOULDBLOCK.
bool lock(int descriptor, std::chrono::milliseconds patience = std::chrono::seconds(1));

}  // namespace dodona
