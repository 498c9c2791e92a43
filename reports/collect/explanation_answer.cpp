#include "reports/collect/explanation_answer.hpp"

#include <array>

#include "base/check.hpp"
#include "files/computed_keys.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::files {

using search::Amount;
using search::Crossover;
using search::Direction;
using search::Explanation;
using search::MemoryMargin;
using search::Parameter;
using search::Sensitivity;
using step::Prediction;

namespace {

const KeyOptions kCountOfSearches{.range = kNotNegative};

std::optional<std::string> base_unit(const Amount& amount) {
    struct Unit {
        std::optional<std::string> operator()(Seconds) const { return "s"; }
        std::optional<std::string> operator()(Bytes) const { return "B"; }
        std::optional<std::string> operator()(BytesPerSecond) const { return "B/s"; }
        std::optional<std::string> operator()(FlopPerSecond) const { return "FLOP/s"; }
        std::optional<std::string> operator()(double) const { return std::nullopt; }
        std::optional<std::string> operator()(std::int64_t) const { return "samples"; }
    };
    return std::visit(Unit{}, amount);
}

struct InBaseUnits {
    double operator()(double ratio) const { return ratio; }
    double operator()(std::int64_t samples) const { return static_cast<double>(samples); }
    template <Dimensions D>
    double operator()(Quantity<D> quantity) const {
        return quantity.in(Quantity<D>::of_base(1));
    }
};

/// The keys that identify a plan, and its time.
const Description& recommendation() {
    constexpr std::array kKeys{"strategy", "mesh",           "fold",      "batch", "microbatch",
                               "schedule", "virtual_stages", "recompute", "shard", "step_time"};
    static const Description described = [&] {
        Description named{.noun = "recommendation", .summary = "what names a plan, as in plan", .keys = {}};
        for (const char* name : kKeys) {
            const Key* const key = unranked_plan().find(name);
            check(key != nullptr, "a plan has no such key");
            named.keys.push_back(*key);
        }
        return named;
    }();
    return described;
}

ValueType maybe_recommendation() { return optional_type<Prediction>(record_type(recommendation)); }

}  // namespace

template <>
const Description& description<Crossover>() {
    static const Description described{
        .keys = {required<&Crossover::factor>("factor", "of the parameter as it is now", {.range = kPositive}),
                 required<&Crossover::tied>("tied_now", "as things are it cannot be told apart from the first plan"),
                 required_as<&Crossover::to>(maybe_recommendation(), "to", "null where nothing fits")}};
    return described;
}

template <>
const Description& description<Direction>() {
    static const Description described{
        .noun = "direction",
        .summary = "less or more of a parameter",
        .keys = {required<&Direction::searched>("searched", "false: not asked for, or stopped"),
                 required<&Direction::crossover>("crossover",
                                                 "the first change that recommends another layout; null where none "
                                                 "within least and most does")}};
    return described;
}

template <>
const Description& description<Sensitivity>() {
    static const Description described{
        .keys = {required<&Sensitivity::parameter, &Parameter::key>("key", ""),
                 required<&Sensitivity::parameter, &Parameter::name>("name", ""),
                 required<&Sensitivity::parameter, &Parameter::kind>("of", ""),
                 computed("now", "", [](const Sensitivity& of) { return std::visit(InBaseUnits{}, of.parameter.now); },
                          {.range = kNotNegative}),
                 computed("unit", "null of ratios", [](const Sensitivity& of) { return base_unit(of.parameter.now); }),
                 required<&Sensitivity::elasticity>(
                     "elasticity", "d log(time of a sample) / d log(parameter), of the first plan as it is"),
                 required<&Sensitivity::parameter, &Parameter::least>("least", "the smallest factor that was tried",
                                                                      {.range = kPositiveShare}),
                 required<&Sensitivity::parameter, &Parameter::most>("most", "the largest", {.range = at_least(1)}),
                 required<&Sensitivity::less>("less", ""), required<&Sensitivity::more>("more", "")}};
    return described;
}

template <>
const Description& description<MemoryMargin>() {
    static const Description described{
        .keys = {computed("left_bytes", "negative where the plan does not fit",
                          [](const MemoryMargin& margin) { return margin.left.in(unit::byte); }),
                 required<&MemoryMargin::searched>("searched", "whether a search was made for without"),
                 required_as<&MemoryMargin::without>(maybe_recommendation(), "without",
                                                     "null where nothing fits or nothing was searched for")}};
    return described;
}

template <>
const Description& description<Explanation>() {
    static const Description described{
        .noun = "explanation",
        .summary = "what the answer is sensitive to",
        .keys = {
            required<&Explanation::parameters>("parameters", "the largest elasticity first, either way"),
            required<&Explanation::memory>("memory", ""),
            required<&Explanation::crossovers_searched>("crossovers_searched", "whether crossovers were searched for"),
            required<&Explanation::complete>("complete", "false: stopped"),
            required<&Explanation::searches>("searches", "", kCountOfSearches),
            required<&Explanation::insensitive_omitted>(
                "insensitive", "parameters of the software left out, to which no plan in sight reacts",
                kCountOfSearches)}};
    return described;
}

}  // namespace dodona::files
