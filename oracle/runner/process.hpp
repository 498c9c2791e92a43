// A command that runs in a process of its own, with all that it prints in a file.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "runner/guard.hpp"

namespace dodona::runner {

/// How a process ended, as a shell has it: 128 + the signal's number for one that ended it.
inline constexpr int kNotFoundStatus = 127;        ///< of a shell that found no such command
inline constexpr int kNotExecutableStatus = 126;   ///< of one that found a file that is no program
inline constexpr int kConnectionLostStatus = 255;  ///< of ssh where not the command but the connection failed

/// A command and all that it starts, but for what leaves its process group.
class Process {
public:
    /// Starts `command` with /bin/sh in a group of its own, which the guard knows. What it prints is appended to `log`,
    /// which is locked as long as one of its processes lives. Throws InputError where the log cannot be written or no
    /// process can be made.
    Process(const std::string& command, const std::string& log,
            const std::vector<std::pair<std::string, std::string>>& environment, const Guard& guard);
    /// Ends what is left of its group.
    ~Process();
    Process(Process&& other) noexcept
        : guard_(other.guard_), group_(std::exchange(other.group_, -1)), has_ended_(other.has_ended_) {}
    Process& operator=(Process&& other) noexcept;
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// Its status once it has ended; at once. Its group may go on.
    std::optional<int> status();
    /// Whether nothing of its group is left.
    bool is_gone();
    /// Asks its group to end, or ends it.
    void terminate(bool at_once);

private:
    const Guard* guard_;
    pid_t group_ = -1;
    bool has_ended_ = false;
};

/// Whether no process of an earlier run has this log any more; waits so long for it.
bool is_free(const std::string& log, std::chrono::milliseconds patience);

/// From here on this process can wait for the processes that a command leaves behind.
void adopt_orphans();

}  // namespace dodona::runner
