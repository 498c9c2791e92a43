#include <cmath>
#include <map>

#include "questions/described.hpp"
#include "questions/simulate/simulate.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::files {

using play::AllocatorUse;
using play::JobTime;
using play::LinkUse;
using play::MemoryUse;
using play::NetworkFlows;
using play::NoiseStudy;
using play::NoisySteps;
using play::PlayedAllocator;
using play::SimulatedStep;
using play::StageUse;
using play::StepPart;
using play::StepParts;
using questions::computed;
using step::StageMemory;

using DegradedPart = std::pair<std::string, double>;

template <>
const Description& description<NoisySteps>();
template <>
const Description& description<NoiseStudy>();
template <>
const Description& description<questions::simulate::DrawnLengths>();

namespace {

/// A stage with its compute stream.
struct SimulatedStage {
    std::size_t stage = 1;
    std::string layers;
    double utilisation = 0;
    StageUse use;
};

struct StageMemoryUse {
    std::size_t stage = 1;
    StageMemory memory;
    MemoryUse use;
    Seconds span;
};

struct PathShare {
    play::Work work{};
    Seconds time;
    double share = 0;
};

std::vector<SimulatedStage> simulated_stages(const SimulatedStep& step) {
    std::vector<SimulatedStage> all;
    for (std::size_t s = 0; s < step.stages.size(); ++s) {
        all.push_back({s + 1, step.prediction.stages[s].layers, questions::simulate::utilisation(step, step.stages[s]),
                       step.stages[s]});
    }
    return all;
}

std::vector<StageMemoryUse> stage_memories(const SimulatedStep& step) {
    std::vector<StageMemoryUse> all;
    for (std::size_t s = 0; s < step.memory.size(); ++s) {
        all.push_back({s + 1, step.costs.memory[s], step.memory[s],
                       step.timeline.makespan / static_cast<double>(play::kMemorySpans)});
    }
    return all;
}

std::vector<PathShare> critical_path_shares(const SimulatedStep& step) {
    std::vector<PathShare> all;
    for (const play::Work work : play::kWork) {
        const Seconds time = questions::simulate::on_critical_path(step, work);
        if (time > Seconds{}) {
            all.push_back({work, time, time / step.first_time()});
        }
    }
    return all;
}

std::map<play::Work, Seconds> times_of_work(const StageUse& use) {
    std::map<play::Work, Seconds> times;
    for (const play::Work work : play::kWork) {
        times[work] = use.time_of[static_cast<std::size_t>(work)];
    }
    return times;
}

}  // namespace

template <>
const Description& description<StepPart>() {
    static const Description described{
        .noun = "compared_part",
        .keys = {computed("closed_form_s", "", [](const StepPart& part) { return part.closed_form.in(unit::second); }),
                 computed("played_s", "", [](const StepPart& part) { return part.played.in(unit::second); })}};
    return described;
}

template <>
const Description& description<StepParts>() {
    static const Description described{
        .keys = {required<&StepParts::passes>("passes", "forward and backward passes, and the bubble"),
                 required<&StepParts::transfers>("transfers", "pipeline send/recv"),
                 required<&StepParts::tail>("tail", "exchange and update of weights")}};
    return described;
}

template <>
const Description& description<JobTime>() {
    static const Description described{
        .keys = {optional<&JobTime::name>("name", "its model; null: the job that was asked about"),
                 required<&JobTime::ranks>("ranks", "", {.range = at_least(1)}),
                 required<&JobTime::alone>("alone", "a step with the network to itself"),
                 required<&JobTime::together>("together",
                                              "a step during those of the others: the mean of its steps while the "
                                              "longest job has one")}};
    return described;
}

template <>
const Description& description<DegradedPart>() {
    static const Description described{
        .keys = {
            required<&DegradedPart::first>("part", "node, switch or link of the network"),
            required<&DegradedPart::second>("factor", "of the bandwidth of its links; 0: dead", {.range = kShare})}};
    return described;
}

template <>
const Description& description<LinkUse>() {
    static const Description described{
        .keys = {required<&LinkUse::from>("from", ""), required<&LinkUse::to>("to", ""),
                 required<&LinkUse::moved>("moved", ""),
                 required<&LinkUse::utilisation>("utilisation", "of the link's bandwidth in the time that is simulated",
                                                 {.range = kNotNegative})}};
    return described;
}

template <>
const Description& description<NetworkFlows>() {
    static const Description described{
        .keys = {
            required<&NetworkFlows::ranks>("ranks", "of all jobs", {.range = at_least(1)}),
            required<&NetworkFlows::jobs>("jobs", "where there are several, the one that was asked about first"),
            required<&NetworkFlows::flows>("flows", "", {.range = kNotNegative}),
            required<&NetworkFlows::tabulated>("tabulated", "exchanges of gradients and weights that are no flows"),
            required<&NetworkFlows::degraded>("degraded", ""),
            required<&NetworkFlows::busiest>("busiest_links", "by the flows of the step, the busiest first")}};
    return described;
}

template <>
const Description& description<SimulatedStage>() {
    static const Description described{
        .keys = {
            required<&SimulatedStage::stage>("stage", "", {.range = at_least(1)}),
            required<&SimulatedStage::layers>("layers", ""),
            required<&SimulatedStage::utilisation>("utilisation", "busy_s over the simulated time of all tasks",
                                                   {.range = kNotNegative}),
            computed("busy", "", [](const SimulatedStage& stage) { return stage.use.busy(); }),
            computed("idle_s", "", [](const SimulatedStage& stage) { return stage.use.idle.in(unit::second); }),
            required<&SimulatedStage::use, &StageUse::hidden_transfers>("hidden_transfers", "on streams of their own"),
            computed("time", "", [](const SimulatedStage& stage) { return times_of_work(stage.use); })}};
    return described;
}

template <>
const Description& description<StageMemoryUse>() {
    using step::MemoryTotals;
    static const Description described{
        .keys = {
            required<&StageMemoryUse::stage>("stage", "", {.range = at_least(1)}),
            required<&StageMemoryUse::memory, &StageMemory::always>(
                "always", "tensors of the whole step: states, buffers, workspace"),
            required<&StageMemoryUse::use, &MemoryUse::peak>("peak", "allocated, as torch.cuda.max_memory_allocated"),
            required<&StageMemoryUse::use, &MemoryUse::at>("peak_at", "since the first pass"),
            required<&StageMemoryUse::memory, &StageMemory::predicted, &MemoryTotals::allocated>(
                "predicted_peak", "in closed form, of the plan's schedule"),
            required<&StageMemoryUse::use, &MemoryUse::process>("process", "at the peak, as nvidia-smi has it"),
            required<&StageMemoryUse::memory, &StageMemory::limit>("limit", ""),
            required<&StageMemoryUse::span>("span", "length of one span"),
            required<&StageMemoryUse::use, &MemoryUse::by_span>(
                "largest_by_span",
                "the largest allocated in each of equal spans, from the first pass to the end of the update")}};
    return described;
}

template <>
const Description& description<AllocatorUse>() {
    static const Description described{
        .keys = {required<&AllocatorUse::allocated>("allocated", "largest"),
                 required<&AllocatorUse::reserved>("reserved", "largest, as torch.cuda.max_memory_reserved"),
                 computed("fragmentation", "reserved and not allocated, over what comes and goes in a step",
                          [](const AllocatorUse& use) { return use.fragmentation(); }, {.range = kNotNegative}),
                 required<&AllocatorUse::fits>("fits", "in the device's memory; else the rest is of a larger one")}};
    return described;
}

template <>
const Description& description<PlayedAllocator>() {
    static const Description described{
        .keys = {computed("stage", "", [](const PlayedAllocator& allocator) { return allocator.stage + 1; },
                          {.range = at_least(1)}),
                 required<&PlayedAllocator::fixed>("fixed_segments", "as by default"),
                 required<&PlayedAllocator::expandable>("expandable_segments",
                                                        "with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True")}};
    return described;
}

template <>
const Description& description<PathShare>() {
    static const Description described{
        .keys = {required<&PathShare::work>("kind", ""), required<&PathShare::time>("time", ""),
                 required<&PathShare::share>("share", "of step_time_s", {.range = kNotNegative})}};
    return described;
}

namespace {

const Description& folded_ranks() {
    static const Description described{
        .keys = {computed("stages", "", [](const SimulatedStep& step) { return step.stages.size(); },
                          {.range = at_least(1)}),
                 computed("ranks_per_stage", "", [](const SimulatedStep& step) { return step.ranks_per_stage(); },
                          {.range = at_least(1)})}};
    return described;
}

}  // namespace

template <>
const Description& description<questions::simulate::Answer>() {
    using questions::simulate::Answer;
    static const Description described{
        .noun = "simulate",
        .summary = "SI base units, the unit in the key; what is absent is null. Stages count from 1.",
        .keys = {
            required<&Answer::step, &SimulatedStep::prediction>("plan", "in closed form, as of dodona predict"),
            computed("step_time", "as it was simulated", [](const Answer& answer) { return answer.step.time(); }),
            computed("difference", "step_time_s over the closed form, less 1",
                     [](const Answer& answer) { return questions::simulate::difference(answer.step); }),
            required<&Answer::step, &SimulatedStep::parts>(
                "parts", "of the step; what is simulated is what each part adds to those before"),
            required<&Answer::step, &SimulatedStep::costs, &step::PipelineCosts::outside>(
                "outside", "input and the framework's fixed time"),
            required<&Answer::step, &SimulatedStep::network>(
                "network", "transfers as flows that share the links of the machine; null: as tabulated"),
            required<&Answer::step, &SimulatedStep::other_order>(
                "order", "what was simulated instead of the plan's schedule; null: nothing"),
            required<&Answer::step, &SimulatedStep::in_flight>(
                "passes_in_flight", "with activations on the fullest stage", {.range = kNotNegative}),
            computed("idle_share", "of the time of all stages",
                     [](const Answer& answer) { return answer.step.idle_share(); }, {.range = kShare}),
            computed("tasks", "", [](const Answer& answer) { return answer.step.steps.tasks.size(); },
                     {.range = at_least(1)}),
            required_as<&Answer::step>(record_type(folded_ranks), "folded",
                                       "one rank of each stage was simulated; it stands for others that do the same at "
                                       "the same time"),
            computed("resources", "the compute stream of each stage",
                     [](const Answer& answer) { return simulated_stages(answer.step); }, {.rows = true}),
            computed("memory", "of a device of each stage during the step; --trace has every change",
                     [](const Answer& answer) { return stage_memories(answer.step); }),
            required<&Answer::step, &SimulatedStep::allocator>(
                "allocator",
                "PyTorch's caching allocator, simulated with the tensors of the fullest stage; null: it was not"),
            computed("critical_path", "by kind of task",
                     [](const Answer& answer) { return critical_path_shares(answer.step); }),
            required<&Answer::noisy>("noise", "steps with noise; null: none was asked for"),
            required<&Answer::study>("study",
                                     "loads on the nodes, each on one resource in bursts; null: not asked for"),
            required<&Answer::lengths>("lengths", "samples of different lengths (--lengths)", {.left_out = true})}};
    return described;
}

}  // namespace dodona::files

namespace dodona::questions::simulate {

double difference(const play::StepPart& part, Seconds step) {
    const double share = (part.played - part.closed_form) / step;
    return std::abs(share) < 1e-9 ? 0 : share;
}

double difference(const play::SimulatedStep& step) {
    const Seconds closed_form = step.prediction.step.value;
    return difference({closed_form, step.time()}, closed_form);
}

double utilisation(const play::SimulatedStep& step, const play::StageUse& stage) {
    return step.timeline.makespan > Seconds{} ? stage.busy() / step.timeline.makespan : 0;
}

/// Kind 0 of a simulation is "other"; works follow.
Seconds on_critical_path(const play::SimulatedStep& step, play::Work work) {
    return step.critical_path.time_of_kind[static_cast<std::size_t>(work) + 1];
}

}  // namespace dodona::questions::simulate
