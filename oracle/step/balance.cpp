#include "step/balance.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::step {

namespace {

constexpr Seconds kNever = Seconds::of_base(std::numeric_limits<double>::infinity());
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

/// The best cut of pieces 0 ... end-1 into the first parts, for one end.
struct Reached {
    Seconds cost = kNever;
    std::size_t from = kNowhere;  ///< where the last of these parts begins
};

class Row {
public:
    Row(const std::vector<std::vector<Seconds>>& seconds, const Holds& holds) : pieces_(seconds.front().size()) {
        for (const std::vector<Seconds>& part : seconds) {
            std::vector<Seconds> before{Seconds{}};
            for (const Seconds piece : part) {
                before.push_back(before.back() + piece);
            }
            before_.push_back(std::move(before));
        }
        for (std::size_t part = 0; part < before_.size(); ++part) {
            first_.push_back(firsts(part, holds));
        }
    }

    std::vector<std::size_t> run() const {
        // Minimises the slowest part first, then the sum.
        const auto slowest = table(kNever, [](Seconds a, Seconds b) { return max(a, b); });
        const Seconds most = slowest.back()[pieces_].cost;
        if (most == kNever) {
            return {};
        }
        const auto sums = table((1 + 1e-12) * most, [](Seconds a, Seconds b) { return a + b; });
        std::vector<std::size_t> ends(before_.size());
        std::size_t end = pieces_;
        for (std::size_t part = before_.size(); part-- > 0;) {
            ends[part] = end;
            end = sums[part][end].from;
        }
        return ends;
    }

private:
    /// By end: the first piece with which a part that ends there can begin. Does not decrease with the end.
    [[nodiscard]] std::vector<std::size_t> firsts(std::size_t part, const Holds& holds) const {
        std::vector<std::size_t> first(pieces_ + 1, 0);
        for (std::size_t end = 1; holds && end <= pieces_; ++end) {
            first[end] = first[end - 1];
            while (first[end] < end && !holds(part, first[end], end)) {
                ++first[end];
            }
        }
        return first;
    }

    /// The best cuts with `join` over their parts, each within `limit`. A part grows until it alone is no better.
    template <class Join>
    [[nodiscard]] std::vector<std::vector<Reached>> table(Seconds limit, const Join& join) const {
        std::vector<std::vector<Reached>> reached(before_.size(), std::vector<Reached>(pieces_ + 1));
        for (std::size_t part = 0; part < before_.size(); ++part) {
            const std::size_t parts_left = before_.size() - part - 1;
            for (std::size_t end = part + 1; end + parts_left <= pieces_; ++end) {
                Reached& best = reached[part][end];
                for (std::size_t from = end; from-- > std::max(part, first_[part][end]);) {
                    const Seconds here = before_[part][end] - before_[part][from];
                    if (here > limit || here >= best.cost) {
                        break;
                    }
                    const Seconds ahead = part > 0 ? reached[part - 1][from].cost : from == 0 ? Seconds{} : kNever;
                    if (const Seconds cost = join(ahead, here); cost < best.cost) {
                        best = {cost, from};
                    }
                }
            }
        }
        return reached;
    }

    std::vector<std::vector<Seconds>> before_;  ///< by part: prefix sums over pieces
    std::vector<std::vector<std::size_t>> first_;
    std::size_t pieces_;
};

/// The smallest n in [1, most] for which `holds`. Domain: `holds` is monotone; it is not asked for `most`, where it counts
/// as true.
template <class Condition>
std::int64_t least(std::int64_t most, const Condition& holds) {
    std::int64_t low = 1;
    while (low < most) {
        const std::int64_t middle = low + (most - low) / 2;
        if (holds(middle)) {
            most = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Micro-batches that one worker finishes in a given time, at most `total`.
std::int64_t done_within(const Workers& workers, Seconds time, std::int64_t total) {
    return least(total + 1, [&](std::int64_t m) { return workers.time(m) > time; }) - 1;
}

/// A distribution in which workers that would delay the others get nothing.
std::vector<MicrobatchShare> deal_freely(const std::vector<Workers>& workers, std::int64_t total) {
    const auto done = [&](Seconds time) {
        std::int64_t sum = 0;
        for (const Workers& other : workers) {
            const std::int64_t each = done_within(other, time, total);
            if (each >= (total - sum + other.count - 1) / other.count) {
                return total;
            }
            sum += each * other.count;
        }
        return sum;
    };
    Seconds soonest = kNever;
    for (const Workers& last : workers) {
        const std::int64_t m = least(total, [&](std::int64_t n) { return done(last.time(n)) >= total; });
        soonest = min(soonest, last.time(m));
    }
    return mapped<MicrobatchShare>(workers, [&](const Workers& each) {
        return MicrobatchShare{done_within(each, soonest, total), each.count};
    });
}

/// Takes back what exceeds `total` from the workers that finish last.
void take_back(const std::vector<Workers>& workers, std::vector<MicrobatchShare>& dealt, std::int64_t total) {
    std::int64_t over = -total;
    for (std::size_t k = 0; k < workers.size(); ++k) {
        over += workers[k].count * dealt[k].most;
    }
    while (over > 0) {
        std::size_t last = workers.size();
        for (std::size_t k = 0; k < workers.size(); ++k) {
            const bool later =
                last == workers.size() || workers[k].time(dealt[k].most) > workers[last].time(dealt[last].most);
            if (dealt[k].most > 1 && later) {
                last = k;
            }
        }
        check(last < workers.size(), "there are as many micro-batches as workers");
        const std::int64_t taken = std::min(over, workers[last].count);
        over -= taken;
        dealt[last].with_most = workers[last].count - taken;
        if (dealt[last].with_most == 0) {
            dealt[last] = {dealt[last].most - 1, workers[last].count};
        }
    }
}

}  // namespace

std::vector<std::size_t> cut_row(const std::vector<std::vector<Seconds>>& seconds, const Holds& holds) {
    if (seconds.front().size() < seconds.size()) {
        return {};
    }
    return Row(seconds, holds).run();
}

Seconds slowest_part(const std::vector<std::vector<Seconds>>& seconds, const std::vector<std::size_t>& ends) {
    Seconds slowest;
    std::size_t piece = 0;
    for (std::size_t part = 0; part < ends.size(); ++part) {
        Seconds here;
        for (; piece < ends[part]; ++piece) {
            here += seconds[part][piece];
        }
        slowest = max(slowest, here);
    }
    return slowest;
}

std::vector<MicrobatchShare> deal(const std::vector<Workers>& workers, std::int64_t total) {
    std::vector<MicrobatchShare> dealt(workers.size());
    std::vector<std::size_t> left(workers.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    // Workers that would best get nothing get one micro-batch; the others share the rest.
    while (!left.empty()) {
        const auto sharing = mapped<Workers>(left, [&](const std::size_t k) { return workers[k]; });
        std::vector<MicrobatchShare> found = deal_freely(sharing, total);
        std::vector<std::size_t> able;
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (found[i].most > 0) {
                able.push_back(left[i]);
            } else {
                dealt[left[i]] = {1, workers[left[i]].count};
                total -= workers[left[i]].count;
            }
        }
        if (able.size() == left.size()) {
            take_back(sharing, found, total);
            for (std::size_t i = 0; i < left.size(); ++i) {
                dealt[left[i]] = found[i];
            }
            break;
        }
        left = std::move(able);
    }
    return dealt;
}

}  // namespace dodona::step
