#include "play/step_tasks.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
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
        append(kinds_, kWork, [&](const Work work) { return builder_.add_kind(std::string(name(work))); });
    }

    /// All passes in an order that is also that of every stage, then what follows them.
    StepTasks build(const schedule::Order& order, const schedule::Dependencies& dependencies) {
        std::vector<schedule::Task> passes;
        for (const std::vector<schedule::Task>& stage : order.stages) {
            passes.insert(passes.end(), stage.begin(), stage.end());
        }
        ends_.resize(passes.size(), simulate::kNoTask);
        builder_.reserve(3 * passes.size(), 5 * passes.size());
        const auto pass_of = [&](const schedule::Step& step) { return passes[static_cast<std::size_t>(step.task)]; };
        for (std::size_t i = 0; i < dependencies.steps.size(); ++i) {
            const schedule::Step& step = dependencies.steps[i];
            if (step.overlaps_next) {
                ++i;
                run_pair(step, pass_of(step), dependencies.steps[i], pass_of(dependencies.steps[i]));
            } else {
                run(step, pass_of(step), receive(step, pass_of(step)));
            }
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

    [[nodiscard]] const step::PositionCost& cost_of(const schedule::Task& pass) const {
        return costs_.positions[static_cast<std::size_t>(pass.position)];
    }

    /// Kernels and collectives without those that are repeated.
    [[nodiscard]] Seconds own_time(const schedule::Task& pass) const {
        using schedule::TaskKind;
        const step::PositionCost& cost = cost_of(pass);
        switch (pass.kind) {
            case TaskKind::forward: return cost.forward;
            case TaskKind::backward: return cost.backward;
            case TaskKind::backward_input: return cost.backward - cost.weight_gradients;
            case TaskKind::backward_weight: break;
        }
        return cost.weight_gradients;
    }

    [[nodiscard]] Seconds whole_time(const schedule::Task& pass) const {
        return own_time(pass) + (is_input_backward(pass.kind) ? cost_of(pass).recompute : Seconds{});
    }

    /// What a pass waits for besides its stage, once its stage has received it.
    std::vector<TaskId> receive(const schedule::Step& step, const schedule::Task& pass) {
        std::vector<TaskId> after;
        if (step.producer >= 0) {
            after.push_back(ends_[static_cast<std::size_t>(step.producer)]);
        }
        if (step.receipt >= 0) {
            const Seconds transfer = costs_.positions[static_cast<std::size_t>(step.receipt) + 1].receive;
            if (transfer > Seconds{}) {
                StepTask receipt{.stage = step.stage, .micro_batch = pass.micro_batch, .position = pass.position};
                receipt.work = Work::pipeline;
                receipt.stream = !costs_.transfers_overlap                  ? Stream::compute
                                 : pass.kind == schedule::TaskKind::forward ? Stream::receive_forward
                                                                            : Stream::receive_backward;
                receipt.sender = after.front();
                after = {add(receipt, transfer, after)};
            }
        }
        return after;
    }

    /// `share`: of its time.
    void run(const schedule::Step& step, const schedule::Task& pass, std::vector<TaskId> after, double share = 1) {
        using schedule::TaskKind;
        const step::PositionCost& cost = cost_of(pass);
        StepTask task{.stage = step.stage, .micro_batch = pass.micro_batch, .position = pass.position};
        if (is_input_backward(pass.kind) && cost.recompute > Seconds{}) {
            task.work = Work::recompute;
            after = {add(task, share * cost.recompute, after)};
        }
        task.work = pass.kind == TaskKind::forward           ? Work::forward
                    : pass.kind == TaskKind::backward_weight ? Work::weights
                                                             : Work::backward;
        task.frees = pass.kind == TaskKind::backward || pass.kind == TaskKind::backward_weight;
        task.splits = pass.kind == TaskKind::backward_input;
        ends_[static_cast<std::size_t>(step.task)] = add(task, share * own_time(pass), after);
    }

    void run_pair(const schedule::Step& first, const schedule::Task& ahead, const schedule::Step& second,
                  const schedule::Task& back) {
        std::vector<TaskId> after = receive(first, ahead);
        const std::vector<TaskId> more = receive(second, back);
        after.insert(after.end(), more.begin(), more.end());
        const Seconds both = whole_time(ahead) + whole_time(back);
        const double share = both > Seconds{} ? 1 - min(both, cost_of(ahead).hidden) / both : 1;
        run(first, ahead, after, share);
        run(second, back, after, share);
        ends_[static_cast<std::size_t>(first.task)] = ends_[static_cast<std::size_t>(second.task)];
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
