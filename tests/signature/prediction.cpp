#include "prediction.hpp"

#include "cost/error_source.hpp"

namespace dodona::signature {

namespace {

double us(Seconds time) { return 1e6 * time.in(unit::second); }
double bytes(Bytes size) { return size.in(unit::byte); }

void add_time(Records& records, const step::Prediction& p) {
    records.add("step", us(p.step.value));
    records.add("interval: low", us(p.step.lo));
    records.add("interval: high", us(p.step.hi));
    records.add("arithmetic: mfu", p.mfu);
    records.add("arithmetic: hfu", p.hfu);
    records.add("throughput: samples", p.samples_per_second);
    if (p.tokens_per_second) {
        records.add("throughput: tokens", *p.tokens_per_second);
    }
    if (p.epoch) {
        records.add("epoch: steps", p.epoch->iterations);
        records.add("epoch: compute", p.epoch->compute.in(unit::second));
        records.add("epoch: communication", p.epoch->communication.in(unit::second));
        records.add("epoch: total", p.epoch->total.in(unit::second));
    }
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const auto part = static_cast<step::TimePart>(i);
        if (p.time[part] != Seconds{} || p.busy[part] != Seconds{}) {
            records.add(fmt::format("time of {}: exposed", name(part)), us(p.time[part]));
            records.add(fmt::format("time of {}: busy", name(part)), us(p.busy[part]));
        }
    }
}

void add_memory(Records& records, const step::Prediction& p) {
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        const auto part = static_cast<step::MemoryPart>(i);
        if (p.memory[part] != Bytes{}) {
            records.add(fmt::format("memory of {}", name(part)), bytes(p.memory[part]));
        }
    }
    records.add("memory: reserved", bytes(p.totals.reserved));
    records.add("memory: most", bytes(p.most_memory));
    if (p.host) {
        records.add("host memory: needed", bytes(p.host->memory));
        records.add("host memory: in", bytes(p.host->in));
        records.add("host memory: out", bytes(p.host->out));
    }
}

void add_layout(Records& records, const step::Prediction& p) {
    records.add("layout: micro-batches", fmt::to_string(p.microbatches));
    records.add("layout: data ranks", fmt::to_string(p.data_ranks));
    records.add("layout: critical stage", fmt::to_string(p.critical_stage));
    records.add("layout: fullest stage", fmt::to_string(p.fullest_stage));
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
        const step::StagePrediction& stage = p.stages[i];
        records.add(fmt::format("layout: layers of stage {}", i), stage.layers);
        records.add(fmt::format("time of stages: {}", i), us(stage.time));
        records.add(fmt::format("memory of stages: {}", i), bytes(stage.memory.process));
    }
    for (const step::DeviceUse& use : p.devices) {
        records.add(fmt::format("layout: ranks of {}", use.device), fmt::to_string(use.ranks));
    }
    for (std::size_t i = 0; i < p.replicas.size(); ++i) {
        const step::ReplicaPrediction& replica = p.replicas[i];
        records.add(fmt::format("layout: replicas {}", i),
                    fmt::format("{} x {}, {} data ranks, {} micro-batches", replica.count,
                                fmt::join(replica.devices, ", "), replica.data_ranks, replica.microbatches));
        records.add(fmt::format("time of replicas: {}", i), us(replica.time));
    }
}

void add_communication(Records& records, const step::Prediction& p) {
    for (const step::CommunicationLine& line : p.communication) {
        const std::string which =
            fmt::format("collective {}: {} of {}", name(line.collective), step::text(line), line.ranks);
        records.add(which + ", a step", line.per_step);
        records.add(which + ", size", bytes(line.size));
        records.add(which + ", sent", bytes(line.sent));
        records.add(which + ", time", us(line.time));
        records.add(which + ", contention", line.contention);
        records.add(which + ", algorithm", name(line.algorithm));
    }
}

void add_reasons(Records& records, const step::Prediction& p) {
    for (std::size_t k = 0; k < p.uncertainty.sources.size(); ++k) {
        const step::SourceError& source = p.uncertainty.sources[k];
        if (source.share != 0) {
            const std::string which = fmt::format("sources of error: {}", cost::kErrorSources[k].word);
            records.add(which + ", share", source.share);
            records.add(which + ", below", source.below);
            records.add(which + ", above", source.above);
        }
    }
    for (const step::Bottleneck& bottleneck : p.bottlenecks) {
        records.add(fmt::format("bottleneck: {}, share", name(bottleneck.kind)), bottleneck.share);
        records.add(fmt::format("bottleneck: {}", name(bottleneck.kind)), bottleneck.text);
    }
    for (const step::SourceLine& line : p.provenance) {
        records.add("evidence", text(line));
    }
}

}  // namespace

void add(Records& records, const step::Prediction& p) {
    records.add("fits", p.why_not ? text(*p.why_not) : "yes");
    if (p.runs) {
        add_time(records, p);
        add_memory(records, p);
        add_layout(records, p);
        add_communication(records, p);
        add_reasons(records, p);
    }
    for (const plan::Limit& limit : p.limits) {
        records.add("limit", text(limit));
    }
}

}  // namespace dodona::signature
