#include "search/sizing.hpp"

#include <algorithm>
#include <set>

#include "base/ranges.hpp"
#include "search/limits.hpp"
#include "search/space.hpp"

namespace dodona::search {

namespace {

constexpr std::int64_t kEveryNode = 32;  ///< nodes up to which every multiple is a count
constexpr std::int64_t kToADoubling = 16;

bool is_power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

class Sizer {
public:
    Sizer(const graph::Graph& graph, const cluster::Cluster& cluster, const SizingQuestion& question,
          const Progress& progress)
        : graph_(graph), cluster_(cluster), question_(question), progress_(progress) {
        sizing_.bound = bound(graph, cluster, question.space);
        sizing_.counts = static_cast<std::int64_t>(question.counts.size());
        sizing_.least = question.counts.empty() ? 0 : question.counts.front();
        sizing_.most = question.counts.empty() ? 0 : question.counts.back();
    }

    Sizing run() {
        rule_out();
        look();
        compare();
        finish();
        return std::move(sizing_);
    }

private:
    /// The goal that a count misses by the bounds; none: it has to be searched.
    [[nodiscard]] std::optional<Goal> refused(std::int64_t devices) const {
        const Goals& goals = question_.goals;
        if (!sizing_.bound.may_fit(devices)) {
            return Goal::fits;
        }
        const double most = sizing_.bound.most_samples_per_second(devices);
        if (goals.samples_per_second && most < *goals.samples_per_second) {
            return Goal::throughput;
        }
        if (!goals.samples) {
            return std::nullopt;
        }
        const Seconds least = *goals.samples / most * unit::second;
        if (goals.deadline && least > *goals.deadline) {
            return Goal::deadline;
        }
        const bool pays = goals.budget && cluster_.price;
        if (pays && static_cast<double>(devices) * least * cluster_.price->device > *goals.budget) {
            return Goal::budget;
        }
        return std::nullopt;
    }

    void rule_out() {
        bool goes_on = false;
        for (const std::int64_t devices : question_.counts) {
            const auto by = refused(devices);
            if (!by) {
                open_.push_back(devices);
            } else if (goes_on && sizing_.ruled_out.back().by == *by) {
                sizing_.ruled_out.back().last = devices;
                ++sizing_.ruled_out.back().counts;
            } else {
                sizing_.ruled_out.push_back({devices, devices, 1, *by});
            }
            goes_on = by.has_value();
        }
    }

    /// Powers of two come first: they are the likely answers and let worth_searching rule out others.
    void look() {
        const std::int64_t node = cluster_.node_size();
        const auto doubling = [node](std::int64_t n) { return n % node == 0 ? is_power_of_two(n / node) : n < node; };
        std::vector<std::int64_t> order = open_;
        if (question_.find == Find::fastest) {
            if (!find_worthwhile()) {
                sizing_.complete = false;
                return;
            }
            std::reverse(order.begin(), order.end());
        }
        std::stable_partition(order.begin(), order.end(), doubling);
        for (const std::int64_t devices : order) {
            if (!worth_searching(devices)) {
                continue;
            }
            if (!try_count(devices)) {
                sizing_.complete = false;
                return;
            }
        }
    }

    /// Searches the fewest devices that fit; false: stopped.
    bool find_worthwhile() {
        for (const std::int64_t devices : question_.counts) {
            if (!sizing_.bound.may_fit(devices)) {
                continue;
            }
            if (!try_count(devices)) {
                return false;
            }
            if (const Attempt& made = sizing_.attempts.back(); made.fits()) {
                worthwhile_ = kWorthwhile * made.plan->samples_per_second / static_cast<double>(devices);
                break;
            }
        }
        return true;
    }

    [[nodiscard]] bool is_worthwhile(std::int64_t devices, double samples_per_second) const {
        return samples_per_second >= worthwhile_ * static_cast<double>(devices);
    }

    /// Whether the count may be better than the best known one.
    [[nodiscard]] bool worth_searching(std::int64_t devices) const {
        const Attempt* best = best_so_far();
        if (best == nullptr) {
            return true;
        }
        switch (question_.find) {
            case Find::fewest: return devices < best->devices;
            case Find::fastest: {
                const double most = sizing_.bound.most_samples_per_second(devices);
                const double known = best->plan->samples_per_second;
                return !is_worthwhile(best->devices, known) || (is_worthwhile(devices, most) && most > known);
            }
            case Find::cheapest: break;
        }
        return true;
    }

    [[nodiscard]] const Attempt* best_so_far() const {
        const Attempt* best = nullptr;
        for (const Attempt& attempt : sizing_.attempts) {
            if (!attempt.missed && attempt.asked && (best == nullptr || better(attempt, *best))) {
                best = &attempt;
            }
        }
        return best;
    }

    [[nodiscard]] bool among(std::int64_t devices) const {
        return std::binary_search(question_.counts.begin(), question_.counts.end(), devices);
    }

    /// Equal ones are ordered by devices.
    [[nodiscard]] bool better(const Attempt& a, const Attempt& b) const {
        const double rate_a = a.plan->samples_per_second;
        const double rate_b = b.plan->samples_per_second;
        // Cost is devices x time x price, so on one machine device time decides.
        const double paid_a = static_cast<double>(a.devices) * rate_b;
        const double paid_b = static_cast<double>(b.devices) * rate_a;
        if (question_.find == Find::fastest && rate_a != rate_b) {
            const bool worthwhile = is_worthwhile(a.devices, rate_a);
            return worthwhile == is_worthwhile(b.devices, rate_b) ? rate_a > rate_b : worthwhile;
        }
        if (question_.find == Find::cheapest && paid_a != paid_b) {
            return paid_a < paid_b;
        }
        return a.devices < b.devices;
    }

    bool try_count(std::int64_t devices) {
        if (!tried_.insert(devices).second) {
            return true;
        }
        if (progress_ && !progress_(static_cast<std::int64_t>(tried_.size()) - 1, sizing_.counts)) {
            return false;
        }
        Space space = question_.space;
        space.devices = devices;
        space.batch = question_.batch(devices);
        auto made = attempt(graph_, cluster_, space, question_.goals, [&](std::int64_t, std::int64_t) {
            return !progress_ || progress_(static_cast<std::int64_t>(tried_.size()) - 1, sizing_.counts);
        });
        if (made) {
            made->asked = among(devices);
            sizing_.attempts.push_back(std::move(*made));
        }
        return made.has_value();
    }

    /// Searches half and double the answer and the next smaller count, for comparison.
    void compare() {
        const Attempt* best = best_so_far();
        if (best == nullptr || !sizing_.complete) {
            return;
        }
        const std::int64_t devices = best->devices;
        const auto next = std::lower_bound(open_.begin(), open_.end(), devices);
        std::vector<std::int64_t> others;
        if (next != open_.begin()) {
            others.push_back(*std::prev(next));
        }
        if (devices % 2 == 0) {
            others.push_back(devices / 2);
        }
        if (2 * devices <= cluster_.devices()) {
            others.push_back(2 * devices);
        }
        for (const std::int64_t other : others) {
            if (!try_count(other)) {
                return;
            }
        }
    }

    void finish() {
        std::sort(sizing_.attempts.begin(), sizing_.attempts.end(),
                  [](const Attempt& a, const Attempt& b) { return a.devices < b.devices; });
        if (const Attempt* best = best_so_far()) {
            sizing_.found = static_cast<std::size_t>(best - sizing_.attempts.data());
        }
    }

    const graph::Graph& graph_;
    const cluster::Cluster& cluster_;
    const SizingQuestion& question_;
    const Progress& progress_;
    std::vector<std::int64_t> open_;  ///< counts that no bound rules out
    std::set<std::int64_t> tried_;
    double worthwhile_ = 0;  ///< samples a second of a device that the fastest has at least
    Sizing sizing_;
};

}  // namespace

const Attempt* Sizing::with(std::int64_t devices) const { return found_in(attempts, &Attempt::devices, devices); }

std::vector<std::int64_t> usual_counts(const cluster::Cluster& cluster) {
    const std::int64_t node = cluster.node_size();
    const std::int64_t all = cluster.devices();
    std::vector<std::int64_t> counts = divisors(node);
    std::int64_t step = 1;
    for (std::int64_t nodes = 2; nodes * node <= all; nodes += step) {
        counts.push_back(nodes * node);
        if (nodes >= kEveryNode && is_power_of_two(nodes)) {
            step = nodes / kToADoubling;
        }
    }
    if (counts.back() != all) {
        counts.push_back(all);
    }
    return counts;
}

std::vector<std::int64_t> counts_between(const cluster::Cluster& cluster, std::int64_t least, std::int64_t most) {
    const std::int64_t node = cluster.node_size();
    std::set<std::int64_t> counts{least, most};
    for (const std::int64_t part : divisors(node)) {
        if (part >= least && part <= most) {
            counts.insert(part);
        }
    }
    for (std::int64_t devices = (least + node - 1) / node * node; devices <= most; devices += node) {
        counts.insert(devices);
    }
    return {counts.begin(), counts.end()};
}

Sizing size(const graph::Graph& graph, const cluster::Cluster& cluster, const SizingQuestion& question,
            const Progress& progress) {
    return Sizer(graph, cluster, question, progress).run();
}

}  // namespace dodona::search
