// What was measured of the threads of a CPU: what a kernel pays for running on several of them.
#pragma once

#include "base/quantity.hpp"
#include "cluster/kernel_fit.hpp"

namespace dodona::cluster {

/// threads/operator_time.hpp says how a kernel's time follows from these.
struct ThreadTimes {
    BytesPerSecond core_bandwidth;  ///< memory bandwidth that one thread reaches
    Seconds serial;                 ///< of a kernel, whatever its threads
    Seconds fork;                   ///< of a kernel on more than one thread
    Seconds barrier;                ///< each time the number of threads doubles
    double oversubscription = 0;    ///< share by which work takes longer for each further thread on a core
    Provenance provenance;
    bool operator==(const ThreadTimes&) const = default;
};

}  // namespace dodona::cluster
