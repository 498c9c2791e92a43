#include "step/compose_plan.hpp"

#include <utility>

#include "step/mixed_stages.hpp"

namespace dodona::step {

namespace {

/// Ratio of needed to available memory of all stages together above which no other cut is tried: moving layers between
/// stages frees little memory.
constexpr double kHopeless = 1.25;

/// The fastest of the cuts for unequal devices, if it is better than `composed`.
void consider_mixed_cuts(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan, std::int64_t microbatches,
                         MemoryLimits memory, ScheduleTimings& orders, ComposedStep& composed) {
    const std::vector<std::vector<Stage>> cuts = mixed_cuts(groups, plan, microbatches, memory);
    const std::vector<Stage>* best = nullptr;
    Seconds fastest;
    for (const std::vector<Stage>& cut : cuts) {
        const Seconds time = passes_alone(groups, plan, cut, microbatches);
        if (best == nullptr || time < fastest) {
            best = &cut;
            fastest = time;
        }
    }
    if (best == nullptr) {
        return;
    }
    ComposedStep other = compose_step(groups, plan, *best, microbatches, orders);
    const bool fits = other.fits();
    if (fits != composed.fits() ? fits : other.time() < composed.time()) {
        composed = std::move(other);
    }
}

}  // namespace

ComposedStep compose_plan(const CostedGraph& costed, const plan::Plan& plan, const std::vector<ReplicaGroup>& groups,
                          std::int64_t microbatches, ScheduleTimings& orders) {
    const std::vector<Stage> cut = cut_stages(costed, plan.places(), plan.stages);
    ComposedStep composed = compose_step(groups, plan, cut, microbatches, orders);
    if (cuts_by_device(groups, plan)) {
        consider_mixed_cuts(groups, plan, microbatches, MemoryLimits::ignored, orders, composed);
        if (!composed.fits() && composed.fullness() < kHopeless) {
            consider_mixed_cuts(groups, plan, microbatches, MemoryLimits::respected, orders, composed);
        }
    }
    return composed;
}

}  // namespace dodona::step
