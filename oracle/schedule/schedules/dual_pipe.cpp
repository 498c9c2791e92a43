// DualPipe and DualPipe-V: the forward pass of one micro-batch runs together with the backward pass of another.
//
// DualPipe feeds half of the micro-batches from either end of p stages; stage s holds positions s and p - 1 - s of two
// copies of the network, and mirrors stage p - 1 - s. DualPipe-V is one half of that, cut in the middle: p stages, 2p
// positions in a V, one copy. Stage s of the half with n stages, `down` for the leg that starts here or before it and
// `up` for the one that comes back:
//   1. 2 (n - 1 - s) forward passes down
//   2. s + 1 times a forward pass down and one up
//   3. n - 1 - s times a split backward pass up and a forward pass up
//   4. m - 2n + s + 1 times forward down with backward up, then forward up with backward down, in pairs (the first pair
//      of the last stage of the half one after the other: it would wait otherwise)
//   5. n - 1 - s times a backward pass up, then forward up with backward down
//   6. s + 1 times a backward pass up and one down, from the middle on only their gradients of inputs
//   7. n - 1 - s times the oldest gradients of weights and gradients of inputs down
//   8. the s + 1 gradients of weights that are due
// With P positions in a row: bubble (P/2 - 1)(F&B + B - 3W) on the stages in the middle if F = I >= W; P + 1 passes in
// flight; twice the parameters of one position on each stage. Other stages run one pair more, and with F other than I the
// bubble differs from the authors' formula (F = 1, I = 2, W = 1: 11 for 12 with P = 8).
// Source: DeepSeek-V3, arXiv:2412.19437, section 3.2.1 and table 2; the orders of deepseek-ai/DualPipe. DualPipe-V: Qi et
// al. (Sea AI Lab), "DualPipe could be better without the Dual".
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

namespace {

/// The tasks of one stage of a half.
class DualStage {
public:
    struct Leg {
        std::int32_t position = 0;
        std::int32_t first = 0;  ///< first micro-batch of its direction
        std::int32_t forward = 0;
        std::int32_t backward = 0;
    };

    explicit DualStage(std::vector<Task>& tasks) : tasks_(tasks) {}

    void run_forward(Leg& leg) { tasks_.push_back(schedule::forward(leg.first + leg.forward++, leg.position)); }
    void run_backward(Leg& leg) { tasks_.push_back(schedule::backward(leg.first + leg.backward++, leg.position)); }
    void run_input(Leg& leg) {
        const std::int32_t micro_batch = leg.first + leg.backward++;
        tasks_.push_back(backward_input(micro_batch, leg.position));
        due_.push_back(backward_weight(micro_batch, leg.position));
    }
    void run_backward(Leg& leg, bool split) { split ? run_input(leg) : run_backward(leg); }
    void run_pair(Leg& ahead, Leg& back) {
        run_forward(ahead);
        tasks_.back().overlaps_next = true;
        run_backward(back);
    }
    /// The oldest gradients of weights that are due.
    void run_weight() {
        if (!due_.empty()) {
            tasks_.push_back(due_.front());
            due_.pop_front();
        }
    }

private:
    std::vector<Task>& tasks_;
    std::deque<Task> due_;
};

/// Stage s of a half of n stages through which m micro-batches pass down and up.
void run_stage(std::int32_t s, std::int32_t n, std::int32_t m, DualStage::Leg down, DualStage::Leg up,
               std::vector<Task>& tasks) {
    DualStage stage(tasks);
    for (std::int32_t i = 0; i < 2 * (n - 1 - s); ++i) {
        stage.run_forward(down);
    }
    for (std::int32_t i = 0; i < s + 1; ++i) {
        stage.run_forward(down);
        stage.run_forward(up);
    }
    for (std::int32_t i = 0; i < n - 1 - s; ++i) {
        stage.run_input(up);
        stage.run_weight();
        stage.run_forward(up);
    }
    for (std::int32_t i = 0; i < m - 2 * n + s + 1; ++i) {
        if (i == 0 && s == n - 1) {
            stage.run_forward(down);
            stage.run_backward(up);
        } else {
            stage.run_pair(down, up);
        }
        stage.run_pair(up, down);
    }
    for (std::int32_t i = 0; i < n - 1 - s; ++i) {
        stage.run_backward(up);
        stage.run_pair(up, down);
    }
    // The middle of 2 (s + 1) backward passes; for an odd number of pairs the one in the middle is half split.
    for (std::int32_t i = 0; i < 2 * (s + 1); ++i) {
        stage.run_backward(i % 2 == 0 ? up : down, i > s);
    }
    for (std::int32_t i = 0; i < n - 1 - s; ++i) {
        stage.run_weight();
        stage.run_input(down);
    }
    for (std::int32_t i = 0; i < s + 1; ++i) {
        stage.run_weight();
    }
}

}  // namespace

std::optional<std::string> unmet_by_dual_pipe(const Shape& shape) {
    if (const auto unmet = unmet_by_one_position(shape)) {
        return unmet;
    }
    if (shape.stages % 2 != 0 || shape.micro_batches % 2 != 0) {
        return fmt::format(
            "micro-batches enter at both ends: numbers of stages and micro-batches are even, not {} and {}",
            shape.stages, shape.micro_batches);
    }
    if (shape.micro_batches < 2 * shape.stages) {
        return fmt::format("{} stages need at least {} micro-batches, not {}", shape.stages, 2 * shape.stages,
                           shape.micro_batches);
    }
    return std::nullopt;
}

std::optional<std::string> unmet_by_dual_pipe_v(const Shape& shape) {
    if (const auto unmet = unmet_by_zero_bubble_v(shape)) {
        return unmet;
    }
    if (shape.micro_batches < 2 * shape.stages) {
        return fmt::format("{} stages need at least {} micro-batches, not {}", shape.stages, 2 * shape.stages,
                           shape.micro_batches);
    }
    return std::nullopt;
}

Order dual_pipe(const Shape& shape) {
    Order order = empty_order(Placement::bidirectional, shape);
    const std::int32_t p = shape.stages;
    const std::int32_t half = shape.micro_batches / 2;
    for (std::int32_t s = 0; s < p; ++s) {
        const std::int32_t from_end = std::min(s, p - 1 - s);
        // The direction that enters at the nearer end passes here first.
        const std::int32_t near = s < p / 2 ? 0 : half;
        run_stage(from_end, p / 2, half, {.position = from_end, .first = near},
                  {.position = p - 1 - from_end, .first = half - near}, order.stages[static_cast<std::size_t>(s)]);
    }
    return order;
}

Order dual_pipe_v(const Shape& shape) {
    Order order = empty_order(Placement::v_shape, shape);
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        run_stage(s, shape.stages, shape.micro_batches, {.position = s}, {.position = 2 * shape.stages - 1 - s},
                  order.stages[static_cast<std::size_t>(s)]);
    }
    return order;
}

}  // namespace dodona::schedule
