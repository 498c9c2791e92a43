// How often to write a checkpoint, and what share of the time is training.
//
// With exponential failures of mean time M, a pause S for each checkpoint, W until it is safe after the pause, and R for
// a restart, during which the job may fail again, an interval with tau of training takes on average
//
//   T(tau) = M e^((R + W)/M) (e^((tau + S)/M) - 1)                                     W <= tau + S
//
// and goodput is tau / T(tau). For W = 0 this is Daly's equation. The delay W acts as a longer restart: after a failure
// the run has to come W further than one interval before anything is safe again; without one the delays overlap with
// training. (In steady state the time to the next safe point is first tau + S, and after a failure tau + S + W:
// T = (1 - e^(-p/M)) (M + (e^(R/M) - 1) M + e^(R/M) (e^((p+W)/M) - 1) M) with p = tau + S, which is the above.)
//
//   Young    tau = sqrt(2 S M)
//   Daly     tau = sqrt(2 S M) (1 + sqrt(S / 2M) / 3 + (S / 2M) / 9) - S for S < 2M, else M
//   best     the tau in (0, M) with e^((tau + S)/M) (tau/M - 1) + 1 = 0: where T(tau) / tau is least
//
// Sources: Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974; Daly, "A higher
// order estimate of the optimum checkpoint interval for restart dumps", FGCS 22(3), 2006, equations 20 and 37.
#pragma once

#include "base/quantity.hpp"

namespace dodona::reliability {

/// What a run meets. All times are 0 or more; `mtbf` is above 0.
struct RunConditions {
    Seconds mtbf;        ///< between interruptions of the job
    Seconds pause;       ///< of training, for each checkpoint
    Seconds background;  ///< after the pause, until the checkpoint is safe
    Seconds restart;     ///< from a failure to training again, checkpoint restored
};

/// Parts of the time of a run; they add up to it.
struct RunTime {
    Seconds training;     ///< that is kept
    Seconds checkpoints;  ///< pauses
    Seconds lost;         ///< training and pauses that failures undo
    Seconds restarts;
    Seconds waiting;  ///< for a node to be repaired
    double failures = 0;

    [[nodiscard]] Seconds total() const { return training + checkpoints + lost + restarts + waiting; }
    [[nodiscard]] double goodput() const { return total() > Seconds{} ? training / total() : 0; }
};

Seconds young_interval(const RunConditions& run);
Seconds daly_interval(const RunConditions& run);
/// Where the closed form is least, by bisection.
Seconds best_interval(const RunConditions& run);

/// The shortest interval in which the background write ends before the next checkpoint begins.
Seconds shortest_interval(const RunConditions& run);

/// One interval in closed form, on average: `interval` of training with all that failures add. What is lost is infinite
/// where failures come too fast for numbers.
RunTime expected_interval(const RunConditions& run, Seconds interval);

}  // namespace dodona::reliability
