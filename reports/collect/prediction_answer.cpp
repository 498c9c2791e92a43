#include "reports/collect/prediction_answer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/ranges.hpp"
#include "files/computed_keys.hpp"
#include "reports/collect/plan_summary.hpp"

namespace dodona::files {

using plan::Fold;
using plan::MeshAxis;
using plan::Offload;
using plan::Plan;
using reports::MovedParameter;
using reports::ObservedChange;
using step::Bottleneck;
using step::CommunicationLine;
using step::Epoch;
using step::HostUse;
using step::KeptLine;
using step::Limit;
using step::MemoryParts;
using step::MemoryTotals;
using step::Prediction;
using step::ReplicaPrediction;
using step::SourceError;
using step::StagePrediction;
using step::TimeParts;
using step::Uncertainty;

using OptionValue = std::pair<std::string, std::string>;

namespace {

using MaybeCount = std::optional<std::int64_t>;
using MaybeText = std::optional<std::string>;

const KeyOptions kCounted{.range = at_least(1)};
const KeyOptions kAnyLess{.range = kNotNegative};

/// One of the sources of error that the step depends on.
struct NamedError {
    std::string source;
    SourceError error;
};

std::vector<std::string> categories() {
    std::vector<std::string> all;
    for (const step::BottleneckRow& row : step::kBottlenecks) {
        if (std::find(all.begin(), all.end(), row.category) == all.end()) {
            all.emplace_back(row.category);
        }
    }
    return all;
}
constexpr TextForm kCategory{.is = "a category", .choices = categories};

std::vector<std::string> process() { return {"process"}; }
constexpr TextForm kProcess{.is = "what the total is of", .choices = process};

std::vector<std::string> second() { return {"s"}; }
constexpr TextForm kSecond{.is = "a unit", .choices = second};

constexpr TextForm kRecomputation{.is = "a recomputation",
                                  .pattern = "^(none|selective|full|(every|first|one-in)-[1-9][0-9]*|layers=.+)$"};

/// {forward: ..., backward: ...}, of a PartArray.
template <class Parts, class Part>
ValueType parts_type() {
    using Value = typename decltype(Parts::values)::value_type;
    return {MapType{.element = element(type_of<Value>({})),
                    .keys = choices_of<Part>(),
                    .each =
                        [](const void* member, const auto& visit) {
                            for (std::size_t i = 0; i < table_of<Part>().size(); ++i) {
                                visit(table_of<Part>()[i].name, &static_cast<const Parts*>(member)->values[i]);
                            }
                        },
                    .insert = nullptr}};
}

template <const auto& Words, std::size_t... Indices>
std::vector<Key> flags_of(std::index_sequence<Indices...> /*each*/) {
    return {required<Words[Indices].member>(Words[Indices].word, Words[Indices].meaning)...};
}
/// {gradients: true, parameters: false, ...}, of a struct of flags.
template <const auto& Words>
std::vector<Key> flags_of() {
    return flags_of<Words>(std::make_index_sequence<Words.size()>());
}

const Description& fold() {
    static const Description described{
        .keys = {required<&Fold::of>("of", ""), required<&Fold::size>("size", "", kCounted)}};
    return described;
}

const Description& overlap() {
    static const Description described{.keys = flags_of<plan::kOverlapNames>()};
    return described;
}

bool all_offloaded(const Offload& offload) { return !offload.optimizer || offload.optimizer_share >= 1; }

const Description& offload() {
    static const Description described{
        .keys = joined(flags_of<plan::kOffloadNames>(),
                       {required<&Offload::optimizer_share>(
                           "optimizer_share", "of the optimizer states; without it: all",
                           {.range = kPositiveShare, .left_out = true, .is_absent = test<Offload, all_offloaded>})})};
    return described;
}

MaybeCount if_any(std::int64_t group) { return group > 0 ? MaybeCount(group) : MaybeCount(); }

bool no_folds(const Prediction& prediction) { return prediction.plan.folds.empty(); }
bool no_figures(const Prediction& prediction) { return !prediction.runs; }
bool no_replicas(const Prediction& prediction) { return prediction.replicas.empty(); }

/// A plan that cannot run has no figures, and no zeros that look like some.
const KeyOptions kFigure{.range = kNotNegative, .is_absent = test<Prediction, no_figures>};

/// Decisions of the user.
std::vector<Key> decisions() {
    return {required<&Prediction::plan, &Plan::strategy, &plan::Strategy::name>("strategy", ""),
            required_as<&Prediction::plan, &Plan::mesh>(
                {named_entries<&MeshAxis::name, &MeshAxis::size>(type_of<std::int64_t>(kCounted))}, "mesh",
                "axis: size; the product is the number of GPUs"),
            computed("placement", "mesh axes, innermost (nearest ranks) first",
                     [](const Prediction& of) { return mapped<std::string>(of.plan.mesh, &MeshAxis::name); }),
            required_as<&Prediction::plan, &Plan::folds>({named_entries<&Fold::name>(record_type(fold))}, "fold",
                                                         "axes that use the ranks of other axes",
                                                         {.is_absent = test<Prediction, no_folds>}),
            required<&Prediction::plan, &Plan::precision>("precision", ""),
            required<&Prediction::plan, &Plan::gradient_precision>(
                "gradient_precision", "of the gradient buffer and its reduction; null: the default, fp32"),
            required<&Prediction::plan, &Plan::optimizer>("optimizer", ""),
            required<&Prediction::plan, &Plan::batch>("batch", "samples a step, all GPUs together", kCounted),
            required<&Prediction::plan, &Plan::microbatch>("microbatch", "samples per data rank and forward pass",
                                                           kCounted)};
}

std::vector<Key> schedule() {
    return {
        required<&Prediction::microbatches>("microbatches", "per data rank and step", kCounted),
        required<&Prediction::data_ranks>("data_ranks", "", kCounted),
        required<&Prediction::plan, &Plan::schedule>("schedule", ""),
        required<&Prediction::plan, &Plan::virtual_stages>("virtual_stages", "", kCounted),
        computed("recompute", "", [](const Prediction& of) { return reports::recompute_name(of.plan); },
                 {.form = &kRecomputation}),
        required<&Prediction::plan, &Plan::shard>("shard", ""),
        computed(
            "shard_group", "ranks that share one copy; null: all that can",
            [](const Prediction& of) { return if_any(of.plan.shard_group); }, kCounted),
        required<&Prediction::plan, &Plan::keep_parameters>("keep_parameters", ""),
        computed("gather_group",
                 "ranks that keep one more copy of the weights, from which backward gathers; without it: none",
                 [](const Prediction& of) { return if_any(of.plan.gather_group); },
                 {.range = at_least(1), .left_out = true}),
        required_as<&Prediction::plan, &Plan::overlap>(record_type(overlap), "overlap", ""),
        required_as<&Prediction::plan, &Plan::offload>(record_type(offload), "offload", "what lives in host memory"),
        required<&Prediction::plan, &Plan::algorithm>("algorithm", "forced for all collectives; null: the cheapest"),
        computed("framework", "what software adds; null: nothing", [](const Prediction& of) {
            const std::string label = of.plan.framework.label();
            return label.empty() ? MaybeText() : MaybeText(label);
        })};
}

std::vector<Key> figures() {
    return {required<&Prediction::step>(
                "step_time", "null, as all figures, of a plan that cannot run at all: why_not says why", kFigure),
            required<&Prediction::samples_per_second>("samples_per_s", "", kFigure),
            required<&Prediction::tokens_per_second>("tokens_per_s", "null for networks without tokens", kFigure),
            required<&Prediction::mfu>("mfu", "model arithmetic over peak", kFigure),
            required<&Prediction::hfu>("hfu", "executed arithmetic, recomputation included, over peak", kFigure),
            required_as<&Prediction::time>(time_parts(), "time", "exposed on the critical stage; adds up to the step",
                                           kFigure),
            required_as<&Prediction::busy>(time_parts(), "busy", "with what overlap hides", kFigure),
            required<&Prediction::memory>("memory", "", kFigure),
            required<&Prediction::totals>("memory_totals", "", kFigure),
            required<&Prediction::memory_limit>("memory_limit", ""),
            required<&Prediction::host>("host", "null where nothing is offloaded")};
}

std::vector<Key> lists() {
    return {
        required<&Prediction::uncertainty>(
            "uncertainty", "what the interval is made of: errors shared inside a source, independent between sources"),
        computed("observed", "parameters of the framework that observed steps moved; null: nothing observed",
                 [](const Prediction& of) { return reports::observed_change(of); }),
        required<&Prediction::stages>("stages", ""),
        required<&Prediction::replicas>("replicas",
                                        "pipelines of data ranks of different speed; only of jobs whose devices differ",
                                        {.left_out = true, .is_absent = test<Prediction, no_replicas>}),
        required<&Prediction::critical_stage>("critical_stage", "index into stages", kAnyLess),
        required<&Prediction::fullest_stage>("fullest_stage", "index into stages", kAnyLess),
        required<&Prediction::limits>("limits", "limits that the plan reaches or breaks"),
        required<&Prediction::bottlenecks>("bottlenecks", ""),
        required<&Prediction::communication>("communication", ""),
        computed("provenance", "which evidence stands behind the times", [](const Prediction& of) {
            return mapped<std::string>(of.provenance, [](const step::SourceLine& line) { return text(line); });
        })};
}

}  // namespace

ValueType time_parts() { return parts_type<TimeParts, step::TimePart>(); }

template <>
const Description& description<OptionValue>() {
    static const Description described{
        .keys = {required<&OptionValue::first>("option", ""), required<&OptionValue::second>("value", "")}};
    return described;
}

template <>
const Description& description<Estimate>() {
    static const Description described{
        .noun = "interval",
        .summary = "seconds; the true value is in [lo, hi] with probability level",
        .keys = {required<&Estimate::value>("value", ""), required<&Estimate::lo>("lo", ""),
                 required<&Estimate::hi>("hi", ""),
                 computed("level", "", [](const Estimate& /*time*/) { return kIntervalLevel; },
                          {.range = {.least = 0, .most = 1, .without_least = true, .without_most = true}})},
        .one_unit = true};
    return described;
}

template <>
const Description& description<MemoryParts>() {
    static const Description described{
        .noun = "memory",
        .summary = "bytes by part on the fullest stage; the parts add up to total",
        .keys = {computed("total", "", [](const MemoryParts& parts) { return parts.total(); }),
                 computed("kind", "", [](const MemoryParts& /*parts*/) { return process().front(); },
                          {.form = &kProcess}),
                 required_as(parts_type<MemoryParts, step::MemoryPart>(), "parts", "", {.in_place = true})},
        .one_unit = true};
    return described;
}

template <>
const Description& description<MemoryTotals>() {
    static const Description described{
        .noun = "memory_totals",
        .summary = "three figures of one process, in bytes",
        .keys = {required<&MemoryTotals::allocated>("allocated", "tensors: torch.cuda.max_memory_allocated"),
                 required<&MemoryTotals::reserved>("reserved",
                                                   "what the allocator has taken: torch.cuda.max_memory_reserved"),
                 required<&MemoryTotals::process>("process", "what nvidia-smi prints, which must fit")},
        .one_unit = true};
    return described;
}

template <>
const Description& description<HostUse>() {
    static const Description described{.keys = {required<&HostUse::memory>("memory", "on the fullest node"),
                                                required<&HostUse::limit>("memory_limit", "of a node"),
                                                required<&HostUse::in>("to_device", "one device, one step"),
                                                required<&HostUse::out>("from_device", "one device, one step")}};
    return described;
}

template <>
const Description& description<NamedError>() {
    static const Description described{
        .keys = {
            required<&NamedError::source>("source", ""),
            required<&NamedError::error, &SourceError::share>("share", "d log step / d log source"),
            required<&NamedError::error, &SourceError::below>("below", "it may be smaller by this share of itself"),
            required<&NamedError::error, &SourceError::above>("above", "it may be larger by this share of itself")}};
    return described;
}

template <>
const Description& description<Uncertainty>() {
    static const Description described{
        .keys = {required<&Uncertainty::spread>("spread", "of the framework: standard deviation of log time", kAnyLess),
                 required<&Uncertainty::between_sources>("between_sources",
                                                         "the same of what all runs of one source share", kAnyLess),
                 computed("sources", "", [](const Uncertainty& of) {
                     std::vector<NamedError> all;
                     for (std::size_t k = 0; k < of.sources.size(); ++k) {
                         if (of.sources[k].share != 0) {
                             all.push_back({std::string(cost::kErrorSources[k].word), of.sources[k]});
                         }
                     }
                     return all;
                 })}};
    return described;
}

template <>
const Description& description<MovedParameter>() {
    static const Description described{
        .keys = {computed("parameter", "", [](const MovedParameter& moved) { return std::string(moved.kind->word); }),
                 computed("unit", "",
                          [](const MovedParameter& moved) {
                              return moved.kind->is_time ? MaybeText(second().front()) : MaybeText();
                          },
                          {.form = &kSecond}),
                 required<&MovedParameter::before>("before", ""), required<&MovedParameter::after>("after", "")}};
    return described;
}

template <>
const Description& description<ObservedChange>() {
    static const Description described{
        .keys = {required<&ObservedChange::runs>("runs", "", kCounted),
                 required<&ObservedChange::missed_before>("missed_before", "mean of measured / predicted - 1"),
                 required<&ObservedChange::missed_after>("missed_after", "with the parameters moved"),
                 computed(
                     "lo_without", "interval around this step, nothing observed",
                     [](const ObservedChange& change) { return change.without.lo.in(unit::second); }, kAnyLess),
                 computed(
                     "hi_without", "", [](const ObservedChange& change) { return change.without.hi.in(unit::second); },
                     kAnyLess),
                 required<&ObservedChange::moved>("moved", "")}};
    return described;
}

template <>
const Description& description<StagePrediction>() {
    static const Description described{
        .keys = {required<&StagePrediction::layers>("layers", ""), required<&StagePrediction::device>("device", ""),
                 required<&StagePrediction::memory, &MemoryTotals::process>("memory", "of the process"),
                 required<&StagePrediction::memory>("memory_totals", ""),
                 required<&StagePrediction::time>("time", "")}};
    return described;
}

template <>
const Description& description<ReplicaPrediction>() {
    static const Description described{
        .keys = {required<&ReplicaPrediction::devices>("devices", "by stage, equal neighbours once"),
                 required<&ReplicaPrediction::count>("count", "", kCounted),
                 required<&ReplicaPrediction::data_ranks>("data_ranks", "of all of them", kCounted),
                 required<&ReplicaPrediction::microbatches>("microbatches", "of each, in one step", kCounted),
                 required<&ReplicaPrediction::time>("time", "from the first forward to the last backward pass")}};
    return described;
}

template <>
const Description& description<Limit>() {
    static const Description described{
        .keys = {computed("text", "", [](const Limit& limit) { return text(limit); }),
                 computed("broken", "", [](const Limit& limit) { return limit.broken(); })}};
    return described;
}

template <>
const Description& description<Bottleneck>() {
    static const Description described{
        .keys = {
            computed("kind", "", [](const Bottleneck& one) { return std::string(step::row_of(one.kind).name); }),
            computed("category", "", [](const Bottleneck& one) { return std::string(step::row_of(one.kind).category); },
                     {.form = &kCategory}),
            computed("inherent", "inherent in the strategy; otherwise software or hardware can fix it",
                     [](const Bottleneck& one) { return step::row_of(one.kind).inherent; }),
            computed("share", "null: without bound",
                     [](const Bottleneck& one) {
                         return std::isfinite(one.share) ? std::optional(one.share) : std::nullopt;
                     }),
            computed("threshold", "share above which it is reported",
                     [](const Bottleneck& one) { return step::row_of(one.kind).threshold; }),
            computed("evidence", "where the threshold is from",
                     [](const Bottleneck& one) { return std::string(step::row_of(one.kind).evidence); }),
            required<&Bottleneck::text>("text", "")}};
    return described;
}

template <>
const Description& description<CommunicationLine>() {
    using Line = CommunicationLine;
    static const Description described{
        .keys = {computed("what", "", [](const Line& line) { return text(line); }),
                 required<&Line::collective>("collective", ""), required<&Line::algorithm>("algorithm", ""),
                 required<&Line::axes>("axes", ""), required<&Line::ranks>("ranks", "", kCounted),
                 required<&Line::per_step>("per_step", "number in one step on the critical stage", kAnyLess),
                 required<&Line::size>("size", "full buffer of one"),
                 required<&Line::sent>("sent", "by one rank in the whole step"),
                 required<&Line::time>("time", "busy, in the whole step"),
                 required<&Line::contention>("contention", "", kAnyLess)}};
    return described;
}

template <>
const Description& description<Epoch>() {
    static const Description described{
        .keys = {required<&Epoch::iterations>("iterations", "", kAnyLess), required<&Epoch::compute>("compute", ""),
                 required<&Epoch::communication>("communication", "busy time of all collectives and host copies"),
                 required<&Epoch::total>("total", "")}};
    return described;
}

template <>
const Description& description<KeptLine>() {
    static const Description described{
        .keys = {required<&KeptLine::tensor>("tensor", "the layer that makes it"),
                 required<&KeptLine::read_by>("read_by", "the first layer whose backward pass reads it"),
                 required<&KeptLine::size>("size", "of one, on one device"),
                 required<&KeptLine::instances>("instances", "layers of the stage", kAnyLess),
                 required<&KeptLine::microbatches>("microbatches", "in flight", kAnyLess),
                 required<&KeptLine::total>("total", "")}};
    return described;
}

const Description& unranked_plan() {
    static const Description described{.keys = joined(joined({required<&Prediction::fits>("fits", ""),
                                                              computed("why_not", "null where it fits",
                                                                       [](const Prediction& of) {
                                                                           return of.why_not
                                                                                      ? MaybeText(text(*of.why_not))
                                                                                      : MaybeText();
                                                                       })},
                                                             decisions()),
                                                      joined(joined(schedule(), figures()), lists()))};
    return described;
}

template <>
const Description& description<Prediction>() {
    static const Description described{
        .noun = "plan",
        .keys = {computed(
                     "rank", "place in the ranking; null outside one",
                     [](const Prediction& /*outside*/) { return MaybeCount(); }, kCounted),
                 required_as(record_type(unranked_plan), "unranked", "", {.in_place = true})}};
    return described;
}

}  // namespace dodona::files
