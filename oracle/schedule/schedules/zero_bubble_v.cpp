// ZB-V: two positions on each stage in a V, gradients of weights apart.
//
// Stage s holds s, on the way down, and 2p - 1 - s, on the way up:
//   1. 2 (p - s) - 1 forward passes down
//   2. s times a forward pass up and one down
//   3. p - s times a forward pass up with its whole backward pass, in two tasks
//   4. forward and backward down, forward and backward up in turn, until all forward passes are done
//   5. s times gradients of inputs down and up
//   6. p - s times gradients of inputs down, each with the oldest gradients of weights down
//   7. the gradients of weights that are due, up, then down
// Bubble within each stage 0 with F = I = W; 2p passes of half a stage in flight, as much memory as 1F1B's p. With fewer
// than 2p - 1 micro-batches the tasks of those that are not there are left out. Source: Qi et al., arXiv:2401.10241,
// section 6, and the order of sail-sg/zero-bubble-pipeline-parallelism (handcrafted_zb_v).
#include <algorithm>

#include <fmt/format.h>

#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

namespace {

/// The tasks of one stage: each call appends the next micro-batch's task of its kind, if there is such a micro-batch.
class VStage {
public:
    VStage(std::int32_t micro_batches, std::vector<Task>& tasks) : micro_batches_(micro_batches), tasks_(tasks) {}

    struct Leg {
        std::int32_t position = 0;
        std::int32_t forward = 0;  ///< tasks so far
        std::int32_t input = 0;
        std::int32_t weight = 0;
    };

    void run_forward(Leg& leg) { push(schedule::forward(leg.forward++, leg.position)); }
    void run_input(Leg& leg) { push(backward_input(leg.input++, leg.position)); }
    void run_weight(Leg& leg) { push(backward_weight(leg.weight++, leg.position)); }
    void run_backward(Leg& leg) {
        run_input(leg);
        run_weight(leg);
    }

private:
    void push(const Task& task) {
        if (task.micro_batch < micro_batches_) {
            tasks_.push_back(task);
        }
    }

    std::int32_t micro_batches_;
    std::vector<Task>& tasks_;
};

void run_v_stage(const Shape& shape, std::int32_t s, std::vector<Task>& tasks) {
    const std::int32_t p = shape.stages;
    const std::int32_t passes = std::max(2 * p - 1, shape.micro_batches);
    VStage stage(shape.micro_batches, tasks);
    VStage::Leg down{.position = s};
    VStage::Leg up{.position = 2 * p - 1 - s};
    while (down.forward < 2 * (p - s) - 1) {
        stage.run_forward(down);
    }
    for (std::int32_t i = 0; i < s; ++i) {
        stage.run_forward(up);
        stage.run_forward(down);
    }
    for (std::int32_t i = 0; i < p - s; ++i) {
        stage.run_forward(up);
        stage.run_backward(up);
    }
    while (up.forward < passes) {
        if (down.forward < passes) {
            stage.run_forward(down);
        }
        stage.run_backward(down);
        stage.run_forward(up);
        stage.run_backward(up);
    }
    for (std::int32_t i = 0; i < s; ++i) {
        stage.run_input(down);
        stage.run_input(up);
    }
    for (std::int32_t i = 0; i < p - s; ++i) {
        stage.run_input(down);
        stage.run_weight(down);
    }
    for (VStage::Leg* leg : {&up, &down}) {
        while (leg->weight < leg->input) {
            stage.run_weight(*leg);
        }
    }
}

}  // namespace

std::optional<std::string> unmet_by_zero_bubble_v(const Shape& shape) {
    if (const auto unmet = unmet_by_all(shape)) {
        return unmet;
    }
    if (shape.virtual_stages != 2) {
        return fmt::format("the schedule has two virtual stages on each stage, not {}", shape.virtual_stages);
    }
    return std::nullopt;
}

Order zero_bubble_v(const Shape& shape) {
    Order order = empty_order(Placement::v_shape, shape);
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        run_v_stage(shape, s, order.stages[static_cast<std::size_t>(s)]);
    }
    return order;
}

}  // namespace dodona::schedule
