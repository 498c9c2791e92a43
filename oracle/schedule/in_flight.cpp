#include "schedule/in_flight.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/check.hpp"

namespace dodona::schedule {

namespace {

/// What is held of each position, and the largest so far.
class Held {
public:
    explicit Held(std::size_t positions) : now_(positions, 0), largest_(positions, 0), at_peak_(positions, 0) {}

    void begin(std::size_t position) {
        ++now_[position];
        largest_[position] = std::max(largest_[position], now_[position]);
        if (++sum_ > peak_) {
            peak_ = sum_;
            at_peak_ = now_;
        }
    }

    void end(std::size_t position) {
        --now_[position];
        --sum_;
    }

    [[nodiscard]] const std::vector<std::int64_t>& largest() const { return largest_; }
    [[nodiscard]] const std::vector<std::int64_t>& at_peak() const { return at_peak_; }

private:
    std::vector<std::int64_t> now_;
    std::vector<std::int64_t> largest_;
    std::vector<std::int64_t> at_peak_;
    std::int64_t sum_ = 0;
    std::int64_t peak_ = 0;
};

std::int64_t sum(const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// Whether `a` holds at least what `b` holds of everything.
bool covers(const Holding& a, const Holding& b) {
    return std::equal(a.whole.begin(), a.whole.end(), b.whole.begin(), std::greater_equal<>()) &&
           std::equal(a.for_weights.begin(), a.for_weights.end(), b.for_weights.begin(), std::greater_equal<>());
}

}  // namespace

void add_holding(const Holding& holding, std::vector<Holding>& most) {
    if (std::any_of(most.begin(), most.end(), [&](const Holding& other) { return covers(other, holding); })) {
        return;
    }
    std::erase_if(most, [&](const Holding& other) { return covers(holding, other); });
    most.push_back(holding);
}

std::vector<Holding> most_held(const Order& order, const Places& places, std::int32_t stage) {
    const auto on_stage = static_cast<std::size_t>(places.on_stage());
    std::vector<std::size_t> index(static_cast<std::size_t>(order.positions()), on_stage);
    for (std::size_t i = 0; i < on_stage; ++i) {
        index[static_cast<std::size_t>(places.position(stage, static_cast<std::int64_t>(i)))] = i;
    }
    Holding now{std::vector<std::int64_t>(on_stage, 0), std::vector<std::int64_t>(on_stage, 0)};
    std::vector<Holding> most;
    for (const Task& task : order.stages[static_cast<std::size_t>(stage)]) {
        const std::size_t i = index[static_cast<std::size_t>(task.position)];
        switch (task.kind) {
            case TaskKind::forward: ++now.whole[i]; break;
            case TaskKind::backward: --now.whole[i]; continue;
            case TaskKind::backward_weight: --now.for_weights[i]; continue;
            case TaskKind::backward_input:
                --now.whole[i];
                ++now.for_weights[i];
                break;
        }
        add_holding(now, most);
    }
    return most;
}

std::int64_t InFlight::peak() const { return sum(at_peak); }
std::int64_t InFlight::peak_weights() const { return sum(at_weights_peak); }

InFlight in_flight(const Order& order, std::int32_t stage) {
    check(stage >= 0 && static_cast<std::size_t>(stage) < order.stages.size(), "a stage of the order");
    Held backward(static_cast<std::size_t>(order.positions()));
    Held weights = backward;
    for (const Task& task : order.stages[static_cast<std::size_t>(stage)]) {
        const auto k = static_cast<std::size_t>(task.position);
        if (task.kind == TaskKind::forward) {
            backward.begin(k);
            weights.begin(k);
        }
        if (is_input_backward(task.kind)) {
            backward.end(k);
        }
        if (task.kind == TaskKind::backward || task.kind == TaskKind::backward_weight) {
            weights.end(k);
        }
    }
    return {backward.largest(), weights.largest(), backward.at_peak(), weights.at_peak()};
}

}  // namespace dodona::schedule
