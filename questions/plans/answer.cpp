#include <algorithm>

#include "questions/described.hpp"
#include "questions/plans/plans.hpp"
#include "reports/collect/explanation_answer.hpp"
#include "reports/collect/prediction_answer.hpp"
#include "reports/collect/strategy_report.hpp"

namespace dodona::files {

using questions::computed;
using questions::plans::ChangedSetting;
using questions::plans::RankedPlan;
using PlansAnswer = questions::plans::Answer;
using search::Infeasible;
using search::LayerCounts;
using search::OtherBatch;
using search::Remedy;
using search::SearchCounts;
using step::Prediction;

namespace {

using MaybePlan = std::optional<Prediction>;
using MaybeRatio = std::optional<double>;
using Words = std::vector<std::string>;

const KeyOptions kRank{.range = at_least(1)};
const KeyOptions kCountOfPlans{.range = kNotNegative};
const KeyOptions kIfAny{.left_out = true};

std::optional<std::string> if_there(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

void* plan_of_ranked(void* ranked) { return const_cast<Prediction*>(static_cast<RankedPlan*>(ranked)->plan); }

const Description& layers_searched() {
    static const Description described{
        .keys = {required<&LayerCounts::settings>("settings", "meshes x micro-batches x sharding x recomputation",
                                                  kCountOfPlans),
                 required<&LayerCounts::states>("states", "of frontiers", kCountOfPlans),
                 required<&LayerCounts::cut>("cut", "settings whose frontier was cut: better choices may exist there",
                                             kCountOfPlans)}};
    return described;
}

const Description& searched() {
    using Found = search::Answer;
    static const Description described{
        .keys = {
            required<&Found::counts, &SearchCounts::configurations>("configurations", "", kCountOfPlans),
            required<&Found::counts, &SearchCounts::evaluated>("evaluated", "", kCountOfPlans),
            required<&Found::counts, &SearchCounts::pruned>("pruned", "", kCountOfPlans),
            required<&Found::counts, &SearchCounts::unusual>(
                "unusual_left_out", "strategies and meshes that are not in use for such a job", kCountOfPlans),
            required<&Found::counts, &SearchCounts::equally_fast>(
                "equally_fast", "meshes whose plans are as fast as the fastest but for what predictions cannot tell",
                kCountOfPlans),
            required<&Found::counts, &SearchCounts::seconds>("seconds", "", kCountOfPlans),
            required<&Found::counts, &SearchCounts::optimal>("optimal", ""),
            required_as<&Found::layers>(optional_type<LayerCounts>(record_type(layers_searched)), "layers",
                                        "where --strategy auto let each layer choose", kIfAny)}};
    return described;
}

bool no_other_software(const PlansAnswer& answer) { return answer.found.in_other_software.empty(); }
bool no_script(const PlansAnswer& answer) { return !answer.current; }
bool no_kind(const PlansAnswer& answer) { return !answer.why_not; }
bool no_lengths(const PlansAnswer& answer) { return answer.by_lengths.empty(); }
bool no_exchanges(const PlansAnswer& answer) { return answer.by_exchange.choices.empty(); }
bool no_tables(const PlansAnswer& answer) { return !answer.tables; }

const Description& current_run() {
    static const Description described{
        .keys = {computed("file", "", [](const PlansAnswer& answer) { return answer.current->file; }),
                 computed("launcher", "whose settings the file has",
                          [](const PlansAnswer& answer) { return answer.current->launcher; }),
                 computed("plan", "without what was observed",
                          [](const PlansAnswer& answer) { return answer.current->predicted; }),
                 computed("observed_step", "", [](const PlansAnswer& answer) { return answer.current->observed; }),
                 computed(
                     "change_to", "rank of the first plan that its launcher can express",
                     [](const PlansAnswer& answer) {
                         const std::size_t rank = answer.current->changed.rank;
                         return rank > 0 ? std::optional(rank) : std::nullopt;
                     },
                     kRank),
                 computed("step_ratio", "its step over that of now",
                          [](const PlansAnswer& answer) {
                              const Prediction* const other = questions::plans::compared_with(answer);
                              return other == nullptr ? MaybeRatio()
                                                      : MaybeRatio(other->step.value / answer.current->now.step.value);
                          }),
                 computed("tied", "",
                          [](const PlansAnswer& answer) {
                              const Prediction* const other = questions::plans::compared_with(answer);
                              return other == nullptr
                                         ? std::optional<bool>()
                                         : std::optional(questions::plans::is_tied(answer.current->now, *other));
                          }),
                 computed("settings", "that differ; null: not there",
                          [](const PlansAnswer& answer) { return answer.current->changed.changes; })}};
    return described;
}

const Description& why_not() {
    static const Description described{
        .keys = {computed("asked", "", [](const PlansAnswer& answer) { return answer.why_not->asked; }),
                 computed("plan", "the best one of that kind; null where none fits",
                          [](const PlansAnswer& answer) {
                              const auto& plans = answer.why_not->of_that_kind.plans;
                              return plans.empty() ? MaybePlan() : MaybePlan(plans.front());
                          }),
                 computed("step_ratio", "its step over that of the first plan",
                          [](const PlansAnswer& answer) {
                              const auto& plans = answer.why_not->of_that_kind.plans;
                              return plans.empty() || answer.found.plans.empty()
                                         ? MaybeRatio()
                                         : MaybeRatio(plans.front().step.value / answer.found.plans.front().step.value);
                          }),
                 computed("reasons", "where none fits: what stops them", [](const PlansAnswer& answer) {
                     const search::Answer& of_that_kind = answer.why_not->of_that_kind;
                     return of_that_kind.plans.empty() ? questions::plans::reasons(of_that_kind) : Words();
                 })}};
    return described;
}

/// A value of placed tables that fit.
template <class Value>
std::optional<Value> if_fit(const PlansAnswer& answer, Value value) {
    return answer.tables->fit() ? std::optional(value) : std::nullopt;
}

const Prediction* first_of(const PlansAnswer& answer) {
    return answer.found.plans.empty() ? nullptr : &answer.found.plans.front();
}

const Description& placed_tables() {
    static const Description described{
        .keys = {
            computed("fits", "", [](const PlansAnswer& answer) { return answer.tables->fit(); }),
            computed("chosen", "faster than the best plan, or no plan fits",
                     [](const PlansAnswer& answer) {
                         const Prediction* const best = first_of(answer);
                         return answer.tables->fit() &&
                                (best == nullptr || answer.tables->step(best) < best->step.value);
                     }),
            computed("step", "with the best plan's optimizer, input, host and software",
                     [](const PlansAnswer& answer) { return if_fit(answer, answer.tables->step(first_of(answer))); }),
            computed("kernels_and_transfers", "of the step, as `dodona tables` has it",
                     [](const PlansAnswer& answer) { return if_fit(answer, answer.tables->placed.step()); }),
            computed("longest_part", "",
                     [](const PlansAnswer& answer) { return if_fit(answer, answer.tables->placed.longest()); }),
            computed("busiest", "look-ups of the busiest GPU",
                     [](const PlansAnswer& answer) { return if_fit(answer, answer.tables->placed.placement.longest); }),
            computed("bound", "no placement is shorter",
                     [](const PlansAnswer& answer) { return if_fit(answer, answer.tables->placed.placement.bound); })}};
    return described;
}

/// Keys of the found plans.
std::vector<Key> found_keys() {
    using Found = search::Answer;
    return {required<&PlansAnswer::found, &Found::question>("inputs", ""),
            computed("plans", "the recommended one first, then by time; all fit",
                     [](const PlansAnswer& answer) {
                         return questions::plans::ranking_of(answer.found.plans, answer.found.played).plans;
                     },
                     {.rows = true}),
            computed(
                "ties", "ranks of plans that cannot be distinguished, each group with its first",
                [](const PlansAnswer& answer) { return search::ties(answer.found.plans); }, kRank),
            required<&PlansAnswer::found, &Found::in_other_software>(
                "in_other_software", "of each software but that of the first plan, its first plan; the fastest first",
                {.left_out = true, .is_absent = test<PlansAnswer, no_other_software>}),
            required<&PlansAnswer::found, &Found::reserve>("reserve", "share of memory that plans leave free",
                                                           {.range = kShare}),
            required<&PlansAnswer::found, &Found::other_batches>(
                "other_batches", "batches that divide better among the devices, the best first"),
            required<&PlansAnswer::found, &Found::remedies>(
                "remedies", "where nothing fits: changes under which something does, the cheapest first"),
            required<&PlansAnswer::found, &Found::unusual>(
                "unusual", "what is not in use of the first plan, where nothing typical fits"),
            required<&PlansAnswer::found, &Found::infeasible>("infeasible", "most frequent first"),
            required<&PlansAnswer::found, &Found::nearest>("nearest", "where nothing fits: what comes nearest"),
            required_as<&PlansAnswer::found>(record_type(searched), "search", ""),
            required<&PlansAnswer::found, &Found::explanation>("explanation", "only with --explain", kIfAny)};
}

/// Keys of what was asked in addition.
std::vector<Key> more_keys() {
    using reports::ExchangeSearch;
    return {required_as(record_type(current_run), "from", "of --from: what the script runs now",
                        {.left_out = true, .is_absent = test<PlansAnswer, no_script>}),
            required_as(record_type(why_not), "why_not", "of --why-not",
                        {.left_out = true, .is_absent = test<PlansAnswer, no_kind>}),
            computed("lengths", "of each plan, by tokens a second (--lengths)",
                     [](const PlansAnswer& answer) {
                         const auto& all = answer.by_lengths;
                         const auto shown = static_cast<std::ptrdiff_t>(std::min(answer.shown, all.size()));
                         return std::vector<reports::PlanLengths>(all.begin(), all.begin() + shown);
                     },
                     {.left_out = true, .is_absent = test<PlansAnswer, no_lengths>}),
            required<&PlansAnswer::by_exchange, &ExchangeSearch::choices>(
                "exchange_search", "plans with other exchanges (--vary exchange), the fastest first",
                {.left_out = true, .is_absent = test<PlansAnswer, no_exchanges>}),
            computed(
                "exchanges", "of --exchange: each plan with it; null where it has nothing to exchange",
                [](const PlansAnswer& answer) {
                    return answer.with_exchange ? std::optional(answer.with_exchange->of_plans) : std::nullopt;
                },
                kIfAny),
            required_as(record_type(placed_tables), "tables",
                        "embedding tables placed one by one over all memories; absent for a network without tables",
                        {.left_out = true, .is_absent = test<PlansAnswer, no_tables>})};
}

}  // namespace

template <>
const Description& description<search::Question>() {
    using search::Question;
    static const Description described{
        .keys = {required<&Question::model>("model", ""), required<&Question::machine>("machine", ""),
                 required<&Question::devices>("gpus", "", kRank), required<&Question::batch>("batch", "", kRank),
                 required<&Question::precision>("precision", ""), required<&Question::strategies>("strategies", ""),
                 required<&Question::settings>("settings", "options as they were given"),
                 required<&Question::parameters>("parameters", "", kCountOfPlans),
                 optional<&Question::model_source>("model_source", ""),
                 optional<&Question::machine_source>("machine_source", "")}};
    return described;
}

template <>
const Description& description<RankedPlan>() {
    static const Description described{
        .noun = "ranked_plan",
        .keys = {required<&RankedPlan::rank>("rank", "place in the ranking", kRank),
                 make_key("plan", "", true, {.in_place = true}, plan_of_ranked, record_type(unranked_plan)),
                 computed("first_is_faster", "how sure it is that the first plan is faster; null of the first",
                          [](const RankedPlan& ranked) {
                              return ranked.rank == 1 ? MaybeRatio() : MaybeRatio(ranked.first_is_faster);
                          },
                          {.range = kShare}),
                 required<&RankedPlan::tied>("tied_with_first", "cannot be distinguished from the first"),
                 required<&RankedPlan::simulated>("played", "the step as `plan --simulate` simulated it", kIfAny),
                 computed(
                     "rules", "of a strategy made for this network: what each layer does",
                     [](const RankedPlan& ranked) {
                         const plan::Strategy& strategy = ranked.plan->plan.strategy;
                         std::optional<Words> rules;
                         if (strategy.by_layers) {
                             rules = reports::rule_texts(strategy);
                         }
                         return rules;
                     },
                     kIfAny)}};
    return described;
}

template <>
const Description& description<OtherBatch>() {
    static const Description described{
        .keys = {required<&OtherBatch::batch>("batch", "", kRank),
                 required<&OtherBatch::gain>("gain",
                                             "samples a second, over those of the batch asked about; 0 where nothing "
                                             "fits under that one",
                                             {.range = kNotNegative}),
                 required<&OtherBatch::plan>("plan", "")}};
    return described;
}

template <>
const Description& description<Remedy>() {
    static const Description described{.keys = {required<&Remedy::change>("change", ""),
                                                required<&Remedy::options>("options", "that replace those given"),
                                                required<&Remedy::without>("without", "options that are dropped"),
                                                required<&Remedy::plan>("plan", "")}};
    return described;
}

template <>
const Description& description<Infeasible>() {
    static const Description described{
        .keys = {required<&Infeasible::strategy>("strategy", ""),
                 computed("reason", "", [](const Infeasible& group) { return text(group.cause); }),
                 required<&Infeasible::count>("count", "configurations", kRank),
                 computed("nearest", "", [](const Infeasible& group) {
                     return group.nearest ? std::optional(text(*group.nearest)) : std::nullopt;
                 })}};
    return described;
}

template <>
const Description& description<ChangedSetting>() {
    static const Description described{
        .keys = {required<&ChangedSetting::setting>("setting", ""),
                 computed("now", "", [](const ChangedSetting& of) { return if_there(of.now); }),
                 computed("then", "", [](const ChangedSetting& of) { return if_there(of.then); })}};
    return described;
}

template <>
const Description& description<PlansAnswer>() {
    static const Description described{.noun = "plan",
                                       .summary = "SI base units, the unit in the key; what is absent is null.",
                                       .keys = joined(found_keys(), more_keys())};
    return described;
}

}  // namespace dodona::files
