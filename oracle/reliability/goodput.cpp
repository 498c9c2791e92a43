#include "reliability/goodput.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::reliability {

namespace {

constexpr double kLeastGoodput = 0.01;      ///< below, a simulation would hardly end
constexpr double kFailuresSimulated = 100;  ///< of a run whose work is not known
constexpr double kShareWithoutSpare = 0.01;

/// What the devices of a node hold of a checkpoint: as their memory is predicted.
Bytes held_by_node(const cluster::Cluster& cluster, const step::Prediction& prediction, const JobSize& job,
                   const CheckpointSettings& settings, Bytes tensors) {
    using step::MemoryPart;
    Bytes held = prediction.memory[MemoryPart::weights];
    held += settings.content == CheckpointContent::training ? prediction.memory[MemoryPart::optimizer] : Bytes{};
    const double devices = static_cast<double>(std::min(job.devices, cluster.node_size()));
    // Offloaded states are not on the device: then as if every node held its share.
    return min(tensors, max(devices * held, tensors / static_cast<double>(job.nodes)));
}

struct Intervals {
    const RunConditions& conditions;
    Seconds step;

    [[nodiscard]] double steps(Seconds interval) const {
        const double shortest = std::ceil(shortest_interval(conditions) / step - 1e-9);
        return std::max({1.0, shortest, std::round(interval / step)});
    }
};

Seconds asked_interval(const AskedInterval& every, const step::Prediction& prediction, Seconds step) {
    if (every.time) {
        return *every.time;
    }
    return every.steps ? static_cast<double>(*every.steps) * step : prediction.epoch->iterations * step;
}

/// Intervals that are simulated for the best: a quarter to four times the one of the closed form, in steps of 2^(1/4).
std::vector<Seconds> candidates(const Intervals& intervals, Seconds best) {
    std::vector<Seconds> all;
    for (int quarter = -8; quarter <= 8; ++quarter) {
        const Seconds interval = intervals.steps(std::exp2(quarter / 4.0) * best) * intervals.step;
        if (all.empty() || all.back() < interval) {
            all.push_back(interval);
        }
    }
    return all;
}

RunCost cost_of(const Goodput& answer) {
    const GoodputQuestion& question = answer.question;
    const double steps = *question.samples / static_cast<double>(answer.prediction.plan.batch);
    RunCost run{
        .time = (steps / answer.value()) * answer.prediction.step, .device_time = {}, .money = {}, .energy = {}};
    const std::int64_t spares =
        question.spares ? question.spares->nodes * ((answer.job.devices + answer.job.nodes - 1) / answer.job.nodes) : 0;
    run.device_time = static_cast<double>(answer.job.devices + spares) * run.time.value;
    if (question.price) {
        run.money = question.price->device * run.device_time;
    }
    if (question.power) {
        run.energy = *question.power * (static_cast<double>(answer.job.devices) * run.time.value);
    }
    return run;
}

void choose_intervals(Goodput& answer) {
    const GoodputQuestion& question = answer.question;
    const Seconds step = answer.prediction.step.value;
    const Intervals intervals{answer.conditions, step};
    const auto choice = [&](IntervalRule rule, double steps) {
        const Seconds interval = steps * step;
        return IntervalChoice{rule, steps, interval, expected_interval(answer.conditions, interval).goodput(), {}};
    };
    const Seconds best = best_interval(answer.conditions);
    if (question.every.time || question.every.steps || question.every.epoch) {
        const double steps = std::max(1.0, std::round(asked_interval(question.every, answer.prediction, step) / step));
        answer.choices.push_back(choice(IntervalRule::asked, steps));
    }
    answer.choices.push_back(choice(IntervalRule::best, intervals.steps(best)));
    answer.choices.push_back(choice(IntervalRule::young, intervals.steps(young_interval(answer.conditions))));
    answer.choices.push_back(choice(IntervalRule::daly, intervals.steps(daly_interval(answer.conditions))));
    const double steps = question.samples ? *question.samples / static_cast<double>(answer.prediction.plan.batch) : 0;
    answer.training =
        question.samples ? steps * step : max(kFailuresSimulated * answer.conditions.mtbf, answer.chosen().interval);
    answer.plays = answer.chosen().closed_form >= kLeastGoodput;
    if (!answer.plays) {
        return;
    }
    const FailureSimulation settings{answer.training, question.spares, question.runs, question.seed};
    const Seconds simulated =
        best_simulated(question.components, answer.job, answer.conditions, candidates(intervals, best), settings);
    answer.choices.push_back(choice(IntervalRule::simulated, std::round(simulated / step)));
    for (IntervalChoice& one : answer.choices) {
        if (one.closed_form >= kLeastGoodput) {
            one.simulated =
                simulate_failures(question.components, answer.job, answer.conditions, one.interval, settings);
        }
    }
}

}  // namespace

Goodput goodput(const graph::Graph& graph, const cluster::Cluster& cluster, const step::Prediction& prediction,
                const GoodputQuestion& question) {
    Goodput answer{.prediction = prediction, .question = question};
    const std::int64_t devices = prediction.plan.devices();
    answer.job = {devices, (devices + cluster.node_size() - 1) / cluster.node_size()};
    const CheckpointSettings& checkpoint = question.checkpoint;
    const std::vector<StoredTensor> tensors = checkpoint_tensors(
        graph, checkpoint.content, plan::optimizer(prediction.plan.optimizer), prediction.plan.precision);
    answer.tensors = tensor_bytes(tensors);
    answer.tensor_count = tensors.size();
    answer.size = checkpoint_bytes(checkpoint.format, tensors, checkpoint.ratio);
    answer.times =
        checkpoint_times({.tensors = answer.tensors,
                          .size = answer.size,
                          .held_by_node = held_by_node(cluster, prediction, answer.job, checkpoint, answer.tensors),
                          .devices = answer.job.devices,
                          .nodes = answer.job.nodes,
                          .writers = checkpoint.writers},
                         checkpoint.rates);
    if (checkpoint.mode == CheckpointMode::asynchronous) {
        const bool sharded = checkpoint.writers == CheckpointWriters::sharded;
        answer.host_memory = cluster.host ? std::optional(cluster.host->memory) : std::nullopt;
        answer.host_needed = sharded ? answer.tensors / static_cast<double>(answer.job.nodes) : answer.tensors;
    }
    answer.conditions = {.mtbf = job_mtbf(question.components, answer.job),
                         .pause = answer.times.pause(checkpoint.mode),
                         .background = answer.times.background(checkpoint.mode),
                         .restart = question.restart + answer.times.restore()};
    choose_intervals(answer);
    answer.expected = expected_interval(answer.conditions, answer.chosen().interval);
    if (prediction.epoch) {
        answer.checkpoint_share_of_epoch = answer.conditions.pause / answer.chosen().interval;
    }
    if (question.samples && answer.value() > 0) {
        answer.run = cost_of(answer);
    }
    if (question.spares) {
        answer.spares_needed =
            spares_needed(question.components, answer.job, question.spares->repair, kShareWithoutSpare);
    }
    return answer;
}

}  // namespace dodona::reliability
