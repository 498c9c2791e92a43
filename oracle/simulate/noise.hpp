// Noise on the durations of tasks: what is added to them, or by what they are multiplied.
//
//   duration' = max(0, duration * (1 + sum of multiplied draws) + sum of added draws + interruptions)
//
// A draw depends on the seed, the noise and the task alone, so answers are the same in any order of playing. Negative
// durations are cut off at 0. Bursts interrupt: work that would take t is interrupted by a number of bursts that is
// Poisson distributed with mean rate * t, each of the given length; this is a duty of rate * length / (1 + rate * length)
// of the time.
// Source: Petrini, Kerbyson and Pakin, "The case of the missing supercomputer performance", SC 2003, for interruptions
// as periods with a rate and a length; Box and Muller (1958) for normal draws; Marsaglia and Tsang, "A simple method for
// generating gamma variables", ACM TOMS 26(3), 2000.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/quantity.hpp"
#include "simulate/routes.hpp"
#include "simulate/task_graph.hpp"

namespace dodona::simulate {

// Distributions. Their values are ratios of the duration where they multiply, seconds where they are added.

struct Normal {
    double mean = 0;
    double deviation = 0;
};
/// exp(N(location, scale)): its median is exp(location).
struct LogNormal {
    double location = 0;
    double scale = 0;
};
/// Mean shape * scale.
struct Gamma {
    double shape = 1;
    double scale = 0;
};
struct Exponential {
    double mean = 0;
};
/// Each as likely as the others.
struct Samples {
    std::vector<double> values;
};
/// Interruptions. Only added.
struct Bursts {
    double per_second = 0;
    double length = 0;  ///< seconds
};

using Distribution = std::variant<Normal, LogNormal, Gamma, Exponential, Samples, Bursts>;

struct Noise {
    enum class Effect { multiplied, added };

    Distribution distribution;
    Effect effect = Effect::multiplied;
    std::optional<ResourceId> resource;  ///< only on tasks of this resource
    std::optional<KindId> kind;          ///< only on tasks of this kind
};

/// Random numbers of one counter: draws follow from the key and the number of draws before.
class Draws {
public:
    explicit Draws(std::uint64_t key) : key_(key) {}
    std::uint64_t bits();
    /// In (0, 1).
    double uniform();
    double normal();
    double gamma(double shape);
    /// For means up to some thousands exactly distributed, beyond as a normal draw.
    double poisson(double mean);

private:
    std::uint64_t key_;
    std::uint64_t count_ = 0;
};

/// Throws InputError for a distribution that has no such parameters.
void check_distribution(const Distribution& distribution);

/// A draw of a distribution; `duration` in seconds matters to bursts only.
double draw(const Distribution& distribution, double duration, Draws& draws);

/// A graph's durations and bytes with noise: what multiplies acts on the bytes of a flow too, what is added comes before
/// it.
struct NoisyTimes {
    std::vector<Seconds> durations;  ///< of each task
    std::vector<Bytes> bytes;        ///< of each flow
};

/// Throws InputError for a distribution that has no such parameters.
NoisyTimes with_noise(const TaskGraph& graph, const std::vector<Noise>& noise, std::uint64_t seed);

}  // namespace dodona::simulate
