#include "schedule/in_flight.hpp"

#include <algorithm>
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

}  // namespace

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
