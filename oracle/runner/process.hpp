// A command that runs in a process of its own, with all that it prints in a file.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace dodona::runner {

/// How a process ended, as a shell has it: 128 + the signal's number for one that ended it.
inline constexpr int kNotFoundStatus = 127;        ///< of a shell that found no such command
inline constexpr int kNotExecutableStatus = 126;   ///< of one that found a file that is no program
inline constexpr int kConnectionLostStatus = 255;  ///< of ssh where not the command but the connection failed

class Process {
public:
    /// Starts `command` with /bin/sh in a group of its own. What it prints is appended to `log`. Throws InputError where
    /// the log cannot be written or no process can be made.
    Process(const std::string& command, const std::string& log,
            const std::vector<std::pair<std::string, std::string>>& environment);
    ~Process();
    Process(Process&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Process& operator=(Process&& other) noexcept;
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// Its status once it has ended; at once.
    std::optional<int> status();
    /// Asks its group to end, or ends it.
    void terminate(bool at_once);

private:
    pid_t id_ = -1;
};

}  // namespace dodona::runner
