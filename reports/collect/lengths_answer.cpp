#include "files/computed_keys.hpp"
#include "reports/collect/lengths_report.hpp"

namespace dodona::files {

using lengths::Job;
using lengths::MicroBatches;
using lengths::VariedStep;
using reports::LengthsAnswer;
using reports::PackedStep;
using reports::PlanLengths;
using reports::TimedPlan;

namespace {

const KeyOptions kAnyLength{.range = kNotNegative};
const KeyOptions kRanks{.range = at_least(1)};

/// Of micro-batches.
struct MeanAndDeviation {
    double mean = 0;
    double deviation = 0;
};

}  // namespace

template <>
const Description& description<MeanAndDeviation>() {
    static const Description described{.keys = {required<&MeanAndDeviation::mean>("mean", "", kAnyLength),
                                                required<&MeanAndDeviation::deviation>("deviation", "", kAnyLength)}};
    return described;
}

template <>
const Description& description<TimedPlan>() {
    static const Description described{.keys = {required<&TimedPlan::length>("length", "", kAnyLength),
                                                required<&TimedPlan::step>("step", ""),
                                                required<&TimedPlan::memory>("memory", "")}};
    return described;
}

template <>
const Description& description<PackedStep>() {
    static const Description described{
        .keys = {
            required<&PackedStep::packing>("packing", ""),
            required<&PackedStep::step, &VariedStep::slowest>("step", ""),
            required<&PackedStep::step, &VariedStep::even>("even", "if all data ranks had equal work"),
            required<&PackedStep::step, &VariedStep::deviation>("replica_deviation", ""),
            computed("imbalance", "step over even, less one",
                     [](const PackedStep& one) { return one.step.imbalance(); }),
            required<&PackedStep::step, &VariedStep::samples>("samples_per_step", "", kAnyLength),
            required<&PackedStep::step, &VariedStep::tokens>("tokens_per_step", "of samples, without padding",
                                                             kAnyLength),
            computed(
                "tokens_per_second", "", [](const PackedStep& one) { return one.step.tokens_per_second(); },
                kAnyLength),
            computed("padding", "share of positions",
                     [](const PackedStep& one) { return one.micro_batches.padding(); }),
            required<&PackedStep::micro_batches, &MicroBatches::samples>("samples", "of a micro-batch", kAnyLength),
            computed("tokens", "of a micro-batch, without padding",
                     [](const PackedStep& one) {
                         return MeanAndDeviation{one.micro_batches.tokens, one.micro_batches.tokens_deviation};
                     }),
            computed("positions", "with padding",
                     [](const PackedStep& one) {
                         return MeanAndDeviation{one.micro_batches.positions, one.micro_batches.positions_deviation};
                     }),
            computed("squares", "of lengths",
                     [](const PackedStep& one) {
                         return MeanAndDeviation{one.micro_batches.squares, one.micro_batches.squares_deviation};
                     }),
            required<&PackedStep::memory>("memory", "of the longest micro-batch"),
            required<&PackedStep::timed>("timed", "")}};
    return described;
}

template <>
const Description& description<LengthsAnswer>() {
    static const Description described{
        .noun = "lengths",
        .summary = "samples of different lengths (--lengths)",
        .keys = {required<&LengthsAnswer::file>("file", ""),
                 computed(
                     "mean", "", [](const LengthsAnswer& of) { return of.lengths.mean(); }, kAnyLength),
                 computed(
                     "deviation", "", [](const LengthsAnswer& of) { return of.lengths.deviation(); }, kAnyLength),
                 computed(
                     "shortest", "", [](const LengthsAnswer& of) { return of.lengths.least(); }, kAnyLength),
                 computed(
                     "longest", "", [](const LengthsAnswer& of) { return of.lengths.most(); }, kAnyLength),
                 required<&LengthsAnswer::row>("full_length", "", kAnyLength),
                 required<&LengthsAnswer::job, &Job::replicas>("replicas", "", kRanks),
                 required<&LengthsAnswer::job, &Job::together>(
                     "ranks_together", "data ranks that wait for one another in every pass", kRanks),
                 required<&LengthsAnswer::job, &Job::micro_batches>("micro_batches", "", kRanks),
                 required<&LengthsAnswer::packings>("packings", "ways to make micro-batches")}};
    return described;
}

template <>
const Description& description<PlanLengths>() {
    static const Description described{
        .keys = {
            required_as<&PlanLengths::lengths>(record_type(description<LengthsAnswer>), "lengths", "",
                                               {.in_place = true}),
            required<&PlanLengths::even_rank>("even_rank", "among plans with samples of full length", kRanks),
            required<&PlanLengths::plan, &step::Prediction::plan, &plan::Plan::strategy, &plan::Strategy::name>(
                "strategy", ""),
            required<&PlanLengths::plan, &step::Prediction::plan, &plan::Plan::microbatch>("microbatch", "", kRanks)}};
    return described;
}

}  // namespace dodona::files
