#include <cmath>

#include "questions/described.hpp"
#include "questions/goodput/goodput.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::files {

using questions::computed;
using questions::goodput::JobComponent;
using reliability::CheckpointSettings;
using reliability::CheckpointTimes;
using reliability::Component;
using reliability::Goodput;
using reliability::GoodputQuestion;
using reliability::IntervalChoice;
using reliability::RunConditions;
using reliability::RunTime;
using reliability::SimulatedRuns;

namespace {

/// None where hardly anything is ever kept.
std::optional<RunTime> finite(const RunTime& time) {
    return std::isfinite(time.total().in(unit::second)) ? std::optional(time) : std::nullopt;
}

bool no_work(const Goodput& answer) { return !answer.run; }
bool no_spares(const Goodput& answer) { return !answer.question.spares; }

const Description& checkpoint() {
    static const Description described{
        .keys = {
            required<&Goodput::question, &GoodputQuestion::checkpoint, &CheckpointSettings::format>("format", ""),
            required<&Goodput::question, &GoodputQuestion::checkpoint, &CheckpointSettings::content>("holds", ""),
            required<&Goodput::question, &GoodputQuestion::checkpoint, &CheckpointSettings::mode>("mode", ""),
            required<&Goodput::question, &GoodputQuestion::checkpoint, &CheckpointSettings::writers>("writers", ""),
            required<&Goodput::tensor_count>("tensors", "", {.range = kNotNegative}),
            required<&Goodput::tensors>("tensor", ""),
            computed("bytes", "of the files", [](const Goodput& answer) { return answer.size.in(unit::byte); },
                     {.range = kNotNegative}),
            required<&Goodput::host_needed>("host", "asynchronous: host memory of a node for the copy"),
            required<&Goodput::host_memory>("host_limit", "memory of the host of a node; null where it is not known"),
            required<&Goodput::times, &CheckpointTimes::copy>("copy", ""),
            required<&Goodput::times, &CheckpointTimes::encode>("encode", ""),
            required<&Goodput::times, &CheckpointTimes::write>("write", ""),
            required<&Goodput::conditions, &RunConditions::pause>("pause", "training stops"),
            required<&Goodput::conditions, &RunConditions::background>("background", "then, until it is safe"),
            required<&Goodput::times, &CheckpointTimes::read>("read", ""),
            required<&Goodput::times, &CheckpointTimes::decode>("decode", ""),
            required<&Goodput::times, &CheckpointTimes::copy_back>("copy_back", "")}};
    return described;
}

const Description& time_of_run() {
    static const Description described{
        .keys = {computed("closed_form", "",
                          [](const Goodput& answer) { return finite(questions::goodput::expected_run(answer)); }),
                 computed("simulated", "", [](const Goodput& answer) {
                     return answer.plays ? finite(answer.chosen().simulated.mean) : std::nullopt;
                 })}};
    return described;
}

const Description& run() {
    static const Description described{
        .keys = {computed("time", "the interval is that of the step",
                          [](const Goodput& answer) { return answer.run->time; }),
                 computed("gpu", "spare nodes included", [](const Goodput& answer) { return answer.run->device_time; }),
                 computed("cost", "",
                          [](const Goodput& answer) {
                              const auto& money = answer.run->money;
                              return money ? std::optional(money->in(unit::money)) : std::nullopt;
                          },
                          {.range = kNotNegative}),
                 computed("currency", "",
                          [](const Goodput& answer) {
                              const auto& price = answer.question.price;
                              return price ? std::optional(price->currency) : std::nullopt;
                          }),
                 computed("energy_j", "of the GPUs that train",
                          [](const Goodput& answer) {
                              const auto& energy = answer.run->energy;
                              return energy ? std::optional(energy->in(unit::joule)) : std::nullopt;
                          },
                          {.range = kNotNegative})}};
    return described;
}

const Description& spares() {
    static const Description described{
        .keys = {computed("nodes", "", [](const Goodput& answer) { return answer.question.spares->nodes; },
                          {.range = kNotNegative}),
                 computed("repair", "", [](const Goodput& answer) { return answer.question.spares->repair; }),
                 required<&Goodput::spares_needed>("needed", "all in repair less than 1 % of the time",
                                                   {.range = kNotNegative})}};
    return described;
}

const Description& simulation() {
    static const Description described{
        .keys = {required<&Goodput::question, &GoodputQuestion::runs>("runs", "", {.range = at_least(2)}),
                 required<&Goodput::question, &GoodputQuestion::seed>("seed", "")}};
    return described;
}

}  // namespace

template <>
const Description& description<JobComponent>() {
    static const Description described{
        .keys = {required<&JobComponent::component, &Component::name>("name", ""),
                 required<&JobComponent::component, &Component::unit>("of", "what mtbf_s is of one of"),
                 required<&JobComponent::component, &Component::mtbf>("mtbf", ""),
                 required<&JobComponent::job_mtbf>("job_mtbf", "of all that the job has"),
                 required<&JobComponent::share>("share", "of the job's interruptions", {.range = kNotNegative}),
                 required<&JobComponent::component, &Component::loses_node>("loses_node", "a node leaves for repair")}};
    return described;
}

template <>
const Description& description<SimulatedRuns>() {
    static const Description described{
        .keys = {required<&SimulatedRuns::goodput>("goodput", "", {.range = kShare}),
                 required<&SimulatedRuns::low>("low", "95 % confidence", {.range = kShare}),
                 required<&SimulatedRuns::high>("high", "", {.range = kShare})}};
    return described;
}

template <>
const Description& description<IntervalChoice>() {
    static const Description described{
        .keys = {required<&IntervalChoice::rule>(
                     "rule", "best: of the closed form; simulated: of the intervals that were simulated"),
                 required<&IntervalChoice::steps>("steps", "", {.range = kNotNegative}),
                 required<&IntervalChoice::interval>("interval", ""),
                 required<&IntervalChoice::closed_form>("closed_form", "goodput", {.range = kShare}),
                 computed("simulated", "", [](const IntervalChoice& choice) {
                     return choice.simulated.goodput == 0 ? std::nullopt : std::optional(choice.simulated);
                 })}};
    return described;
}

template <>
const Description& description<RunTime>() {
    static const Description described{
        .keys = {required<&RunTime::training>("training", ""), required<&RunTime::checkpoints>("checkpoints", ""),
                 computed("lost_s", "", [](const RunTime& time) { return time.lost.in(unit::second); }),
                 required<&RunTime::restarts>("restarts", ""), required<&RunTime::waiting>("waiting", "for repair"),
                 required<&RunTime::failures>("failures", "", {.range = kNotNegative})}};
    return described;
}

template <>
const Description& description<Goodput>() {
    static const Description described{
        .noun = "goodput",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {required<&Goodput::prediction>("plan", "as of dodona predict"),
                 computed("goodput", "training over time; simulated where intervals are, else in closed form",
                          [](const Goodput& answer) { return answer.value(); }, {.range = kShare}),
                 required<&Goodput::conditions, &RunConditions::mtbf>(
                     "mtbf", "mean time between interruptions of the job", {.range = kPositive}),
                 required<&Goodput::question, &GoodputQuestion::failure_source>("failure_source", ""),
                 computed("components", "",
                          [](const Goodput& answer) { return questions::goodput::job_components(answer); }),
                 required_as(record_type(checkpoint), "checkpoint", ""),
                 required<&Goodput::conditions, &RunConditions::restart>("restart", "from a failure to training again"),
                 computed("interval", "training between two checkpoints",
                          [](const Goodput& answer) { return answer.chosen().interval; }),
                 computed("interval_steps", "", [](const Goodput& answer) { return answer.chosen().steps; },
                          {.range = kNotNegative}),
                 required<&Goodput::checkpoint_share_of_epoch>(
                     "pause_share_of_epoch",
                     "pauses over the steps of an epoch; null where the data set's size is not known",
                     {.range = kNotNegative}),
                 required<&Goodput::choices>("intervals", "the first is what the answer is for",
                                             {.rows = true, .none = "there is one"}),
                 required_as(record_type(time_of_run), "time", "of a run, on average"),
                 required_as(record_type(run), "run", "null where the work is not given",
                             {.is_absent = test<Goodput, no_work>}),
                 required_as(record_type(spares), "spares", "null where one is always there",
                             {.is_absent = test<Goodput, no_spares>}),
                 required_as(record_type(simulation), "simulation", ""),
                 required<&Goodput::question, &GoodputQuestion::assumptions>("assumptions", "")}};
    return described;
}

}  // namespace dodona::files

namespace dodona::questions::goodput {

std::vector<JobComponent> job_components(const Goodput& answer) {
    std::vector<JobComponent> all;
    for (const reliability::Component& component : answer.question.components) {
        const double rate = reliability::failures_per_second(component, answer.job);
        all.push_back({component, unit::second / rate, rate * answer.conditions.mtbf.in(unit::second)});
    }
    return all;
}

reliability::RunTime expected_run(const Goodput& answer) {
    using reliability::RunTime;
    const double intervals = answer.training / answer.expected.training;
    RunTime time = answer.expected;
    for (Seconds RunTime::*part : {&RunTime::training, &RunTime::checkpoints, &RunTime::lost, &RunTime::restarts}) {
        time.*part *= intervals;
    }
    time.failures *= intervals;
    return time;
}

}  // namespace dodona::questions::goodput
