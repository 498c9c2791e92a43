#include "search/goal.hpp"

namespace dodona::search {

TrainingRun run_of(const step::Prediction& prediction, double samples, const std::optional<cluster::Price>& price) {
    const double steps = samples / static_cast<double>(prediction.plan.batch);
    TrainingRun run{.samples = samples, .time = steps * prediction.step, .device_time = {}, .money = {}};
    run.device_time = static_cast<double>(prediction.plan.devices()) * run.time.value;
    if (price) {
        run.money = price->device * run.device_time;
    }
    return run;
}

std::optional<Goal> missed(const Goals& goals, const step::Prediction& prediction,
                           const std::optional<cluster::Price>& price) {
    if (!prediction.fits) {
        return Goal::fits;
    }
    if (goals.samples_per_second && prediction.samples_per_second < *goals.samples_per_second) {
        return Goal::throughput;
    }
    if (!goals.samples) {
        return std::nullopt;
    }
    const TrainingRun run = run_of(prediction, *goals.samples, price);
    if (goals.deadline && run.time.value > *goals.deadline) {
        return Goal::deadline;
    }
    if (goals.budget && run.money && *run.money > *goals.budget) {
        return Goal::budget;
    }
    return std::nullopt;
}

}  // namespace dodona::search
