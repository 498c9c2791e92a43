#include <fmt/format.h>

#include "questions/cache/cache.hpp"
#include "questions/described.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::cache {

namespace {

using namespace reports;

std::string read_from(const Epoch& epoch) {
    std::string text;
    for (const TierRead& read : epoch.tiers) {
        text += text.empty() ? "" : ", ";
        text += read.share < 1 ? fmt::format("{} {}", read.tier, percent(read.share)) : read.tier;
    }
    return text;
}

Table epoch_table(const Answer& answer) {
    Table table({{"epoch", Align::right},
                 {"samples from"},
                 {"reading", Align::right},
                 {"decoding", Align::right},
                 {"exposed", Align::right},
                 {"step", Align::right},
                 {"epoch takes", Align::right}});
    for (const Epoch& epoch : answer.epochs) {
        const step::EpochInput& input = epoch.input;
        table.row({Count{epoch.number}, read_from(epoch), input.reading, input.decoding, input.exposed, input.step,
                   Duration{input.time}});
    }
    return table;
}

Table tier_table(const Answer& answer) {
    Table table({{"tier"}, {"of each node", Align::right}, {"a node reads", Align::right}, {"samples are"}});
    for (const cluster::SampleTier& tier : answer.question.tiers) {
        table.row({tier.name, tier.memory ? Cell(*tier.memory) : Cell("all"), tier.bandwidth,
                   tier.decoded ? fmt::format("tensors of {}", text(answer.decoded))
                                : fmt::format("as stored, {}", text(answer.question.sample))});
    }
    return table;
}

/// What the last epoch shows waits for.
std::string verdict(const step::EpochInput& first, const step::EpochInput& last) {
    if (last.exposed <= Seconds{} && first.exposed <= Seconds{}) {
        return "reading and decoding hide behind the step in every epoch";
    }
    if (last.exposed < first.exposed) {
        return fmt::format("input that shows falls from {} to {} a step: the first epoch is {} longer than the last",
                           text(first.exposed), text(last.exposed), percent(first.time / last.time - 1));
    }
    return fmt::format("input shows with {} in every step: {} longer than it", text(last.exposed),
                       last.reading > last.decoding ? "reading takes" : "decoding takes");
}

}  // namespace

Document document(const Answer& answer) {
    const auto& [model, machine] = answer.question.one.workload.subject;
    const std::int64_t devices = answer.prediction.plan.devices();
    const double samples = answer.question.samples;
    const Bytes sample = answer.question.sample;
    const double nodes = static_cast<double>(answer.nodes);
    const step::EpochInput& first = answer.epochs.front().input;
    const step::EpochInput& last = answer.epochs.back().input;
    Document document = answer_document(answer);
    set_asked(document, model, machine, devices);
    add(document, Headline{fmt::format("{} on {} of {}: input of a step takes {} in epoch 1, {} in epoch {}", model,
                                       counted(devices, "GPU"), machine, text(first.input()), text(last.input()),
                                       answer.epochs.size())});
    add(document, Paragraph{plan_text(answer.prediction)});
    add(document, KeyFigures{{{.label = "data set",
                               .value = samples * sample,
                               .note = fmt::format("{} samples of {}, {} on each of {}", large(samples), text(sample),
                                                   text(samples / nodes * sample), counted(answer.nodes, "node"))},
                              {.label = "step", .value = answer.step, .note = "without input"}}});
    add(document, epoch_table(answer));
    add_section(document, {"Where samples are"}, {tier_table(answer)});
    add(document, List{{verdict(first, last)}});
    add(document,
        Note{answer.prefetched ? "reading hides behind the step before: only what is longer shows"
                               : "nothing is read ahead (storage: prefetch: false): all of the reading shows"});
    add(document, Note{"each node keeps its own part of the data set; what filling the caches takes is not predicted"});
    return document;
}

}  // namespace dodona::questions::cache
