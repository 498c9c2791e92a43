#include "reports/json/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "reports/words.hpp"

namespace dodona::reports {

namespace {

Json seconds(Seconds time) { return number(time.in(unit::second)); }
Json bytes(Bytes size) { return number(size.in(unit::byte)); }

Json times(const step::TimeParts& parts) {
    Json result = Json::object();
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        result[std::string(step::name(static_cast<step::TimePart>(i)))] = seconds(parts.values[i]);
    }
    return result;
}

Json totals(const step::MemoryTotals& memory) {
    return {{"allocated", bytes(memory.allocated)},
            {"reserved", bytes(memory.reserved)},
            {"process", bytes(memory.process)}};
}

Json memory(const step::MemoryParts& parts) {
    Json result{{"total", bytes(parts.total())}, {"kind", "process"}};
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        result[std::string(step::name(static_cast<step::MemoryPart>(i)))] = bytes(parts.values[i]);
    }
    return result;
}

/// What the user decided.
void add_decisions(Json& p, const plan::Plan& plan) {
    p["strategy"] = plan.strategy.name;
    p["mesh"] = Json::object();
    p["placement"] = Json::array();
    for (const plan::MeshAxis& axis : plan.mesh) {
        p["mesh"][axis.name] = axis.size;
        p["placement"].push_back(axis.name);
    }
    p["fold"] = nullptr;
    for (const plan::Fold& fold : plan.folds) {
        p["fold"][fold.name] = {{"of", fold.of}, {"size", fold.size}};
    }
    p["precision"] = name(plan.precision);
    p["gradient_precision"] = plan.gradient_precision ? Json(name(*plan.gradient_precision)) : Json(nullptr);
    p["optimizer"] = plan::name(plan.optimizer);
    p["batch"] = plan.batch;
    p["microbatch"] = plan.microbatch;
}

void add_schedule(Json& p, const step::Prediction& prediction) {
    const plan::Plan& plan = prediction.plan;
    p["microbatches"] = prediction.microbatches;
    p["data_ranks"] = prediction.data_ranks;
    p["schedule"] = plan::name(plan.schedule);
    p["chunks"] = plan.chunks;
    p["recompute"] = recompute_word(plan);
    p["shard"] = plan::name(plan.shard);
    p["shard_group"] = plan.shard_group > 0 ? Json(plan.shard_group) : Json(nullptr);
    p["keep_parameters"] = plan.keep_parameters;
    p["overlap"] = {{"gradients", plan.overlap.gradients}, {"parameters", plan.overlap.parameters},
                    {"tensor", plan.overlap.tensor},       {"pipeline", plan.overlap.pipeline},
                    {"expert", plan.overlap.expert},       {"offload", plan.overlap.offload}};
    p["offload"] = {{"optimizer", plan.offload.optimizer},
                    {"activations", plan.offload.activations},
                    {"weights", plan.offload.weights}};
    p["algorithm"] = plan.algorithm ? Json(cluster::name(*plan.algorithm)) : Json(nullptr);
    p["framework"] = plan.framework.name.empty() ? Json(nullptr) : Json(plan.framework.name);
}

/// Standard deviations of what the interval is made of, and what observed steps moved.
void add_uncertainty(Json& p, const step::Prediction& prediction) {
    Json sources = Json::array();
    for (std::size_t k = 0; k < prediction.uncertainty.sources.size(); ++k) {
        const step::SourceError& source = prediction.uncertainty.sources[k];
        if (source.share != 0) {
            sources.push_back({{"source", cost::kErrorSources[k].word},
                               {"share", number(source.share)},
                               {"below", number(source.below)},
                               {"above", number(source.above)}});
        }
    }
    p["uncertainty"] = {{"spread", number(prediction.uncertainty.spread)}, {"sources", sources}};
    p["observed"] = nullptr;
    const plan::Framework& framework = prediction.plan.framework;
    if (framework.observed) {
        Json moved = Json::array();
        for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
            const double before = framework.observed->from[static_cast<std::size_t>(kind.parameter)];
            if (framework[kind.parameter] != before) {
                moved.push_back({{"parameter", kind.word},
                                 {"unit", kind.is_time ? Json("s") : Json(nullptr)},
                                 {"before", number(before)},
                                 {"after", number(framework[kind.parameter])}});
            }
        }
        const Estimate without = step::interval(prediction.uncertainty, prediction.step.value, plan::Framework{});
        p["observed"] = {{"runs", framework.observed->runs},
                         {"missed_before", number(std::expm1(framework.observed->missed_before))},
                         {"missed_after", number(std::expm1(framework.observed->missed_after))},
                         {"lo_without", seconds(without.lo)},
                         {"hi_without", seconds(without.hi)},
                         {"moved", moved}};
    }
}

void add_figures(Json& p, const step::Prediction& prediction) {
    p["step_time_s"] = {{"value", seconds(prediction.step.value)},
                        {"lo", seconds(prediction.step.lo)},
                        {"hi", seconds(prediction.step.hi)},
                        {"level", kIntervalLevel}};
    p["samples_per_s"] = number(prediction.samples_per_second);
    p["tokens_per_s"] = prediction.tokens_per_second ? number(*prediction.tokens_per_second) : Json(nullptr);
    p["mfu"] = number(prediction.mfu);
    p["hfu"] = number(prediction.hfu);
    p["time_s"] = times(prediction.time);
    p["busy_s"] = times(prediction.busy);
    p["memory_bytes"] = memory(prediction.memory);
    p["memory_totals_bytes"] = totals(prediction.totals);
    p["memory_limit_bytes"] = bytes(prediction.memory_limit);
    p["host"] = nullptr;
    if (prediction.host) {
        p["host"] = {{"memory_bytes", bytes(prediction.host->memory)},
                     {"memory_limit_bytes", bytes(prediction.host->limit)},
                     {"to_device_bytes", bytes(prediction.host->in)},
                     {"from_device_bytes", bytes(prediction.host->out)}};
    }
}

void add_lists(Json& p, const step::Prediction& prediction) {
    p["stages"] = Json::array();
    for (const step::StagePrediction& stage : prediction.stages) {
        p["stages"].push_back({{"layers", stage.layers},
                               {"device", stage.device},
                               {"memory_bytes", bytes(stage.memory.process)},
                               {"memory_totals_bytes", totals(stage.memory)},
                               {"time_s", seconds(stage.time)}});
    }
    if (!prediction.replicas.empty()) {
        p["replicas"] = Json::array();
        for (const step::ReplicaPrediction& replica : prediction.replicas) {
            p["replicas"].push_back({{"devices", replica.devices},
                                     {"count", replica.count},
                                     {"data_ranks", replica.data_ranks},
                                     {"microbatches", replica.microbatches},
                                     {"time_s", seconds(replica.time)}});
        }
    }
    p["critical_stage"] = prediction.critical_stage;
    p["fullest_stage"] = prediction.fullest_stage;
    p["limits"] = Json::array();
    for (const step::Limit& limit : prediction.limits) {
        p["limits"].push_back({{"text", text(limit)}, {"broken", limit.broken()}});
    }
    p["bottlenecks"] = Json::array();
    for (const step::Bottleneck& bottleneck : prediction.bottlenecks) {
        p["bottlenecks"].push_back(bottleneck_json(bottleneck));
    }
    p["communication"] = Json::array();
    for (const step::CommunicationLine& line : prediction.communication) {
        p["communication"].push_back({{"what", text(line)},
                                      {"collective", name(line.collective)},
                                      {"algorithm", name(line.algorithm)},
                                      {"axes", line.axes},
                                      {"ranks", line.ranks},
                                      {"per_step", number(line.per_step)},
                                      {"size_bytes", bytes(line.size)},
                                      {"sent_bytes", bytes(line.sent)},
                                      {"time_s", seconds(line.time)},
                                      {"contention", number(line.contention)}});
    }
    p["provenance"] = Json::array();
    for (const step::SourceLine& line : prediction.provenance) {
        p["provenance"].push_back(text(line));
    }
}

}  // namespace

Json number(double value) {
    constexpr double kExact = 0x1p53;
    if (!std::isfinite(value)) {
        return nullptr;
    }
    if (std::abs(value) <= kExact && value == std::floor(value)) {
        return static_cast<std::int64_t>(value);
    }
    return value;
}

Json bottleneck_json(const step::Bottleneck& bottleneck) {
    const step::BottleneckRow& kind = step::row_of(bottleneck.kind);
    return {{"kind", kind.name},
            {"category", kind.category},
            {"inherent", kind.inherent},
            {"share", number(bottleneck.share)},
            {"threshold", number(kind.threshold)},
            {"evidence", kind.evidence},
            {"text", bottleneck.text}};
}

Json plan_json(const step::Prediction& prediction, std::optional<std::int64_t> rank) {
    Json p{{"rank", rank ? Json(*rank) : Json(nullptr)},
           {"fits", prediction.fits},
           {"why_not", prediction.why_not ? Json(text(*prediction.why_not)) : Json(nullptr)}};
    add_decisions(p, prediction.plan);
    add_schedule(p, prediction);
    add_figures(p, prediction);
    add_uncertainty(p, prediction);
    add_lists(p, prediction);
    return p;
}

Json prediction_json(const step::Prediction& prediction) {
    Json document{{"schema", "dodona/predict/1"}, {"plan", plan_json(prediction, std::nullopt)}, {"epoch", nullptr}};
    if (prediction.epoch) {
        document["epoch"] = {{"iterations", number(prediction.epoch->iterations)},
                             {"compute_s", seconds(prediction.epoch->compute)},
                             {"communication_s", seconds(prediction.epoch->communication)},
                             {"total_s", seconds(prediction.epoch->total)}};
    }
    return document;
}

std::string printed(const Json& document) {
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dodona::reports
