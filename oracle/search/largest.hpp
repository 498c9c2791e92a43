// How large a job fits on given devices: the largest batch, or the largest value of a parameter of the network, whose
// best plan meets the goals.
//
// Larger values mostly need more memory, but not always (4 heads can be split where 5 cannot), so there is no
// bisection. Values double from the start until three doublings fail in a row; values that make no network do not
// count. The gap above the largest value that fits is then searched in sixteenths, the next gap again, down to single
// steps. The answer is the largest value searched that fits; each larger value that was searched fails for the reason
// given.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "search/attempt.hpp"

namespace dodona::search {

/// A job at one value of the parameter. MakeJob returns a message where there is none (a width that its heads do not
/// divide).
struct JobAtValue {
    graph::Graph graph;
    Space space;
    Goals goals;  ///< in samples of this network
};
using MakeJob = std::function<std::variant<JobAtValue, std::string>(std::int64_t value)>;

struct LargestQuestion {
    MakeJob job;
    std::int64_t start = 1;  ///< the parameter's present value
    std::int64_t step = 1;   ///< values searched are multiples of it, and `start`
    std::int64_t most = 1;   ///< the largest value that is searched
};

/// A value that makes no network.
struct InvalidValue {
    std::int64_t value = 0;
    std::string why_not;
};

struct Largest {
    std::vector<Attempt> attempts;   ///< by value, ascending
    std::vector<InvalidValue> none;  ///< by value, ascending
    std::optional<std::size_t> found;
    std::int64_t step = 1;
    std::int64_t most = 1;
    double parameters = 0;  ///< of the network at that value
    bool complete = true;   ///< false: stopped early

    [[nodiscard]] const Attempt* answer() const { return found ? &attempts[*found] : nullptr; }
    /// The smallest value searched that is larger than the answer; null if there is none.
    [[nodiscard]] const Attempt* beyond() const;
};

/// `progress`: values done, an estimate of all values.
Largest largest(const cluster::Cluster& cluster, const LargestQuestion& question, const Progress& progress = {});

}  // namespace dodona::search
