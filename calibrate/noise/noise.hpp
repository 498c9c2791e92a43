// Load on memory, the network stack, files or cores, from a process of its own that ends with its parent.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "calibrate/noise/pattern.hpp"

namespace dodona::calibrate {

struct NoiseSettings {
    NoisePattern pattern;
    std::vector<int> cpus;   ///< logical CPUs that the load keeps to; all of the process where it is empty
    int threads = 1;         ///< of memory and CPU load; of a network, ranks are one more
    std::string directory;   ///< of files; needed where the pattern has I
    Bytes memory = 256_MiB;  ///< of the three arrays of a memory load, each thread; beyond any cache
};

/// What the load has done so far, in sum over its threads.
struct NoiseDone {
    Bytes bytes;       ///< moved by memory, network and file loads
    double spins = 0;  ///< rounds of CPU load
    Seconds active;    ///< while the load, not silence, was on
    Seconds cpu;       ///< that its process ran, of all threads
};

/// Runs from construction to destruction.
class Noise {
public:
    /// Throws std::system_error where the process can't be made, std::runtime_error where the load does not begin
    /// within some seconds (no such directory, no memory).
    explicit Noise(const NoiseSettings& settings);
    Noise(const Noise&) = delete;
    Noise& operator=(const Noise&) = delete;
    ~Noise();

    [[nodiscard]] NoiseDone done() const;

private:
    struct Shared;  ///< counters in memory that both processes see
    void end();

    NoisePattern pattern_;
    Shared* shared_ = nullptr;
    pid_t process_ = -1;
};

}  // namespace dodona::calibrate
