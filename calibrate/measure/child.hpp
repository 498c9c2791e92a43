// Runs a back end in a child process, so that a crash of it costs one measurement only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/quantity.hpp"
#include "runner/guard.hpp"

namespace dodona::calibrate {

class Child {
public:
    /// A copy of this process that runs `body` and ends with its result. With a guard, which outlives it, the child and
    /// what it started end with this process, however that ends.
    static Child forked(const std::function<int(int in, int out)>& body, const runner::Guard* guard = nullptr);
    /// A program on its standard input and output; found as a shell would.
    static Child program(const std::vector<std::string>& words, const runner::Guard* guard = nullptr);
    ~Child() { end(); }
    Child(Child&& other) noexcept;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    Child& operator=(Child&&) = delete;

    struct Reply {
        enum class Kind { line, ended, late, stopped } kind = Kind::ended;
        std::string line = {};
    };
    /// The next line that it writes; `late` after `limit` without one, `stopped` once `stop` says so.
    Reply read(Seconds limit, const std::function<bool()>& stop);
    /// False where the child has ended.
    bool write(const std::string& line);

    /// Closes its input, waits two seconds, then terminates it. Returns how it ended, "ended with status 3", and the
    /// last line of its standard error.
    std::string end();
    [[nodiscard]] int status() const { return status_; }  ///< as a shell has it; after end()

private:
    Child(const runner::Guard* guard, pid_t process, int to, int from, int errors)
        : guard_(guard), process_(process), to_(to), from_(from), errors_(errors) {}

    const runner::Guard* guard_ = nullptr;
    pid_t process_ = -1;
    int to_ = -1;
    int from_ = -1;
    int errors_ = -1;
    int status_ = 0;
    std::string read_;
    std::string became_;
};

}  // namespace dodona::calibrate
