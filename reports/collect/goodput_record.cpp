#include "reports/collect/goodput_record.hpp"

#include <cmath>

#include "reports/collect/prediction_record.hpp"

namespace dodona::reports {

namespace {

using reliability::Component;
using reliability::Goodput;
using reliability::IntervalChoice;
using reliability::RunTime;

Record components_record(const Goodput& answer) {
    return list_of(answer.question.components, [&](const Component& component) {
        const double rate = reliability::failures_per_second(component, answer.job);
        return Record{{"name", component.name},
                      {"of", name(component.unit)},
                      {"mtbf_s", component.mtbf},
                      {"job_mtbf_s", 1 / rate},
                      {"share", rate * answer.conditions.mtbf.in(unit::second)},
                      {"loses_node", component.loses_node}};
    });
}

Record checkpoint_record(const Goodput& answer) {
    const reliability::CheckpointSettings& settings = answer.question.checkpoint;
    const reliability::CheckpointTimes& times = answer.times;
    return {{"format", name(settings.format)},
            {"holds", name(settings.content)},
            {"mode", name(settings.mode)},
            {"writers", name(settings.writers)},
            {"tensors", answer.tensor_count},
            {"tensor_bytes", answer.tensors},
            {"bytes", answer.size},
            {"host_bytes", answer.host_needed},
            {"host_limit_bytes", answer.host_memory},
            {"copy_s", times.copy},
            {"encode_s", times.encode},
            {"write_s", times.write},
            {"pause_s", answer.conditions.pause},
            {"background_s", answer.conditions.background},
            {"read_s", times.read},
            {"decode_s", times.decode},
            {"copy_back_s", times.copy_back}};
}

Record simulated_record(const IntervalChoice& choice) {
    if (choice.simulated.goodput == 0) {
        return {};
    }
    return {{"goodput", choice.simulated.goodput}, {"low", choice.simulated.low}, {"high", choice.simulated.high}};
}

Record intervals_record(const Goodput& answer) {
    return list_of(answer.choices, [](const IntervalChoice& choice) {
        return Record{{"rule", name(choice.rule)},
                      {"steps", choice.steps},
                      {"interval_s", choice.interval},
                      {"closed_form", choice.closed_form},
                      {"simulated", simulated_record(choice)}};
    });
}

Record time_record(const RunTime& time) {
    if (!std::isfinite(time.total().in(unit::second))) {
        return {};
    }
    return {{"training_s", time.training}, {"checkpoints_s", time.checkpoints}, {"lost_s", time.lost},
            {"restarts_s", time.restarts}, {"waiting_s", time.waiting},         {"failures", time.failures}};
}

Record run_record(const Goodput& answer) {
    if (!answer.run) {
        return {};
    }
    const reliability::RunCost& run = *answer.run;
    return {
        {"time_s", {{"value", run.time.value}, {"lo", run.time.lo}, {"hi", run.time.hi}, {"level", kIntervalLevel}}},
        {"gpu_s", run.device_time},
        {"cost", run.money},
        {"currency", answer.question.price ? Record(answer.question.price->currency) : Record()},
        {"energy_j", run.energy}};
}

Record spares_record(const Goodput& answer) {
    const auto& spares = answer.question.spares;
    if (!spares) {
        return {};
    }
    return {{"nodes", spares->nodes}, {"repair_s", spares->repair}, {"needed", answer.spares_needed}};
}

}  // namespace

RunTime expected_run(const Goodput& answer) {
    const double intervals = answer.training / answer.expected.training;
    RunTime time = answer.expected;
    for (Seconds RunTime::*part : {&RunTime::training, &RunTime::checkpoints, &RunTime::lost, &RunTime::restarts}) {
        time.*part *= intervals;
    }
    time.failures *= intervals;
    return time;
}

Record goodput_record(const Goodput& answer) {
    const IntervalChoice& chosen = answer.chosen();
    return {{"schema", "dodona/goodput/1"},
            {"plan", plan_record(answer.prediction, std::nullopt)},
            {"goodput", answer.value()},
            {"mtbf_s", answer.conditions.mtbf},
            {"failure_source", answer.question.failure_source},
            {"components", components_record(answer)},
            {"checkpoint", checkpoint_record(answer)},
            {"restart_s", answer.conditions.restart},
            {"interval_s", chosen.interval},
            {"interval_steps", chosen.steps},
            {"pause_share_of_epoch", answer.checkpoint_share_of_epoch},
            {"intervals", intervals_record(answer)},
            {"time",
             {{"closed_form", time_record(expected_run(answer))},
              {"simulated", answer.plays ? time_record(chosen.simulated.mean) : Record()}}},
            {"run", run_record(answer)},
            {"spares", spares_record(answer)},
            {"simulation", {{"runs", answer.question.runs}, {"seed", static_cast<std::int64_t>(answer.question.seed)}}},
            {"assumptions", answer.question.assumptions}};
}

}  // namespace dodona::reports
