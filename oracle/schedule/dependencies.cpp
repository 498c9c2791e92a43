#include "schedule/dependencies.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::schedule {

namespace {

/// What other tasks wait for: a forward pass, gradients of inputs.
enum class Product : std::uint8_t { forward, input_gradient };

/// Runs every stage as far as it gets, until no stage can go on.
class Resolver {
public:
    explicit Resolver(const Order& order)
        : order_(order), next_(order.stages.size(), 0), first_(order.stages.size(), 0) {
        result_.stages = static_cast<std::int32_t>(order.stages.size());
        result_.positions = order.positions();
        const auto cells = static_cast<std::size_t>(order.positions()) * static_cast<std::size_t>(order.micro_batches);
        producers_.assign(2 * cells, -1);
        waiting_.assign(2 * cells, -1);
        std::int32_t tasks = 0;
        for (std::size_t s = 0; s < order.stages.size(); ++s) {
            first_[s] = tasks;
            tasks += static_cast<std::int32_t>(order.stages[s].size());
        }
        result_.steps.reserve(static_cast<std::size_t>(tasks));
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
            if (const std::optional<Task> needs = missing(s)) {
                result_.blocked.push_back({s, tasks_of(s)[next_[static_cast<std::size_t>(s)]], *needs,
                                           order_.stage_of(needs->position, needs->micro_batch)});
            }
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] const std::vector<Task>& tasks_of(std::int32_t stage) const {
        return order_.stages[static_cast<std::size_t>(stage)];
    }

    [[nodiscard]] std::size_t cell(Product product, std::int32_t position, std::int32_t micro_batch) const {
        const auto row = static_cast<std::size_t>(product) * static_cast<std::size_t>(result_.positions) +
                         static_cast<std::size_t>(position);
        return row * static_cast<std::size_t>(order_.micro_batches) + static_cast<std::size_t>(micro_batch);
    }

    /// The task at another position, or the forward pass, that a task waits for.
    [[nodiscard]] std::optional<Task> needed_by(const Task& task) const {
        if (task.kind == TaskKind::forward) {
            return task.position == 0 ? std::nullopt
                                      : std::optional(Task{.kind = TaskKind::forward,
                                                           .micro_batch = task.micro_batch,
                                                           .position = task.position - 1});
        }
        if (is_input_backward(task.kind) && task.position + 1 < result_.positions) {
            return Task{.kind = TaskKind::backward, .micro_batch = task.micro_batch, .position = task.position + 1};
        }
        return std::nullopt;
    }

    /// The task of the same position and stage that must come before a task.
    [[nodiscard]] static std::optional<Task> own_needed_by(const Task& task) {
        if (task.kind == TaskKind::forward) {
            return std::nullopt;
        }
        return Task{.kind = task.kind == TaskKind::backward_weight ? TaskKind::backward_input : TaskKind::forward,
                    .micro_batch = task.micro_batch,
                    .position = task.position};
    }

    [[nodiscard]] std::size_t cell_of(const Task& product) const {
        return cell(product.kind == TaskKind::forward ? Product::forward : Product::input_gradient, product.position,
                    product.micro_batch);
    }

    [[nodiscard]] bool is_done(const Task& product) const { return producers_[cell_of(product)] >= 0; }

    /// What the next task of a stage, or the pair that starts with it, still waits for; none: it can run, or the stage
    /// is at its end.
    [[nodiscard]] std::optional<Task> missing(std::int32_t stage) const {
        const std::vector<Task>& tasks = tasks_of(stage);
        for (std::size_t i = next_[static_cast<std::size_t>(stage)]; i < tasks.size(); ++i) {
            for (const std::optional<Task>& needs : {own_needed_by(tasks[i]), needed_by(tasks[i])}) {
                if (needs && !is_done(*needs)) {
                    return needs;
                }
            }
            if (!tasks[i].overlaps_next) {
                break;
            }
        }
        return std::nullopt;
    }

    void advance(std::int32_t stage) {
        const std::vector<Task>& tasks = tasks_of(stage);
        std::size_t& next = next_[static_cast<std::size_t>(stage)];
        while (next < tasks.size()) {
            if (const std::optional<Task> needs = missing(stage)) {
                waiting_[cell_of(*needs)] = stage;
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
        const Task& task = tasks_of(stage)[index];
        Step step;
        step.task = first_[static_cast<std::size_t>(stage)] + static_cast<std::int32_t>(index);
        step.stage = stage;
        step.duration = static_cast<std::int32_t>(task.kind) * result_.positions + task.position;
        step.overlaps_next = task.overlaps_next && index + 1 < tasks_of(stage).size();
        step.is_backward = task.kind != TaskKind::forward;
        if (const std::optional<Task> needs = needed_by(task)) {
            step.producer = producers_[cell_of(*needs)];
            const std::int32_t from = order_.stage_of(needs->position, needs->micro_batch);
            step.receipt = from == stage ? -1 : std::min(task.position, needs->position);
        }
        const bool sends_on = task.kind == TaskKind::forward && task.position + 1 < result_.positions;
        const bool sends_back = is_input_backward(task.kind) && task.position > 0;
        if (sends_on || sends_back) {
            const std::int32_t to = order_.stage_of(task.position + (sends_on ? 1 : -1), task.micro_batch);
            step.transfer = to == stage ? -1 : task.position - (sends_on ? 0 : 1);
        }
        result_.steps.push_back(step);
    }

    /// Notes what a task produced and wakes the stage that waits for it.
    void finish(std::int32_t stage, std::size_t index) {
        const Task& task = tasks_of(stage)[index];
        if (task.kind == TaskKind::backward_weight) {
            return;
        }
        const std::size_t product = cell_of(task);
        producers_[product] = first_[static_cast<std::size_t>(stage)] + static_cast<std::int32_t>(index);
        if (waiting_[product] >= 0) {
            runnable_.push_back(waiting_[product]);
            waiting_[product] = -1;
        }
    }

    const Order& order_;
    Dependencies result_;
    std::vector<std::size_t> next_;        // of each stage, the first task that has not run
    std::vector<std::int32_t> first_;      // of each stage, the index of its first task
    std::vector<std::int32_t> producers_;  // of each product, its task; -1: not there yet
    std::vector<std::int32_t> waiting_;    // of each product, the stage that waits for it
    std::vector<std::int32_t> runnable_;
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
