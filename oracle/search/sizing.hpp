// How many devices a job needs: the fewest (or the fastest, or the cheapest) of many counts that meet its goals.
//
// Neither memory nor throughput is monotone in the number of devices (63 make no good mesh, 64 do), so counts are not
// bisected. A count is ruled out unseen only by what no plan can be better than (bound.hpp), or, where the fewest are
// asked for, because a smaller one is known to do. The answer is exact over the counts that were asked about.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/attempt.hpp"
#include "search/bound.hpp"

namespace dodona::search {

/// Which of the counts that meet the goals.
enum class Find { fewest, fastest, cheapest };
inline constexpr std::array kFinds{Find::fewest, Find::fastest, Find::cheapest};
std::string_view name(Find find);

struct SizingQuestion {
    Space space;                                      ///< but for devices and batch
    std::vector<std::int64_t> counts;                 ///< of devices, ascending
    std::function<std::int64_t(std::int64_t)> batch;  ///< samples a step on so many devices
    Goals goals;
    Find find = Find::fewest;
};

/// Counts that a bound refuses, next to one another among those asked about.
struct RuledOut {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t counts = 0;
    Goal by = Goal::fits;
};

struct Sizing {
    std::vector<Attempt> attempts;  ///< by devices, ascending; some for comparison alone
    std::optional<std::size_t> found;
    std::vector<RuledOut> ruled_out;
    Bound bound;
    std::int64_t counts = 0;  ///< asked about
    std::int64_t least = 0;   ///< the smallest of them
    std::int64_t most = 0;    ///< the largest of them
    /// False: stopped before it was known which count it is.
    bool complete = true;

    [[nodiscard]] const Attempt* answer() const { return found ? &attempts[*found] : nullptr; }
    [[nodiscard]] const Attempt* with(std::int64_t devices) const;
};

/// Divisors of a node; then every multiple of it to 32 nodes, beyond them 16 to each doubling (steps of 6 % at most,
/// which is what predictions miss by), and the whole machine. Ascending.
std::vector<std::int64_t> usual_counts(const cluster::Cluster& cluster);

/// Multiples of a node from `least` to `most`, of what is smaller than a node its divisors; the two as well.
std::vector<std::int64_t> counts_between(const cluster::Cluster& cluster, std::int64_t least, std::int64_t most);

/// `progress`: counts settled, counts in all; while one is searched it is called again and again.
Sizing size(const graph::Graph& graph, const cluster::Cluster& cluster, const SizingQuestion& question,
            const Progress& progress = {});

}  // namespace dodona::search
