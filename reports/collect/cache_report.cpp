#include "reports/collect/cache_report.hpp"

#include <string>

#include <fmt/format.h>

#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

using step::EpochInput;
using step::SampleCacheQuestion;

std::string read_from(const SampleCacheQuestion& question, const EpochInput& epoch) {
    std::string text;
    for (const step::TierUse& use : epoch.tiers) {
        const std::string& tier = question.tiers[use.tier].name;
        text += text.empty() ? "" : ", ";
        text += use.share < 1 ? fmt::format("{} {}", tier, percent(use.share)) : tier;
    }
    return text;
}

Table epoch_table(const SampleCacheQuestion& question, const std::vector<EpochInput>& epochs) {
    Table table({{"epoch", Align::right},
                 {"samples from"},
                 {"reading", Align::right},
                 {"decoding", Align::right},
                 {"exposed", Align::right},
                 {"step", Align::right},
                 {"epoch takes", Align::right}});
    for (std::size_t i = 0; i < epochs.size(); ++i) {
        const EpochInput& epoch = epochs[i];
        table.row({Count{i + 1}, read_from(question, epoch), epoch.reading, epoch.decoding, epoch.exposed, epoch.step,
                   Duration{epoch.time}});
    }
    return table;
}

Table tier_table(const SampleCacheQuestion& question) {
    Table table({{"tier"}, {"of each node", Align::right}, {"a node reads", Align::right}, {"samples are"}});
    for (const cluster::SampleTier& tier : question.tiers) {
        table.row({tier.name, tier.memory ? Cell(*tier.memory) : Cell("all"), tier.bandwidth,
                   tier.decoded ? fmt::format("tensors of {}", text(question.tensors))
                                : fmt::format("as stored, {}", text(question.sample))});
    }
    return table;
}

/// What the last epoch shows waits for.
std::string verdict(const std::vector<EpochInput>& epochs) {
    const EpochInput& first = epochs.front();
    const EpochInput& last = epochs.back();
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

Record epoch_record(const SampleCacheQuestion& question, const EpochInput& epoch) {
    return {
        {"input_s", epoch.input()},
        {"reading_s", epoch.reading},
        {"decoding_s", epoch.decoding},
        {"exposed_s", epoch.exposed},
        {"step_s", epoch.step},
        {"epoch_s", epoch.time},
        {"tiers", list_of(epoch.tiers, [&](const step::TierUse& use) {
             return Record{{"tier", question.tiers[use.tier].name}, {"share", use.share}, {"reading_s", use.reading}};
         })}};
}

}  // namespace

Document cache_document(const Subject& subject, const step::Prediction& prediction, const SampleCacheQuestion& question,
                        const std::vector<EpochInput>& epochs) {
    Document document;
    Record list = no_elements();
    for (std::size_t i = 0; i < epochs.size(); ++i) {
        Record record = epoch_record(question, epochs[i]);
        record["epoch"] = i + 1;
        list.push_back(record);
    }
    document.record = {{"schema", "dodona/cache/1"},
                       {"samples", question.samples},
                       {"sample_bytes", question.sample},
                       {"decoded_bytes", question.tensors},
                       {"nodes", question.nodes},
                       {"step_s", question.step},
                       {"epochs", list}};
    document.rows = std::get<Record::List>(document.record.at("epochs").of());
    set_asked(document, subject.model, subject.machine, prediction.plan.devices());
    const double nodes = static_cast<double>(question.nodes);
    add(document, Headline{fmt::format("{} on {} of {}: input of a step takes {} in epoch 1, {} in epoch {}",
                                       subject.model, counted(prediction.plan.devices(), "GPU"), subject.machine,
                                       text(epochs.front().input()), text(epochs.back().input()), epochs.size())});
    add(document, Paragraph{plan_text(prediction)});
    add(document, KeyFigures{{{.label = "data set",
                               .value = question.samples * question.sample,
                               .note = fmt::format(
                                   "{} samples of {}, {} on each of {}", large(question.samples), text(question.sample),
                                   text(question.samples / nodes * question.sample), counted(question.nodes, "node"))},
                              {.label = "step", .value = question.step, .note = "without input"}}});
    add(document, epoch_table(question, epochs));
    add_section(document, {"Where samples are"}, {tier_table(question)});
    add(document, List{{verdict(epochs)}});
    add(document,
        Note{question.input.prefetched ? "reading hides behind the step before: only what is longer shows"
                                       : "nothing is read ahead (storage: prefetch: false): all of the reading shows"});
    add(document, Note{"each node keeps its own part of the data set; what filling the caches takes is not predicted"});
    return document;
}

}  // namespace dodona::reports
