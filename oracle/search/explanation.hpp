// What an answer is sensitive to: how its time reacts to each parameter, and at which value another plan is
// recommended.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "step/prediction.hpp"

namespace dodona::search {

/// A parameter's value: a double is a ratio, a whole number a count of samples.
using Amount = std::variant<Seconds, Bytes, BytesPerSecond, FlopPerSecond, double, std::int64_t>;

/// Whether a parameter belongs to the machine, the software or the job.
enum class ParameterKind { machine, software, job };
inline constexpr std::array kParameterKindTable{Enumerator(ParameterKind::machine, "machine", ""),
                                                Enumerator(ParameterKind::software, "software", ""),
                                                Enumerator(ParameterKind::job, "job", "")};
constexpr const auto& enumerators(ParameterKind /*type*/) { return kParameterKindTable; }

/// A given of a question that may be varied.
struct Parameter {
    std::string key;   ///< for programs: "bandwidth.node"
    std::string name;  ///< for people: "bandwidth (node)"
    Amount now;        ///< its value in the question
    double least = 1;  ///< the smallest factor that is searched
    double most = 1;   ///< the largest factor that is searched
    bool more_is_better = true;
    ParameterKind kind = ParameterKind::machine;
};

/// A value of a parameter at which the recommendation changes.
struct Crossover {
    double factor = 1;                   ///< of the present value; nearer to 1 the recommendation does not change
    std::optional<step::Prediction> to;  ///< the plan recommended beyond it; none: nothing fits
    bool tied = false;                   ///< tied with the recommended plan at the present value
};

/// Changes of a parameter in one direction.
struct Direction {
    bool searched = false;  ///< false: not searched, or interrupted
    std::optional<Crossover> crossover;
};

struct Sensitivity {
    Parameter parameter;
    double elasticity = 0;  ///< d log(time of a sample) / d log(parameter), of the recommended plan
    Direction less, more;
};

/// Memory headroom of the fullest device.
struct MemoryMargin {
    Bytes left;                               ///< negative where the plan does not fit
    bool searched = false;                    ///< whether `without` was searched
    std::optional<step::Prediction> without;  ///< the plan recommended with just less memory than the plan needs
};

struct Explanation {
    std::vector<Sensitivity> parameters;  ///< the largest |elasticity| first
    MemoryMargin memory;
    bool crossovers_searched = false;  ///< whether crossovers were searched
    bool complete = true;              ///< false: interrupted; holds what was finished
    std::int64_t searches = 0;         ///< full searches made
    std::int64_t insensitive_omitted =
        0;  ///< software parameters left out because no plan of the answer reacts to them
};

/// The crossover nearest to the present values.
struct NearestCrossover {
    const Sensitivity* of = nullptr;
    const Crossover* crossover = nullptr;
};

/// The crossover with the smallest |log factor|; none if there is no crossover.
std::optional<NearestCrossover> nearest_crossover(const Explanation& explanation);

}  // namespace dodona::search
