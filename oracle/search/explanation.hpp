// What an answer is sensitive to: how its time reacts to each parameter, and what change of it would recommend another plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/quantity.hpp"
#include "step/prediction.hpp"

namespace dodona::search {

/// A parameter's value: a double is a ratio, a whole number a count of samples.
using Amount = std::variant<Seconds, Bytes, BytesPerSecond, FlopPerSecond, double, std::int64_t>;

/// Whether the machine, the software or the job is asked to be otherwise.
enum class ParameterKind { machine, software, job };

/// Something that a question takes as given.
struct Parameter {
    std::string key;   ///< "bandwidth.node": of machines
    std::string name;  ///< "bandwidth (node)": of people
    Amount now;        ///< in the question as it was asked
    double least = 1;  ///< the smallest part of it that is looked at
    double most = 1;   ///< the largest multiple
    bool more_is_better = true;
    ParameterKind kind = ParameterKind::machine;
};

/// Another recommendation.
struct Crossover {
    double factor = 1;                   ///< of what the parameter is now; nearer to 1 the recommendation stays
    std::optional<step::Prediction> to;  ///< recommended from there on; none: nothing fits
    bool tied = false;                   ///< as things are it cannot be told apart from the plan recommended
};

/// One way to change a parameter.
struct Direction {
    bool looked = false;  ///< false: not asked for, or interrupted
    std::optional<Crossover> crossover;
};

struct Sensitivity {
    Parameter parameter;
    double elasticity = 0;  ///< d log(time of a sample) / d log(parameter), of the plan as it is
    Direction less, more;
};

/// What is left of the memory of the device that a plan fills most.
struct MemoryMargin {
    Bytes left;                               ///< negative where the plan does not fit
    bool looked = false;                      ///< whether `without` was searched for
    std::optional<step::Prediction> without;  ///< recommended where a little more than `left` is missing
};

struct Explanation {
    std::vector<Sensitivity> parameters;  ///< the largest |elasticity| first
    MemoryMargin memory;
    bool flips = false;         ///< whether they were asked for
    bool complete = true;       ///< false: interrupted, with what was finished
    std::int64_t searches = 0;  ///< full ones
    std::int64_t unmoved = 0;   ///< parameters of the software left out: no plan in sight reacts to them
};

/// The way to the nearest change of the recommendation: a parameter and one of its directions.
struct NearestCrossover {
    const Sensitivity* of = nullptr;
    const Crossover* crossover = nullptr;
};

/// Of the smallest |log factor|; none where nothing flips.
std::optional<NearestCrossover> nearest_crossover(const Explanation& explanation);

}  // namespace dodona::search
