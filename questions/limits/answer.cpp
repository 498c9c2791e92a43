#include "questions/described.hpp"
#include "questions/limits/limits.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::files {

using plan::AxisLimit;
using plan::MeshAxis;
using questions::computed;
using search::DiminishingReturns;
using search::Growth;
using search::LimitsAnswer;
using search::ScalingPoint;
using search::StrategyLimits;
using search::Verdict;
using step::Prediction;

using MaybeCount = std::optional<std::int64_t>;
using MaybeText = std::optional<std::string>;

namespace {

const KeyOptions kFromOne{.range = at_least(1)};

std::vector<std::string> scalings() { return {"weak", "strong"}; }
constexpr TextForm kScaling{.is = "a scaling", .choices = scalings};

MaybeText limit_text(const std::optional<plan::Limit>& limit) { return limit ? MaybeText(text(*limit)) : MaybeText(); }

/// What was asked, with the batch that follows.
const Description& limits_inputs() {
    using Question = search::Question;
    static const Description described{
        .keys = {required<&LimitsAnswer::question, &Question::model>("model", ""),
                 required<&LimitsAnswer::question, &Question::machine>("machine", ""),
                 required<&LimitsAnswer::growth, &Growth::machine>("machine_gpus", "", kFromOne),
                 required<&LimitsAnswer::growth, &Growth::asked>("gpus", "the number asked for", kFromOne),
                 computed("scaling", "",
                          [](const LimitsAnswer& answer) {
                              return answer.growth.batch ? std::string("strong") : std::string("weak");
                          },
                          {.form = &kScaling}),
                 required<&LimitsAnswer::growth, &Growth::batch>(
                     "batch", "strong scaling: samples a step on any number", kFromOne),
                 computed(
                     "batch_per_gpu", "weak scaling",
                     [](const LimitsAnswer& answer) {
                         return answer.growth.batch ? MaybeCount() : MaybeCount(answer.growth.samples_per_device);
                     },
                     kFromOne),
                 required<&LimitsAnswer::question, &Question::precision>("precision", ""),
                 required<&LimitsAnswer::question, &Question::strategies>("strategies", ""),
                 required<&LimitsAnswer::question, &Question::settings>("settings", ""),
                 required<&LimitsAnswer::question, &Question::parameters>("parameters", "", {.range = kNotNegative}),
                 optional<&LimitsAnswer::question, &Question::model_source>("model_source", ""),
                 optional<&LimitsAnswer::question, &Question::machine_source>("machine_source", "")}};
    return described;
}

/// A plan in short; `dodona plan` has it in full.
const Description& scaling_plan() {
    using plan::Plan;
    const auto sizes = [](MapType map) { return ValueType{std::move(map)}; };
    static const Description described{
        .keys = {
            required_as<&Prediction::plan, &Plan::mesh>(
                sizes(named_entries<&MeshAxis::name, &MeshAxis::size>(type_of<std::int64_t>(kFromOne))), "mesh", ""),
            required_as<&Prediction::plan, &Plan::folds>(
                sizes(named_entries<&plan::Fold::name, &plan::Fold::size>(type_of<std::int64_t>(kFromOne))), "fold",
                ""),
            required<&Prediction::plan, &Plan::microbatch>("microbatch", "", kFromOne),
            required<&Prediction::plan, &Plan::schedule>("schedule", ""),
            required<&Prediction::plan, &Plan::virtual_stages>("virtual_stages", "", kFromOne),
            computed("recompute", "", [](const Prediction& best) { return reports::recompute_name(best.plan); }),
            required<&Prediction::plan, &Plan::shard>("shard", ""),
            required<&Prediction::step, &Estimate::value>("step_time", ""),
            computed("samples_per_s", "", [](const Prediction& best) { return best.samples_per_second; },
                     {.range = kNotNegative}),
            required<&Prediction::mfu>("mfu", "", {.range = kNotNegative}),
            computed("memory", "", [](const Prediction& best) { return best.memory.total(); }),
            required<&Prediction::memory_limit>("memory_limit", ""),
            required<&Prediction::bottlenecks>("bottlenecks", "")}};
    return described;
}

}  // namespace

template <>
const Description& description<AxisLimit>() {
    static const Description described{
        .keys = {required<&AxisLimit::axis>("axis", ""),
                 required<&AxisLimit::folded>("folded", "on the ranks of other axes"),
                 required<&AxisLimit::largest>("largest", "null: any size", kFromOne),
                 computed("set_by", "", [](const AxisLimit& axis) { return limit_text(axis.set_by); }),
                 required<&AxisLimit::even>("even", "the largest that all layers divide by", kFromOne),
                 computed("uneven", "what does not divide by the largest",
                          [](const AxisLimit& axis) { return limit_text(axis.uneven); })}};
    return described;
}

template <>
const Description& description<ScalingPoint>() {
    static const Description described{
        .keys = {required<&ScalingPoint::devices>("gpus", "", kFromOne),
                 required<&ScalingPoint::batch>("batch", "", kFromOne),
                 computed("fits", "", [](const ScalingPoint& point) { return point.best.has_value(); }),
                 computed("why_not", "",
                          [](const ScalingPoint& point) {
                              return point.best ? MaybeText() : MaybeText(search::why_not_text(point));
                          }),
                 computed("efficiency", "",
                          [](const ScalingPoint& point) {
                              return point.best ? std::optional(point.efficiency) : std::nullopt;
                          },
                          {.range = kNotNegative}),
                 required_as<&ScalingPoint::best>(optional_type<Prediction>(record_type(scaling_plan)), "plan", "")}};
    return described;
}

template <>
const Description& description<DiminishingReturns>() {
    static const Description described{
        .keys = {
            required<&DiminishingReturns::beyond>("gpus", "", kFromOne),
            computed("part", "", [](const DiminishingReturns& lost) { return std::string(step::name(lost.part)); }),
            required<&DiminishingReturns::growth>("of_lost_time", "", {.range = kNotNegative})}};
    return described;
}

template <>
const Description& description<Verdict>() {
    static const Description described{
        .keys = {required<&Verdict::devices>("gpus", "", kFromOne), required<&Verdict::fits>("fits", ""),
                 computed("why_not", "",
                          [](const Verdict& verdict) {
                              return verdict.fits ? MaybeText() : MaybeText(search::why_not_text(verdict));
                          }),
                 required<&Verdict::below>("nearest_below", "", kFromOne),
                 required<&Verdict::above>("nearest_above", "", kFromOne)}};
    return described;
}

template <>
const Description& description<StrategyLimits>() {
    static const Description described{
        .keys = {required<&StrategyLimits::strategy>("strategy", ""),
                 required<&StrategyLimits::most>("most", "GPUs of this machine that it can be laid on", kFromOne),
                 computed("set_by", "", [](const StrategyLimits& limits) { return search::set_by_text(limits); }),
                 required<&StrategyLimits::reach, &plan::Reach::devices>("most_without_machine", "null: any number",
                                                                         kFromOne),
                 required<&StrategyLimits::reach, &plan::Reach::exact>("exact", "false: there may be a larger mesh"),
                 required<&StrategyLimits::fits_from>("fits_from", "", kFromOne),
                 required<&StrategyLimits::fits_to>("fits_to", "", kFromOne),
                 required<&StrategyLimits::fastest>("fastest", "", kFromOne),
                 computed(
                     "worthwhile_to", "efficiency of 0.5 and more up to here",
                     [](const StrategyLimits& limits) {
                         const auto& returns = limits.diminishing_returns;
                         return returns ? returns->devices : limits.fits_to;
                     },
                     kFromOne),
                 required<&StrategyLimits::diminishing_returns>(
                     "diminishing_returns",
                     "the first that are not worthwhile, and the part of the step on which they lose most"),
                 required<&StrategyLimits::verdict>("verdict", "on the number asked for"),
                 required<&StrategyLimits::axes>("axes", ""), required<&StrategyLimits::points>("points", "")}};
    return described;
}

template <>
const Description& description<LimitsAnswer>() {
    static const Description described{.noun = "limits",
                                       .summary =
                                           "SI base units, the unit in the key; what is absent is null. Numbers of "
                                           "GPUs that fit, are fastest or worthwhile are of those searched (points).",
                                       .keys = {required_as(record_type(limits_inputs), "inputs", ""),
                                                required<&LimitsAnswer::strategies>("strategies", "", {.rows = true})}};
    return described;
}

}  // namespace dodona::files
