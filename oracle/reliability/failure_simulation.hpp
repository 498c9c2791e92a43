// A run with failures, played from interruption to interruption many times over.
//
// Times between failures are exponential by component. After a failure the run restarts from the last safe checkpoint;
// a restart can fail too. A component that loses its node takes a spare; the node comes back after the repair time. With
// no spare left the run waits for the first node to come back. The last checkpoint of a run is written too and waited for.
// Nothing fails while the run waits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "reliability/checkpoint_interval.hpp"
#include "reliability/failures.hpp"

namespace dodona::reliability {

struct Spares {
    std::int64_t nodes = 0;
    Seconds repair;  ///< from the failure of a node until it is a spare
};

struct FailureSimulation {
    Seconds training;              ///< that the run needs without failures and checkpoints; above 0
    std::optional<Spares> spares;  ///< none: there is always one
    int runs = 200;                ///< at least 2
    std::uint64_t seed =
        1;  ///< run i has one of its own, which follows from this one and i: the same failures for every
            ///< interval that is compared
};

struct SimulatedRuns {
    RunTime mean;
    double goodput = 0;  ///< of all runs together: training over time
    double low = 0;      ///< 95 % confidence interval of it, by the variance of the time of runs
    double high = 0;
};

/// Throws nothing. A goodput that the closed form puts below 1 % would take too long to play: check before.
SimulatedRuns simulate_failures(std::span<const Component> components, const JobSize& job, const RunConditions& run,
                                Seconds interval, const FailureSimulation& settings);

/// The interval, of those given, with the largest simulated goodput; the first of equals.
Seconds best_simulated(std::span<const Component> components, const JobSize& job, const RunConditions& run,
                       std::span<const Seconds> intervals, const FailureSimulation& settings);

/// The fewest spare nodes that are all in use less than `share` of the time, as if nodes failed at random:
/// in repair are on average rate * repair nodes, and their number is Poisson distributed.
std::int64_t spares_needed(std::span<const Component> components, const JobSize& job, Seconds repair, double share);

}  // namespace dodona::reliability
