// How many devices a job needs: of given numbers of devices the smallest, the fastest or the cheapest that meets the
// goals.
//
// Neither memory nor throughput is monotone in the number of devices (64 make a good mesh, 63 do not), so there is no
// bisection. A number is ruled out without a search only by a bound that no plan can beat (bound.hpp), or, if the
// smallest is asked for, because a smaller one meets the goals. The answer is exact over the given numbers. The fastest
// is the fastest of those that are worthwhile (limits.hpp): of which a device does at least half of what it does with the
// fewest that fit; where none of those that meet the goals is, the fastest of all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "search/attempt.hpp"
#include "search/bound.hpp"

namespace dodona::search {

/// Which of the counts that meet the goals.
enum class Find { fewest, fastest, cheapest };
inline constexpr std::array kFindTable{
    Enumerator(Find::fewest, "fewest", "the smallest number"),
    Enumerator(Find::fastest, "fastest", "the most samples a second that are worthwhile"),
    Enumerator(Find::cheapest, "cheapest", "the least cost of a sample")};
constexpr const auto& enumerators(Find /*type*/) { return kFindTable; }
inline constexpr std::array kFinds = values_of(kFindTable);
inline std::string_view name(Find find) { return name_of(find); }

struct SizingQuestion {
    Space space;                                      ///< its devices and batch are not used
    std::vector<std::int64_t> counts;                 ///< of devices, ascending
    std::function<std::int64_t(std::int64_t)> batch;  ///< samples of a step for a number of devices
    Goals goals;
    Find find = Find::fewest;
};

/// Consecutive counts that one bound rules out.
struct RuledOut {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t counts = 0;
    Goal by = Goal::fits;
};

struct Sizing {
    std::vector<Attempt> attempts;  ///< by devices, ascending; some only for comparison
    std::optional<std::size_t> found;
    std::vector<RuledOut> ruled_out;
    Bound bound;
    std::int64_t counts = 0;  ///< asked about
    std::int64_t least = 0;   ///< the smallest of them
    std::int64_t most = 0;    ///< the largest of them
    /// False: stopped before the answer was known.
    bool complete = true;

    [[nodiscard]] const Attempt* answer() const { return found ? &attempts[*found] : nullptr; }
    [[nodiscard]] const Attempt* with(std::int64_t devices) const;
};

/// Divisors of a node, multiples of it up to 32 nodes, then 16 counts per doubling (steps of at most 6 %, the error of
/// predictions), and the whole machine. Ascending.
std::vector<std::int64_t> usual_counts(const cluster::Cluster& cluster);

/// `least`, `most`, and between them all multiples and divisors of a node. Ascending.
std::vector<std::int64_t> counts_between(const cluster::Cluster& cluster, std::int64_t least, std::int64_t most);

/// `progress`: counts done, all counts; also called during the search of one count.
Sizing size(const graph::Graph& graph, const cluster::Cluster& cluster, const SizingQuestion& question,
            const Progress& progress = {});

}  // namespace dodona::search
