#include "schedule/dependencies.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::schedule {

namespace {

/// Runs every stage as far as it gets, until no stage can go on. What tasks wait for are products, numbered by position
/// and micro-batch: first those of forward passes, then gradients of inputs.
class Resolver {
public:
    explicit Resolver(const Order& order)
        : order_(order),
          cells_(order.positions() * order.micro_batches),
          producers_(2 * static_cast<std::size_t>(cells_), kNone),
          waiting_(producers_.size(), kNone),
          next_(order.stages.size(), 0),
          first_(order.stages.size(), 0),
          stages_(order.directions.size() == 1 ? order.directions.front().data() : nullptr) {
        result_.stages = static_cast<std::int32_t>(order.stages.size());
        result_.positions = order.positions();
        std::int32_t tasks = 0;
        for (std::size_t s = 0; s < order.stages.size(); ++s) {
            first_[s] = tasks;
            tasks += static_cast<std::int32_t>(order.stages[s].size());
        }
        result_.steps.reserve(static_cast<std::size_t>(tasks));
        result_.by_task.resize(static_cast<std::size_t>(tasks), kNone);
    }

    Dependencies run() {
        for (std::int32_t s = result_.stages - 1; s >= 0; --s) {
            runnable_.push_back(s);
        }
        while (!runnable_.empty()) {
            const std::int32_t stage = runnable_.back();
            runnable_.pop_back();
            advance(stage);
        }
        for (std::int32_t s = 0; s < result_.stages; ++s) {
            const std::size_t next = next_[static_cast<std::size_t>(s)];
            if (const std::int32_t product = missing(tasks_of(s), next); product != kNone) {
                Task needs = task_of(product);
                if (tasks_of(s)[next].kind == TaskKind::backward_weight) {
                    needs.kind = TaskKind::backward_input;
                }
                result_.blocked.push_back(
                    {s, tasks_of(s)[next], needs, order_.stage_of(needs.position, needs.micro_batch)});
            }
        }
        for (std::size_t i = 0; i < result_.steps.size(); ++i) {
            result_.by_task[static_cast<std::size_t>(result_.steps[i].task)] = static_cast<std::int32_t>(i);
        }
        return std::move(result_);
    }

private:
    static constexpr std::int32_t kNone = -1;

    [[nodiscard]] const std::vector<Task>& tasks_of(std::int32_t stage) const {
        return order_.stages[static_cast<std::size_t>(stage)];
    }

    [[nodiscard]] std::int32_t stage_of(std::int32_t position, std::int32_t micro_batch) const {
        return stages_ != nullptr ? stages_[position] : order_.stage_of(position, micro_batch);
    }

    /// The result of the forward pass of a task's micro-batch at its position.
    [[nodiscard]] std::int32_t forward_of(const Task& task) const {
        return task.position * order_.micro_batches + task.micro_batch;
    }

    /// What a task gives to others; kNone: gradients of weights.
    [[nodiscard]] std::int32_t product_of(const Task& task) const {
        return task.kind == TaskKind::forward ? forward_of(task)
               : is_input_backward(task.kind) ? cells_ + forward_of(task)
                                              : kNone;
    }

    /// What a task needs of the same position and stage.
    [[nodiscard]] std::int32_t own_need(const Task& task) const {
        return task.kind == TaskKind::forward           ? kNone
               : task.kind == TaskKind::backward_weight ? cells_ + forward_of(task)
                                                        : forward_of(task);
    }

    /// What a task needs of the position before or after.
    [[nodiscard]] std::int32_t other_need(const Task& task) const {
        if (task.kind == TaskKind::forward) {
            return task.position == 0 ? kNone : forward_of(task) - order_.micro_batches;
        }
        const bool receives = is_input_backward(task.kind) && task.position + 1 < result_.positions;
        return receives ? cells_ + forward_of(task) + order_.micro_batches : kNone;
    }

    [[nodiscard]] Task task_of(std::int32_t product) const {
        const std::int32_t cell = product % cells_;
        return {.kind = product < cells_ ? TaskKind::forward : TaskKind::backward,
                .micro_batch = cell % order_.micro_batches,
                .position = cell / order_.micro_batches};
    }

    [[nodiscard]] bool lacks(std::int32_t product) const {
        return product != kNone && producers_[static_cast<std::size_t>(product)] == kNone;
    }

    /// What the task `next` of a stage, or the pair that starts with it, still waits for; kNone: it can run, or the stage
    /// is at its end.
    [[nodiscard]] std::int32_t missing(const std::vector<Task>& tasks, std::size_t next) const {
        for (; next < tasks.size(); ++next) {
            for (const std::int32_t product : {own_need(tasks[next]), other_need(tasks[next])}) {
                if (lacks(product)) {
                    return product;
                }
            }
            if (!tasks[next].overlaps_next) {
                break;
            }
        }
        return kNone;
    }

    void advance(std::int32_t stage) {
        const std::vector<Task>& tasks = tasks_of(stage);
        std::size_t& next = next_[static_cast<std::size_t>(stage)];
        while (next < tasks.size()) {
            if (const std::int32_t product = missing(tasks, next); product != kNone) {
                waiting_[static_cast<std::size_t>(product)] = stage;
                return;
            }
            const std::size_t from = next;
            while (tasks[next].overlaps_next && next + 1 < tasks.size()) {
                ++next;
            }
            ++next;
            for (std::size_t i = from; i < next; ++i) {
                push(stage, i);
            }
            for (std::size_t i = from; i < next; ++i) {
                finish(stage, i);
            }
        }
    }

    void push(std::int32_t stage, std::size_t index) {
        const std::vector<Task>& tasks = tasks_of(stage);
        const Task& task = tasks[index];
        Step step;
        step.task = first_[static_cast<std::size_t>(stage)] + static_cast<std::int32_t>(index);
        step.stage = stage;
        step.duration = static_cast<std::int32_t>(task.kind) * result_.positions + task.position;
        step.overlaps_next = task.overlaps_next && index + 1 < tasks.size();
        step.is_backward = task.kind != TaskKind::forward;
        if (const std::int32_t needs = other_need(task); needs != kNone) {
            step.producer = producers_[static_cast<std::size_t>(needs)];
            const std::int32_t before = task.position + (step.is_backward ? 1 : -1);
            step.receipt = stage_of(before, task.micro_batch) == stage ? kNone : std::min(task.position, before);
        }
        const bool sends_on = !step.is_backward && task.position + 1 < result_.positions;
        const bool sends_back = is_input_backward(task.kind) && task.position > 0;
        if (sends_on || sends_back) {
            const std::int32_t to = stage_of(task.position + (sends_on ? 1 : -1), task.micro_batch);
            step.transfer = to == stage ? kNone : task.position - (sends_on ? 0 : 1);
        }
        result_.steps.push_back(step);
    }

    /// Notes what a task produced and wakes the stage that waits for it.
    void finish(std::int32_t stage, std::size_t index) {
        const std::int32_t product = product_of(tasks_of(stage)[index]);
        if (product == kNone) {
            return;
        }
        const auto at = static_cast<std::size_t>(product);
        producers_[at] = first_[static_cast<std::size_t>(stage)] + static_cast<std::int32_t>(index);
        if (waiting_[at] != kNone) {
            runnable_.push_back(waiting_[at]);
            waiting_[at] = kNone;
        }
    }

    const Order& order_;
    std::int32_t cells_;  // micro-batches at positions
    Dependencies result_;
    std::vector<std::int32_t> producers_;  // of each product, its task; kNone: not there yet
    std::vector<std::int32_t> waiting_;    // of each product, the stage that waits for it
    std::vector<std::size_t> next_;        // of each stage, the first task that has not run
    std::vector<std::int32_t> first_;      // of each stage, the index of its first task
    std::vector<std::int32_t> runnable_;
    const std::int32_t* stages_;  // by position, of a single direction; null: of several
};

}  // namespace

Dependencies resolve(const Order& order) {
    check(order.micro_batches >= 1 && !order.directions.empty() && !order.directions.front().empty(),
          "an order has positions and micro-batches");
    return Resolver(order).run();
}

std::string to_text(const std::vector<BlockedStage>& blocked) {
    std::string text;
    for (const BlockedStage& stage : blocked) {
        text += fmt::format("{}stage {} waits at {} for {} of stage {}", text.empty() ? "" : "; ", stage.stage,
                            to_text(stage.task), to_text(stage.needs), stage.needs_stage);
    }
    return text;
}

}  // namespace dodona::schedule
