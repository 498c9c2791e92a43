#include "reports/collect/explanation_record.hpp"

#include <array>

#include "reports/collect/prediction_record.hpp"

namespace dodona::reports {

namespace {

std::string_view base_unit(const search::Amount& amount) {
    struct Unit {
        std::string_view operator()(Seconds) const { return "s"; }
        std::string_view operator()(Bytes) const { return "B"; }
        std::string_view operator()(BytesPerSecond) const { return "B/s"; }
        std::string_view operator()(FlopPerSecond) const { return "FLOP/s"; }
        std::string_view operator()(double) const { return ""; }
        std::string_view operator()(std::int64_t) const { return "samples"; }
    };
    return std::visit(Unit{}, amount);
}

/// The keys of P that identify a plan, and its time.
Record recommendation(const std::optional<step::Prediction>& prediction) {
    if (!prediction) {
        return nullptr;
    }
    constexpr std::array kKeys{"strategy", "mesh",           "fold",      "batch", "microbatch",
                               "schedule", "virtual_stages", "recompute", "shard", "step_time_s"};
    const Record all = plan_record(*prediction, std::nullopt);
    Record named = no_fields();
    for (const char* key : kKeys) {
        named[key] = all.at(key);
    }
    return named;
}

Record direction_record(const search::Direction& direction) {
    Record crossover;
    if (direction.crossover) {
        crossover = {{"factor", direction.crossover->factor},
                     {"tied_now", direction.crossover->tied},
                     {"to", recommendation(direction.crossover->to)}};
    }
    return {{"searched", direction.searched}, {"crossover", crossover}};
}

std::string_view word(search::ParameterKind kind) {
    return kind == search::ParameterKind::machine    ? "machine"
           : kind == search::ParameterKind::software ? "software"
                                                     : "job";
}

Record sensitivity_record(const search::Sensitivity& sensitivity) {
    const search::Parameter& parameter = sensitivity.parameter;
    return {{"key", parameter.key},
            {"name", parameter.name},
            {"of", word(parameter.kind)},
            {"now", std::visit([](auto value) { return Record(value); }, parameter.now)},
            {"unit", text_or_null(std::string(base_unit(parameter.now)))},
            {"elasticity", sensitivity.elasticity},
            {"least", parameter.least},
            {"most", parameter.most},
            {"less", direction_record(sensitivity.less)},
            {"more", direction_record(sensitivity.more)}};
}

}  // namespace

Record explanation_record(const search::Explanation& explanation) {
    return {{"parameters", list_of(explanation.parameters, sensitivity_record)},
            {"memory",
             {{"left_bytes", explanation.memory.left},
              {"searched", explanation.memory.searched},
              {"without", recommendation(explanation.memory.without)}}},
            {"crossovers_searched", explanation.crossovers_searched},
            {"complete", explanation.complete},
            {"searches", explanation.searches},
            {"insensitive", explanation.insensitive_omitted}};
}

}  // namespace dodona::reports
