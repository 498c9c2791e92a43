#include "play/step_tasks.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "schedule/dependencies.hpp"

namespace dodona::play {

namespace {

using simulate::TaskId;

constexpr std::array<const char*, kStreams> kStreamNames{"compute", "receive forward", "receive backward"};

class StepBuilder {
public:
    explicit StepBuilder(const step::PipelineCosts& costs) : costs_(costs) {
        steps_.stages = static_cast<std::int32_t>(costs.tails.size());
        for (std::int32_t stage = 0; stage < steps_.stages; ++stage) {
            for (const char* stream : kStreamNames) {
                builder_.add_resource({.name = fmt::format("stage {} {}", stage, stream)});
            }
        }
        for (const Work work : kWork) {
            kinds_.push_back(builder_.add_kind(std::string(name(work))));
        }
    }

    /// All passes in an order that is also that of every stage, then what follows them.
    StepTasks build(const schedule::Order& order, const schedule::Dependencies& dependencies) {
        std::vector<schedule::Task> passes;
        for (const std::vector<schedule::Task>& stage : order.stages) {
            passes.insert(passes.end(), stage.begin(), stage.end());
        }
        ends_.resize(passes.size(), simulate::kNoTask);
        builder_.reserve(3 * passes.size(), 5 * passes.size());
        for (const schedule::Step& step : dependencies.steps) {
            add_pass(step, passes[static_cast<std::size_t>(step.task)]);
        }
        add_tails();
        steps_.graph = std::move(builder_).build();
        return std::move(steps_);
    }

private:
    TaskId add(const StepTask& task, Seconds duration, std::span<const TaskId> after) {
        steps_.tasks.push_back(task);
        return builder_.add({.duration = duration,
                             .resource = StepTasks::stream_of(task.stage, task.stream),
                             .kind = kinds_[static_cast<std::size_t>(task.work)]},
                            after);
    }

    void add_pass(const schedule::Step& step, const schedule::Task& pass) {
        using schedule::TaskKind;
        const bool is_forward = pass.kind == TaskKind::forward;
        const step::PositionCost& cost = costs_.positions[static_cast<std::size_t>(pass.position)];
        StepTask task{.stage = step.stage, .micro_batch = pass.micro_batch, .position = pass.position};
        std::vector<TaskId> after;
        if (step.producer >= 0) {
            after.push_back(ends_[static_cast<std::size_t>(step.producer)]);
        }
        if (step.receipt >= 0) {
            const Seconds transfer = costs_.positions[static_cast<std::size_t>(step.receipt) + 1].receive;
            if (transfer > Seconds{}) {
                StepTask receipt = task;
                receipt.work = Work::pipeline;
                receipt.stream = !costs_.transfers_overlap ? Stream::compute
                                 : is_forward              ? Stream::receive_forward
                                                           : Stream::receive_backward;
                receipt.sender = after.front();
                after = {add(receipt, transfer, after)};
            }
        }
        if (is_input_backward(pass.kind) && cost.recompute > Seconds{}) {
            task.work = Work::recompute;
            after = {add(task, cost.recompute, after)};
        }
        Seconds duration;
        switch (pass.kind) {
            case TaskKind::forward: duration = cost.forward; break;
            case TaskKind::backward: duration = cost.backward; break;
            case TaskKind::backward_input: duration = cost.backward - cost.weight_gradients; break;
            case TaskKind::backward_weight: duration = cost.weight_gradients; break;
        }
        task.work = is_forward                               ? Work::forward
                    : pass.kind == TaskKind::backward_weight ? Work::weights
                                                             : Work::backward;
        task.frees = pass.kind == TaskKind::backward || pass.kind == TaskKind::backward_weight;
        ends_[static_cast<std::size_t>(step.task)] = add(task, duration, after);
    }

    void add_tails() {
        std::vector<TaskId> reduced;
        for (std::int32_t stage = 0; stage < steps_.stages; ++stage) {
            reduced.push_back(add({.work = Work::gradients, .stage = stage}, tail(stage).gradients, {}));
        }
        for (std::int32_t stage = 0; stage < steps_.stages; ++stage) {
            add({.work = Work::optimizer, .stage = stage}, tail(stage).optimizer, reduced);
            add({.work = Work::parameters, .stage = stage}, tail(stage).parameters, {});
            add({.work = Work::overhead, .stage = stage}, tail(stage).overhead, {});
        }
    }

    [[nodiscard]] const step::StageTail& tail(std::int32_t stage) const {
        return costs_.tails[static_cast<std::size_t>(stage)];
    }

    const step::PipelineCosts& costs_;
    simulate::TaskGraphBuilder builder_;
    StepTasks steps_;
    std::vector<simulate::KindId> kinds_;
    std::vector<TaskId> ends_;  ///< of each pass, stage after stage
};

}  // namespace

StepTasks step_tasks(const schedule::Order& order, const step::PipelineCosts& costs) {
    check(order.stages.size() == costs.tails.size() &&
              static_cast<std::size_t>(order.positions()) == costs.positions.size(),
          "the order is for the stages and positions of the costs");
    const schedule::Dependencies dependencies = schedule::resolve(order);
    if (!dependencies.blocked.empty()) {
        fail({}, "the schedule does not run to its end: " + schedule::to_text(dependencies.blocked));
    }
    return StepBuilder(costs).build(order, dependencies);
}

}  // namespace dodona::play
