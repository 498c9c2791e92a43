#include "questions/described.hpp"
#include "questions/plans/plans.hpp"
#include "questions/predict/predict.hpp"
#include "reports/collect/explanation_answer.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::files {

using questions::predict::CollectiveParts;
using step::SplitNorms;

template <>
const Description& description<SplitNorms>() {
    static const Description described{
        .keys = {required<&SplitNorms::tensors>("tensors", "", {.range = kNotNegative}),
                 required<&SplitNorms::ranks>("ranks", "", {.range = at_least(1)}),
                 required<&SplitNorms::all>("all", "every rank computes the norms of all tensors"),
                 required<&SplitNorms::most>("most_of_a_rank", "each rank those of its own tensors"),
                 required<&SplitNorms::gather>("gather", "of the norms"),
                 questions::computed("split", "", [](const SplitNorms& norms) { return norms.split(); })}};
    return described;
}

template <>
const Description& description<cost::CollectiveTrace::Level>() {
    using Level = cost::CollectiveTrace::Level;
    static const Description described{
        .keys = {required<&Level::name>("name", ""),
                 required<&Level::members>("ranks", "of the group in one child", {.range = at_least(1)}),
                 required<&Level::children>("children", "that the group occupies", {.range = at_least(1)}),
                 required<&Level::share>("share", "out of one child, for this group"),
                 required<&Level::latency>("latency", "of a message")}};
    return described;
}

template <>
const Description& description<cost::CollectiveTrace::Algorithm>() {
    using Algorithm = cost::CollectiveTrace::Algorithm;
    static const Description described{
        .keys = {required<&Algorithm::algorithm>("algorithm", ""), required<&Algorithm::time>("time", "of one")}};
    return described;
}

template <>
const Description& description<CollectiveParts>() {
    using cost::CollectiveTrace;
    using step::CommunicationLine;
    static const Description described{
        .noun = "collective taken apart",
        .keys = {questions::computed("what", "", [](const CollectiveParts& one) { return text(one.line); }),
                 required<&CollectiveParts::trace, &CollectiveTrace::levels>("levels",
                                                                             "that the group crosses, innermost first"),
                 required<&CollectiveParts::trace, &CollectiveTrace::protocol>("protocol", "of the levels' link"),
                 required<&CollectiveParts::trace, &CollectiveTrace::tried>("algorithms",
                                                                            "that may run it, the fastest first"),
                 questions::computed("algorithm", "the one that runs it",
                                     [](const CollectiveParts& one) { return one.trace.time.algorithm; }),
                 required<&CollectiveParts::trace, &CollectiveTrace::modelled>("modelled", "by that over the levels"),
                 required<&CollectiveParts::trace, &CollectiveTrace::measured>("by_curves", "null: no curve counts"),
                 required<&CollectiveParts::trace, &CollectiveTrace::curves_of>(
                     "curves_of", "the link that was measured; empty: this machine"),
                 required<&CollectiveParts::trace, &CollectiveTrace::slow_down>(
                     "slow_down", "by measured bus bandwidths of the machine; null: none"),
                 questions::computed("alone", "of one, without what software and simultaneous kernels add",
                                     [](const CollectiveParts& one) { return one.trace.time.time.value; }),
                 questions::computed("in_step", "of one",
                                     [](const CollectiveParts& one) { return one.line.time / one.line.per_step; }),
                 required<&CollectiveParts::line, &CommunicationLine::per_step>("per_step", "number in one step",
                                                                                {.range = kNotNegative}),
                 required<&CollectiveParts::line, &CommunicationLine::time>("busy", "in the whole step")}};
    return described;
}

template <>
const Description& description<step::MemoryMoments>() {
    using step::MemoryMoments;
    static const Description described{
        .keys = {required<&MemoryMoments::forward>("forward", ""), required<&MemoryMoments::loss>("loss", ""),
                 required<&MemoryMoments::backward>("backward", ""),
                 required<&MemoryMoments::reduction>("reduction", ""), required<&MemoryMoments::update>("update", "")}};
    return described;
}

template <>
const Description& description<questions::predict::Answer>() {
    using questions::predict::Answer;
    using Tensors = std::optional<std::vector<step::KeptLine>>;
    using Moments = std::optional<step::MemoryMoments>;
    using Traced = std::optional<std::vector<CollectiveParts>>;
    static const Description described{
        .noun = "predict",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {
            required<&Answer::prediction>("plan", ""),
            required<&Answer::prediction, &step::Prediction::epoch>("epoch",
                                                                    "null where the size of the data set is not known"),
            required<&Answer::explanation>("explanation", "only with --explain", {.left_out = true}),
            questions::computed(
                "kept_tensors",
                "tensors kept for backward on the fullest stage at its peak, largest first; they add up to activations "
                "and what embeddings and heads keep, before offload",
                [](const Answer& answer) { return answer.peak ? Tensors(answer.peak->kept) : Tensors(); },
                {.left_out = true}),
            questions::computed(
                "memory_moments",
                "memory from the allocator on the fullest stage at moments of a step, without what it reserves and "
                "cannot use; a loss of 0 is on another stage",
                [](const Answer& answer) { return answer.peak ? Moments(answer.peak->moments) : Moments(); },
                {.left_out = true}),
            questions::computed(
                "collectives", "taken apart (--trace)",
                [](const Answer& answer) { return answer.traced.empty() ? Traced() : Traced(answer.traced); },
                {.left_out = true}),
            required<&Answer::lengths>("lengths", "samples of different lengths (--lengths)", {.left_out = true}),
            required<&Answer::norms>("norms", "norms of layers on every rank, or on parts of them (LARS, LAMB)",
                                     {.left_out = true})}};
    return described;
}

}  // namespace dodona::files
