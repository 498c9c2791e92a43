// Which waiting trial starts next, and where. The simulated schedule and the real run ask the same scheduler.
//
//   fifo      in the order of submission; the first that does not fit blocks those behind it
//   lpt       longest first; one that does not fit lets others pass
//   backfill  fifo, but others may pass the first where they do not delay its start, as far as times are known (EASY)
//
// A trial goes to the node with least room that can hold it, so that wide trials find room later.
// Source: Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2), 1969, for list scheduling and
// longest processing time first; Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995, for backfilling.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "trials/pool.hpp"

namespace dodona::trials {

enum class Policy { fifo, lpt, backfill };
inline constexpr std::array kPolicyTable{
    Enumerator(Policy::fifo, "fifo", "in the order of submission"), Enumerator(Policy::lpt, "lpt", "longest first"),
    Enumerator(Policy::backfill, "backfill", "in order, but others may pass where they delay nobody")};
constexpr const auto& enumerators(Policy /*type*/) { return kPolicyTable; }
inline constexpr std::array kPolicies = values_of(kPolicyTable);
constexpr std::string_view name(Policy policy) { return name_of(policy); }

/// Where a trial runs.
struct Place {
    std::int64_t node = 0;   ///< the first of its nodes
    std::int64_t nodes = 1;  ///< neighbours
    std::int64_t lane = 0;   ///< of its first node: no two trials that run at once have the same
};

struct Start {
    std::size_t job = 0;
    Place place;
};

class Scheduler {
public:
    /// Every job fits on the pool's nodes. Their times are what is expected; they need not come true.
    Scheduler(std::vector<Job> jobs, const Pool& pool, Policy policy);

    /// The jobs that start at `now`. `most`: no more than so many.
    std::vector<Start> start(Seconds now, std::size_t most = SIZE_MAX);
    /// A running job has ended; what it held is free.
    void end(std::size_t job);
    /// A job that is not running waits again, behind all others of its rank.
    void resubmit(std::size_t job);
    /// A job that comes later. Returns its number.
    std::size_t add(const Job& job);
    /// Takes a waiting job out.
    void withdraw(std::size_t job);
    /// Nothing more starts on a node.
    void lose(std::int64_t node) { lost_[static_cast<std::size_t>(node)] = true; }

    [[nodiscard]] bool has_room(const Units& units) const { return room(units, free_).has_value(); }
    [[nodiscard]] std::size_t running() const { return running_.size(); }
    [[nodiscard]] std::size_t waiting() const { return queue_.size(); }
    /// Whether a job could ever start on the nodes that are left.
    [[nodiscard]] bool can_hold(const Units& units) const;

private:
    struct Running {
        std::size_t job = 0;
        Place place;
        Units on_each;
        Seconds expected_end;
    };

    void enqueue(std::size_t job);
    [[nodiscard]] std::optional<std::int64_t> room(const Units& units, const std::vector<Units>& free) const;
    [[nodiscard]] Seconds earliest(const Units& units, std::vector<Units> free, Seconds now) const;
    [[nodiscard]] bool delays(std::size_t job, std::int64_t node, const Job& first, Seconds reserved,
                              Seconds now) const;
    Start take(std::size_t position, std::int64_t node, Seconds now);

    std::vector<Job> jobs_;
    Pool pool_;
    Policy policy_;
    std::set<Units> sizes_;  ///< of all jobs
    std::deque<std::size_t> queue_;
    std::vector<Units> free_;               ///< of each node
    std::vector<bool> lost_;                ///< of each node
    std::vector<std::vector<bool>> lanes_;  ///< of each node: taken
    std::vector<Running> running_;
};

}  // namespace dodona::trials
