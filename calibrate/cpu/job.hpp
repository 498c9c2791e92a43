// A benchmark that is ready to run: its tensors are filled, its primitives chosen.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

namespace dodona::calibrate::cpu {

/// Where the time of one run went, in parts that are named.
class Laps {
public:
    using Clock = std::chrono::steady_clock;

    void begin() {
        parts_.clear();
        last_ = Clock::now();
    }
    /// Counts the time since `begin` or the last lap as `part`.
    void lap(const char* part) {
        const Clock::time_point now = Clock::now();
        parts_[part] += std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }
    /// Seconds by part.
    [[nodiscard]] const std::map<std::string, double>& parts() const { return parts_; }

private:
    Clock::time_point last_;
    std::map<std::string, double> parts_;
};

/// Work that goes with a job but is not part of its time; its own time, with cold caches, is a value of that name.
struct Beside {
    std::string name;
    std::function<void(Laps&)> run;
};

struct Job {
    std::function<void(Laps&)> run;  ///< owns its tensors
    bool warm = false;               ///< its time is the one with warm caches: sweeps over sizes, dispatch
    bool own_threads = false;        ///< runs on threads that are not OpenMP's
    std::map<std::string, double> values;
    std::map<std::string, std::string> words;
    Beside beside = {};
};

}  // namespace dodona::calibrate::cpu
