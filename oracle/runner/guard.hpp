// A process that ends the trials of a run when the run itself has ended without doing so: by kill -9, by any other signal,
// by a fault of its own.
//
// It reads a pipe that nobody else reads. Each trial writes its process group into it before its command starts; the end of
// the pipe is the end of the run. Then it asks the groups that are left to end, and ends them kGrace later.
#pragma once

#include <chrono>
#include <cstddef>

#include <sys/types.h>

namespace dodona::runner {

inline constexpr auto kGrace = std::chrono::seconds(5);  ///< between asking a trial to end and ending it

class Guard {
public:
    /// For so many groups at once. Throws InputError where no process can be made.
    explicit Guard(std::size_t groups);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    /// Async-signal-safe: a trial calls it between fork and exec.
    void add(pid_t group) const;
    void remove(pid_t group) const;

private:
    void tell(pid_t number) const;

    int pipe_ = -1;
    pid_t id_ = -1;
};

}  // namespace dodona::runner
