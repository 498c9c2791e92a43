#include "search/largest.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "graph/graph.hpp"

namespace dodona::search {

namespace {

constexpr std::int64_t kParts = 16;  ///< of a gap
constexpr int kFailures = 3;         ///< in a row, after which doubling ends

class LargestSearch {
public:
    LargestSearch(const cluster::Cluster& cluster, const LargestQuestion& question, const Progress& progress)
        : cluster_(cluster), question_(question), progress_(progress) {
        largest_.step = question.step;
        largest_.most = question.most;
    }

    Largest run() {
        if (double_up() && (best_ > 0 || halve_down())) {
            refine();
        }
        finish();
        return std::move(largest_);
    }

private:
    /// Doubles from the start. Returns false if stopped.
    bool double_up() {
        int failures = 0;
        for (std::int64_t value = std::min(question_.start, question_.most); failures < kFailures;) {
            if (!try_value(value)) {
                return false;
            }
            failures = best_ == value ? 0 : failures + (failed_.contains(value) ? 1 : 0);
            if (value == question_.most) {
                return true;
            }
            value = value > question_.most / 2 ? question_.most : 2 * value;
        }
        return true;
    }

    /// Halves from the start until a value meets the goals. Returns false if stopped.
    bool halve_down() {
        for (std::int64_t value = question_.start / 2; best_ == 0 && value >= question_.step; value /= 2) {
            if (!try_value(on_step(value))) {
                return false;
            }
        }
        return best_ == 0 && question_.start > question_.step ? try_value(question_.step) : true;
    }

    /// Searches the gap between the best value and the smallest failure above it, in ever smaller steps. Values that make
    /// no network do not narrow the gap.
    void refine() {
        std::int64_t parts = kParts;
        while (best_ > 0 && best_ < question_.most) {
            const auto above = failed_.upper_bound(best_);
            const std::int64_t end = above == failed_.end() ? question_.most + 1 : *above;
            const std::int64_t gap = end - best_;
            if (gap <= question_.step) {
                return;
            }
            const std::int64_t stride = std::max(question_.step, on_step((gap + parts - 1) / parts));
            const std::int64_t from = best_;
            for (std::int64_t value = (from / stride + 1) * stride; value < end; value += stride) {
                if (!try_value(value)) {
                    return;
                }
            }
            if (best_ == from && stride == question_.step) {
                return;
            }
            const auto nearest = failed_.upper_bound(best_);
            const bool narrower = best_ != from || (nearest != failed_.end() && *nearest < end);
            parts = narrower ? kParts : kParts * parts;
        }
    }

    /// Rounded down to a multiple of the step, at least one step.
    [[nodiscard]] std::int64_t on_step(std::int64_t value) const {
        return std::max(question_.step, value / question_.step * question_.step);
    }

    bool try_value(std::int64_t value) {
        if (!seen_.insert(value).second) {
            return true;
        }
        const auto goes_on = [&](std::int64_t, std::int64_t) {
            const auto settled = static_cast<std::int64_t>(seen_.size()) - 1;
            return !progress_ || progress_(settled, std::max(settled + 1, 3 * kParts));
        };
        if (!goes_on(0, 0)) {
            largest_.complete = false;
            return false;
        }
        auto job = question_.job(value);
        if (auto* why_not = std::get_if<std::string>(&job)) {
            largest_.none.push_back({value, std::move(*why_not)});
            return true;
        }
        const JobAtValue& sized = std::get<JobAtValue>(job);
        auto made = attempt(sized.graph, cluster_, sized.space, sized.goals, goes_on);
        if (!made) {
            largest_.complete = false;
            return false;
        }
        made->value = value;
        if (made->missed) {
            failed_.insert(value);
        }
        if (!made->missed && value > best_) {
            best_ = value;
            largest_.parameters = graph::count(sized.graph).parameters;
        }
        largest_.attempts.push_back(std::move(*made));
        return true;
    }

    void finish() {
        const auto ascend = [](auto& all) {
            std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
        };
        ascend(largest_.attempts);
        ascend(largest_.none);
        for (std::size_t i = 0; i < largest_.attempts.size(); ++i) {
            if (largest_.attempts[i].value == best_) {
                largest_.found = i;
            }
        }
    }

    const cluster::Cluster& cluster_;
    const LargestQuestion& question_;
    const Progress& progress_;
    std::set<std::int64_t> seen_;
    std::set<std::int64_t> failed_;  ///< values that miss a goal; without those that make no network
    std::int64_t best_ = 0;          ///< the largest value that meets the goals; 0: none so far
    Largest largest_;
};

}  // namespace

const Attempt* Largest::beyond() const {
    return found && *found + 1 < attempts.size() ? &attempts[*found + 1] : nullptr;
}

Largest largest(const cluster::Cluster& cluster, const LargestQuestion& question, const Progress& progress) {
    return LargestSearch(cluster, question, progress).run();
}

}  // namespace dodona::search
