#include "play/memory_over_time.hpp"

namespace dodona::play {

namespace {

/// The largest of a quantity, as a whole and by span, from its changes in the order of time.
class Largest {
public:
    Largest(Bytes first, Seconds whole) : now_(first), whole_(whole) {
        use_.peak = first;
        use_.by_span.resize(whole > Seconds{} ? kMemorySpans : 0);
    }

    void change(Seconds at, Bytes now) {
        advance(at);
        now_ = now;
        if (now > use_.peak) {
            use_.peak = now;
            use_.at = at;
        }
        note();
    }

    MemoryUse finish() {
        advance(whole_);
        return std::move(use_);
    }

private:
    void note() {
        if (!use_.by_span.empty()) {
            use_.by_span[span_] = max(use_.by_span[span_], now_);
        }
    }

    void advance(Seconds at) {
        note();
        const double spans = static_cast<double>(kMemorySpans);
        while (span_ + 1 < use_.by_span.size() && spans * (at / whole_) >= static_cast<double>(span_ + 1)) {
            ++span_;
            note();
        }
    }

    Bytes now_;
    Seconds whole_;
    std::size_t span_ = 0;
    MemoryUse use_;
};

/// What a task no longer keeps of its micro-batch; less than nothing where gradients of weights, which are put off, need
/// more than the pass did.
Bytes freed_by(const StepTask& task, const step::PipelineCosts& costs) {
    if (!task.frees && !task.splits) {
        return {};
    }
    const step::PositionCost& position = costs.positions[static_cast<std::size_t>(task.position)];
    if (task.work == Work::weights) {
        return position.kept_for_weights;
    }
    return position.kept - (task.splits ? position.kept_for_weights : Bytes{});
}

}  // namespace

void visit_memory(const StepTasks& steps, const simulate::Timeline& timeline, const step::PipelineCosts& costs,
                  const std::function<void(std::int32_t stage, Seconds at, Bytes allocated)>& visit) {
    std::vector<Bytes> held(static_cast<std::size_t>(steps.stages));
    std::vector<bool> recomputing(static_cast<std::size_t>(steps.stages));
    for (std::size_t i = 0; i < steps.tasks.size(); ++i) {
        const StepTask& task = steps.tasks[i];
        const auto stage = static_cast<std::size_t>(task.stage);
        const step::StageMemory& memory = costs.memory[stage];
        const auto changed = [&](Seconds at, Bytes by) {
            held[stage] += by;
            visit(task.stage, at, memory.always + held[stage]);
        };
        if (task.work == Work::forward) {
            changed(timeline.start[i], costs.positions[static_cast<std::size_t>(task.position)].kept);
        }
        const bool is_backward = task.work == Work::backward;
        if ((is_backward || task.work == Work::recompute) && !recomputing[stage] && memory.recompute_peak > Bytes{}) {
            changed(timeline.start[i], memory.recompute_peak);
            recomputing[stage] = true;
        }
        Bytes freed = freed_by(task, costs);
        if (is_backward && recomputing[stage]) {
            freed += memory.recompute_peak;
            recomputing[stage] = false;
        }
        if (freed != Bytes{}) {
            changed(timeline.end[i], -1.0 * freed);
        }
    }
}

std::vector<MemoryUse> memory_uses(const StepTasks& steps, const simulate::Timeline& timeline,
                                   const step::PipelineCosts& costs) {
    std::vector<Largest> largest;
    for (const step::StageMemory& memory : costs.memory) {
        largest.emplace_back(memory.always, timeline.makespan);
    }
    visit_memory(steps, timeline, costs, [&](std::int32_t stage, Seconds at, Bytes allocated) {
        largest[static_cast<std::size_t>(stage)].change(at, allocated);
    });
    std::vector<MemoryUse> uses;
    for (std::size_t s = 0; s < largest.size(); ++s) {
        uses.push_back(largest[s].finish());
        const step::MemoryTotals& predicted = costs.memory[s].predicted;
        uses[s].process = predicted.process + (1 + costs.memory[s].unusable) * (uses[s].peak - predicted.allocated);
    }
    return uses;
}

}  // namespace dodona::play
