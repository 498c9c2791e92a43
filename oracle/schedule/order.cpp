#include "schedule/order.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::schedule {

namespace {

/// Where a task was first seen.
struct Seen {
    bool there = false;
    std::int32_t stage = 0;
    std::size_t index = 0;
};

bool is_pair(const std::vector<Task>& tasks, std::size_t index) {
    if (index + 1 >= tasks.size() || tasks[index + 1].overlaps_next) {
        return false;
    }
    return tasks[index].kind == TaskKind::forward && is_input_backward(tasks[index + 1].kind);
}

/// Walks an order and collects its faults.
class FaultFinder {
public:
    explicit FaultFinder(const Order& order) : order_(order) {
        const auto cells =
            static_cast<std::size_t>(order.positions()) * static_cast<std::size_t>(order.micro_batches) * kTaskKinds;
        seen_.resize(cells);
    }

    std::vector<OrderFault> run() {
        for (std::size_t s = 0; s < order_.stages.size(); ++s) {
            for (std::size_t i = 0; i < order_.stages[s].size(); ++i) {
                look_at(static_cast<std::int32_t>(s), i);
            }
        }
        look_for_missing();
        return std::move(faults_);
    }

private:
    Seen& seen(TaskKind kind, std::int32_t position, std::int32_t micro_batch) {
        const auto m = static_cast<std::size_t>(order_.micro_batches);
        const auto k = static_cast<std::size_t>(kind) * static_cast<std::size_t>(order_.positions());
        return seen_[(k + static_cast<std::size_t>(position)) * m + static_cast<std::size_t>(micro_batch)];
    }

    void look_at(std::int32_t stage, std::size_t index) {
        const std::vector<Task>& tasks = order_.stages[static_cast<std::size_t>(stage)];
        const Task& task = tasks[index];
        const auto fault = [&](std::string message) { faults_.push_back({stage, index, std::move(message)}); };
        if (task.position < 0 || task.position >= order_.positions()) {
            return fault(fmt::format("{}: there is no position {}, only 0 to {}", to_text(task), task.position,
                                     order_.positions() - 1));
        }
        if (task.micro_batch < 0 || task.micro_batch >= order_.micro_batches) {
            return fault(fmt::format("{}: there is no micro-batch {}, only 0 to {}", to_text(task), task.micro_batch,
                                     order_.micro_batches - 1));
        }
        const std::int32_t home = order_.stage_of(task.position, task.micro_batch);
        if (home != stage) {
            return fault(fmt::format("{}: position {} is on stage {}, not on stage {}", to_text(task), task.position,
                                     home, stage));
        }
        if (task.overlaps_next && !is_pair(tasks, index)) {
            return fault(fmt::format("{}: a pair is a forward pass and then a backward pass", to_text(task)));
        }
        Seen& first = seen(task.kind, task.position, task.micro_batch);
        if (first.there) {
            return fault(fmt::format("{}: a second time on stage {}", to_text(task), stage));
        }
        first = {true, stage, index};
    }

    void look_for_missing() {
        for (std::int32_t k = 0; k < order_.positions(); ++k) {
            for (std::int32_t i = 0; i < order_.micro_batches; ++i) {
                look_for_missing(k, i);
            }
        }
    }

    void look_for_missing(std::int32_t position, std::int32_t micro_batch) {
        const Seen whole = seen(TaskKind::backward, position, micro_batch);
        const bool input = seen(TaskKind::backward_input, position, micro_batch).there;
        const bool weight = seen(TaskKind::backward_weight, position, micro_batch).there;
        if (whole.there && (input || weight)) {
            faults_.push_back({whole.stage, whole.index,
                               fmt::format("micro-batch {} has a whole backward pass (B) and a split one (I, W) at "
                                           "position {}",
                                           micro_batch, position)});
            return;
        }
        const auto missing = [&](TaskKind kind) {
            const std::int32_t stage = order_.stage_of(position, micro_batch);
            faults_.push_back(
                {stage, order_.stages[static_cast<std::size_t>(stage)].size(),
                 fmt::format("{} is missing on stage {}",
                             to_text({.kind = kind, .micro_batch = micro_batch, .position = position}), stage)});
        };
        if (!seen(TaskKind::forward, position, micro_batch).there) {
            missing(TaskKind::forward);
        }
        if (!whole.there && !input && !weight) {
            missing(TaskKind::backward);
        } else if (!whole.there && !input) {
            missing(TaskKind::backward_input);
        } else if (!whole.there && !weight) {
            missing(TaskKind::backward_weight);
        }
    }

    const Order& order_;
    std::vector<Seen> seen_;  // by kind, position and micro-batch
    std::vector<OrderFault> faults_;
};

}  // namespace

std::string to_text(const Task& task) {
    return fmt::format("{}{}{}", task.position, name(task.kind), task.micro_batch);
}

std::vector<std::vector<std::int32_t>> place(Placement placement, const Shape& shape) {
    const std::int32_t p = shape.stages;
    std::vector<std::int32_t> down;
    std::vector<std::int32_t> up;
    for (std::int32_t k = 0; k < p * shape.virtual_stages; ++k) {
        down.push_back(k % p);
        up.push_back(p - 1 - k % p);
    }
    switch (placement) {
        case Placement::loop: return {down};
        case Placement::bidirectional: return {down, up};
        case Placement::v_shape: break;
    }
    for (std::int32_t k = p; k < p * shape.virtual_stages; ++k) {
        down[static_cast<std::size_t>(k)] = up[static_cast<std::size_t>(k)];
    }
    return {down};
}

std::optional<std::int64_t> Places::sender(std::int64_t stage, std::int64_t index) const {
    const bool up = placement != Placement::loop && index % 2 == 1;
    const std::int64_t before = up ? stage + 1 : stage - 1;
    if (before >= 0 && before < stages) {
        return before;
    }
    const bool wraps = placement == Placement::loop && index > 0 && stages > 1;
    return wraps ? std::optional(stages - 1) : std::nullopt;
}

std::size_t Order::tasks() const {
    return sum_of<std::size_t>(stages, [](const std::vector<Task>& stage) { return stage.size(); });
}

std::int32_t Order::stage_of(std::int32_t position, std::int32_t micro_batch) const {
    const auto k = static_cast<std::size_t>(position);
    if (directions.size() == 1) {
        return directions.front()[k];
    }
    const auto i = static_cast<std::size_t>(micro_batch);
    return directions[i * directions.size() / static_cast<std::size_t>(micro_batches)][k];
}

Order empty_order(Placement placement, const Shape& shape) {
    Order order;
    order.micro_batches = shape.micro_batches;
    order.directions = place(placement, shape);
    order.stages.resize(static_cast<std::size_t>(shape.stages));
    return order;
}

std::vector<OrderFault> find_faults(const Order& order) {
    check(order.micro_batches >= 1 && !order.directions.empty() && !order.directions.front().empty(),
          "an order has positions and micro-batches");
    return FaultFinder(order).run();
}

}  // namespace dodona::schedule
