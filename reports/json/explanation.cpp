#include "reports/json/explanation.hpp"

#include <array>

namespace dodona::reports {

namespace {

/// A value in base units, and which.
struct Figure {
    Json value;
    Json unit;
};

Figure figure_of(const search::Amount& amount) {
    struct Of {
        Figure operator()(Seconds time) const { return {number(time.in(unit::second)), "s"}; }
        Figure operator()(Bytes size) const { return {number(size.in(unit::byte)), "B"}; }
        Figure operator()(BytesPerSecond rate) const { return {number(rate.in(unit::byte_per_second)), "B/s"}; }
        Figure operator()(FlopPerSecond rate) const { return {number(rate.in(unit::flop_per_second)), "FLOP/s"}; }
        Figure operator()(double ratio) const { return {number(ratio), nullptr}; }
        Figure operator()(std::int64_t count) const { return {count, "samples"}; }
    };
    return std::visit(Of{}, amount);
}

/// What names a plan and how long it takes, of P.
Json recommendation(const std::optional<step::Prediction>& prediction) {
    if (!prediction) {
        return nullptr;
    }
    constexpr std::array kKeys{"strategy", "mesh",   "fold",      "batch", "microbatch",
                               "schedule", "chunks", "recompute", "shard", "step_time_s"};
    const Json all = plan_json(*prediction, std::nullopt);
    Json named = Json::object();
    for (const char* key : kKeys) {
        named[key] = all.at(key);
    }
    return named;
}

Json direction(const search::Direction& direction) {
    Json crossover = nullptr;
    if (direction.crossover) {
        crossover = {{"factor", number(direction.crossover->factor)},
                     {"tied_now", direction.crossover->tied},
                     {"to", recommendation(direction.crossover->to)}};
    }
    return {{"looked", direction.looked}, {"flip", crossover}};
}

std::string_view word(search::ParameterKind kind) {
    return kind == search::ParameterKind::machine    ? "machine"
           : kind == search::ParameterKind::software ? "software"
                                                     : "job";
}

}  // namespace

Json explanation_json(const search::Explanation& explanation) {
    Json parameters = Json::array();
    for (const search::Sensitivity& sensitivity : explanation.parameters) {
        const search::Parameter& parameter = sensitivity.parameter;
        const Figure now = figure_of(parameter.now);
        parameters.push_back({{"key", parameter.key},
                              {"name", parameter.name},
                              {"of", word(parameter.kind)},
                              {"now", now.value},
                              {"unit", now.unit},
                              {"elasticity", number(sensitivity.elasticity)},
                              {"least", number(parameter.least)},
                              {"most", number(parameter.most)},
                              {"less", direction(sensitivity.less)},
                              {"more", direction(sensitivity.more)}});
    }
    return {{"parameters", parameters},
            {"memory",
             {{"left_bytes", number(explanation.memory.left.in(unit::byte))},
              {"looked", explanation.memory.looked},
              {"without", recommendation(explanation.memory.without)}}},
            {"flips", explanation.flips},
            {"complete", explanation.complete},
            {"searches", explanation.searches},
            {"unmoved", explanation.unmoved}};
}

}  // namespace dodona::reports
