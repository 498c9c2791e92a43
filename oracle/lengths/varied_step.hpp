// The step of a plan whose micro-batches differ in length.
//
//   w(L) = t(L) / k                  of a micro-batch of length L, k micro-batches a step, t(L) the step where all are so
//   pass = largest of `together` draws of w        ranks that share layers or shards wait for one another in every pass
//   step = sum of k passes                          of one replica
//   slowest = largest of `replicas` steps           all wait at the reduction of gradients
//
// t is linear between the lengths that were timed. Draws are independent of one another.
// Not modelled: bubbles that unequal micro-batches open between the stages of a pipeline (play them: `dodona simulate`),
// batches that are sorted so that ranks get equal work.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.hpp"
#include "lengths/micro_batches.hpp"
#include "simulate/noise.hpp"

namespace dodona::lengths {

/// A step whose micro-batches are all of one drawn length.
struct TimedLength {
    double length = 0;
    Seconds step;
};

/// How a plan's data ranks go.
struct Job {
    std::int64_t replicas = 1;       ///< synchronise once a step
    std::int64_t together = 1;       ///< data ranks of a replica, which synchronise in every pass
    std::int64_t micro_batches = 1;  ///< k, of a data rank
};

struct VariedStep {
    Seconds even;        ///< if all data ranks had equal work: the mean over draws
    Seconds deviation;   ///< of one replica's step
    Seconds slowest;     ///< expected, of all replicas: the step
    double samples = 0;  ///< of a step, on average
    double tokens = 0;   ///< of its samples, without padding
    [[nodiscard]] double imbalance() const { return slowest / even - 1; }
    [[nodiscard]] double tokens_per_second() const { return tokens / slowest.in(unit::second); }
};

/// The time between those of the nearest lengths; beyond the ends along the last line. Domain: lengths rise.
Seconds step_at(const std::vector<TimedLength>& timed, double length);

/// `timed`: one length or more, in rising order.
VariedStep varied_step(const MicroBatches& drawn, const std::vector<TimedLength>& timed, const Job& job);

/// Passes of a replica, drawn one by one. `timed` is of passes, not steps; what they all refer to outlives it.
class DrawnPasses {
public:
    DrawnPasses(const MicroBatches& drawn, const std::vector<TimedLength>& timed, const Job& job);
    /// What the pass takes of the slowest of the ranks that go together.
    Seconds draw(simulate::Draws& draws) const;

private:
    std::int64_t rows_;
    std::int64_t together_;
    std::vector<double> sums_;    ///< of shares, up to each length
    std::vector<Seconds> times_;  ///< of a pass whose rows are all of that length
};

inline constexpr std::size_t kMaxTimed = 16;

/// Lengths to time for padded micro-batches: all that are drawn, or at most kMaxTimed in equal ratios.
std::vector<std::int64_t> padded_lengths(const Distribution& drawn);

/// Numbers of equal samples in a packed row, of whose lengths S / n it is timed: divisors of S, each at least twice the one
/// before, up to the first that is shorter than what is drawn.
std::vector<std::int64_t> samples_in_row(const Distribution& drawn, std::int64_t row);

}  // namespace dodona::lengths
