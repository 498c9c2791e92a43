#include "reports/collect/prediction_record.hpp"

#include "reports/collect/plan_summary.hpp"

namespace dodona::reports {

namespace {

Record times(const step::TimeParts& parts) {
    Record result = no_fields();
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        result[step::name(static_cast<step::TimePart>(i))] = parts.values[i];
    }
    return result;
}

Record totals(const step::MemoryTotals& memory) {
    return {{"allocated", memory.allocated}, {"reserved", memory.reserved}, {"process", memory.process}};
}

Record memory(const step::MemoryParts& parts) {
    Record result{{"total", parts.total()}, {"kind", "process"}};
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        result[step::name(static_cast<step::MemoryPart>(i))] = parts.values[i];
    }
    return result;
}

/// What the user decided.
void add_decisions(Record& p, const plan::Plan& plan) {
    p["strategy"] = plan.strategy.name;
    p["mesh"] = no_fields();
    p["placement"] = no_elements();
    for (const plan::MeshAxis& axis : plan.mesh) {
        p["mesh"][axis.name] = axis.size;
        p["placement"].push_back(axis.name);
    }
    p["fold"] = nullptr;
    for (const plan::Fold& fold : plan.folds) {
        p["fold"][fold.name] = {{"of", fold.of}, {"size", fold.size}};
    }
    p["precision"] = name(plan.precision);
    p["gradient_precision"] = plan.gradient_precision ? Record(name(*plan.gradient_precision)) : Record();
    p["optimizer"] = plan::name(plan.optimizer);
    p["batch"] = plan.batch;
    p["microbatch"] = plan.microbatch;
}

void add_schedule(Record& p, const step::Prediction& prediction) {
    const plan::Plan& plan = prediction.plan;
    p["microbatches"] = prediction.microbatches;
    p["data_ranks"] = prediction.data_ranks;
    p["schedule"] = plan::name(plan.schedule);
    p["virtual_stages"] = plan.virtual_stages;
    p["recompute"] = recompute_name(plan);
    p["shard"] = plan::name(plan.shard);
    p["shard_group"] = plan.shard_group > 0 ? Record(plan.shard_group) : Record();
    p["keep_parameters"] = plan.keep_parameters;
    if (plan.gather_group > 0) {
        p["gather_group"] = plan.gather_group;
    }
    p["overlap"] = {{"gradients", plan.overlap.gradients}, {"parameters", plan.overlap.parameters},
                    {"tensor", plan.overlap.tensor},       {"pipeline", plan.overlap.pipeline},
                    {"expert", plan.overlap.expert},       {"offload", plan.overlap.offload}};
    p["offload"] = {{"optimizer", plan.offload.optimizer},
                    {"activations", plan.offload.activations},
                    {"weights", plan.offload.weights}};
    if (plan.offload.optimizer && plan.offload.optimizer_share < 1) {
        p["offload"]["optimizer_share"] = plan.offload.optimizer_share;
    }
    p["algorithm"] = plan.algorithm ? Record(cluster::name(*plan.algorithm)) : Record();
    p["framework"] = text_or_null(plan.framework.label());
}

Record observed_record(const step::Prediction& prediction) {
    const std::optional<ObservedChange> change = observed_change(prediction);
    if (!change) {
        return nullptr;
    }
    const Record moved = list_of(change->moved, [](const MovedParameter& one) -> Record {
        return {{"parameter", one.kind->word},
                {"unit", one.kind->is_time ? Record("s") : Record()},
                {"before", one.before},
                {"after", one.after}};
    });
    return {{"runs", change->runs},
            {"missed_before", change->missed_before},
            {"missed_after", change->missed_after},
            {"lo_without", change->without.lo},
            {"hi_without", change->without.hi},
            {"moved", moved}};
}

/// Standard deviations of what the interval is made of, and what observed steps moved.
void add_uncertainty(Record& p, const step::Prediction& prediction) {
    Record sources = no_elements();
    for (std::size_t k = 0; k < prediction.uncertainty.sources.size(); ++k) {
        const step::SourceError& source = prediction.uncertainty.sources[k];
        if (source.share != 0) {
            sources.push_back({{"source", cost::kErrorSources[k].word},
                               {"share", source.share},
                               {"below", source.below},
                               {"above", source.above}});
        }
    }
    p["uncertainty"] = {{"spread", prediction.uncertainty.spread},
                        {"between_sources", prediction.uncertainty.between_sources},
                        {"sources", sources}};
    p["observed"] = observed_record(prediction);
}

/// Of a plan that cannot run: it has no figures, and no zeros that look like some.
void add_no_figures(Record& p, const step::Prediction& prediction) {
    for (const char* figure : {"step_time_s", "samples_per_s", "tokens_per_s", "mfu", "hfu", "time_s", "busy_s",
                               "memory_bytes", "memory_totals_bytes"}) {
        p[figure] = nullptr;
    }
    p["memory_limit_bytes"] = prediction.memory_limit;
    p["host"] = nullptr;
}

void add_figures(Record& p, const step::Prediction& prediction) {
    if (!prediction.runs) {
        add_no_figures(p, prediction);
        return;
    }
    p["step_time_s"] = {{"value", prediction.step.value},
                        {"lo", prediction.step.lo},
                        {"hi", prediction.step.hi},
                        {"level", kIntervalLevel}};
    p["samples_per_s"] = prediction.samples_per_second;
    p["tokens_per_s"] = prediction.tokens_per_second;
    p["mfu"] = prediction.mfu;
    p["hfu"] = prediction.hfu;
    p["time_s"] = times(prediction.time);
    p["busy_s"] = times(prediction.busy);
    p["memory_bytes"] = memory(prediction.memory);
    p["memory_totals_bytes"] = totals(prediction.totals);
    p["memory_limit_bytes"] = prediction.memory_limit;
    p["host"] = nullptr;
    if (prediction.host) {
        p["host"] = {{"memory_bytes", prediction.host->memory},
                     {"memory_limit_bytes", prediction.host->limit},
                     {"to_device_bytes", prediction.host->in},
                     {"from_device_bytes", prediction.host->out}};
    }
}

Record stage_record(const step::StagePrediction& stage) {
    return {{"layers", stage.layers},
            {"device", stage.device},
            {"memory_bytes", stage.memory.process},
            {"memory_totals_bytes", totals(stage.memory)},
            {"time_s", stage.time}};
}

Record replica_record(const step::ReplicaPrediction& replica) {
    return {{"devices", replica.devices},
            {"count", replica.count},
            {"data_ranks", replica.data_ranks},
            {"microbatches", replica.microbatches},
            {"time_s", replica.time}};
}

Record limit_record(const step::Limit& limit) { return {{"text", text(limit)}, {"broken", limit.broken()}}; }

Record communication_record(const step::CommunicationLine& line) {
    return {{"what", text(line)},
            {"collective", name(line.collective)},
            {"algorithm", name(line.algorithm)},
            {"axes", line.axes},
            {"ranks", line.ranks},
            {"per_step", line.per_step},
            {"size_bytes", line.size},
            {"sent_bytes", line.sent},
            {"time_s", line.time},
            {"contention", line.contention}};
}

void add_lists(Record& p, const step::Prediction& prediction) {
    p["stages"] = list_of(prediction.stages, stage_record);
    if (!prediction.replicas.empty()) {
        p["replicas"] = list_of(prediction.replicas, replica_record);
    }
    p["critical_stage"] = prediction.critical_stage;
    p["fullest_stage"] = prediction.fullest_stage;
    p["limits"] = list_of(prediction.limits, limit_record);
    p["bottlenecks"] = list_of(prediction.bottlenecks, bottleneck_record);
    p["communication"] = list_of(prediction.communication, communication_record);
    p["provenance"] = list_of(prediction.provenance, [](const step::SourceLine& line) { return Record(text(line)); });
}

}  // namespace

Record bottleneck_record(const step::Bottleneck& bottleneck) {
    const step::BottleneckRow& kind = step::row_of(bottleneck.kind);
    return {{"kind", kind.name},         {"category", kind.category},   {"inherent", kind.inherent},
            {"share", bottleneck.share}, {"threshold", kind.threshold}, {"evidence", kind.evidence},
            {"text", bottleneck.text}};
}

Record plan_record(const step::Prediction& prediction, std::optional<std::int64_t> rank) {
    Record p{{"rank", rank},
             {"fits", prediction.fits},
             {"why_not", prediction.why_not ? Record(text(*prediction.why_not)) : Record()}};
    add_decisions(p, prediction.plan);
    add_schedule(p, prediction);
    add_figures(p, prediction);
    add_uncertainty(p, prediction);
    add_lists(p, prediction);
    return p;
}

Record prediction_record(const step::Prediction& prediction) {
    Record document{
        {"schema", "dodona/predict/1"}, {"plan", plan_record(prediction, std::nullopt)}, {"epoch", nullptr}};
    if (prediction.epoch) {
        document["epoch"] = {{"iterations", prediction.epoch->iterations},
                             {"compute_s", prediction.epoch->compute},
                             {"communication_s", prediction.epoch->communication},
                             {"total_s", prediction.epoch->total}};
    }
    return document;
}

}  // namespace dodona::reports
