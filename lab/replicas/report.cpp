#include <fmt/format.h>

#include "lab/replicas/command.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::calibrate {

using namespace reports;

namespace {

constexpr double kMaxRounding = 1e-5;  // of sums in fp32, over the largest of them

std::string agreement_text(const Outcome& outcome) {
    return outcome.equal ? "all workers end with the same bits"
                         : fmt::format("weights are {} from their mean", three_digits(outcome.distance));
}

std::string account_text(const Outcome& outcome) {
    const std::string kept = outcome.kept == 0     ? ""
                             : outcome.always_kept ? fmt::format("; {} elements in every message", outcome.kept)
                                                   : fmt::format("; at most {} elements in a message", outcome.kept);
    if (outcome.imbalance > kMaxRounding) {
        return fmt::format("{} of the payloads is lost{}", percent(outcome.unsent), kept);
    }
    return "what was sent and what is left are the payloads" + kept;
}

double off(const Outcome& outcome) { return outcome.predicted->step / outcome.step - 1; }

void add_prediction(const Outcome& outcome, std::vector<KeyFigure>& figures) {
    if (outcome.predicted) {
        figures.push_back({.label = outcome.predicted->is_bound ? "at least" : "predicted",
                           .value = outcome.predicted->step,
                           .note = fmt::format("{} against measured", signed_percent(off(outcome)))});
    }
}

Record prediction_record(const Outcome& outcome) {
    if (!outcome.predicted) {
        return {};
    }
    const exchange::ExchangeCost& cost = *outcome.predicted;
    return {{"step_s", cost.step},
            {"exchange_s", cost.one},
            {"compression_s", cost.compression},
            {"is_bound", cost.is_bound},
            {"sent", cost.sent},
            {"staleness", cost.staleness.mean},
            {"most_stale", cost.staleness.most},
            {"off", off(outcome)}};
}

}  // namespace

Document outcome_document(const TrainingSettings& settings, const Outcome& outcome) {
    Document document;
    const exchange::Exchange& exchange = settings.exchange;
    add(document,
        Headline{fmt::format("{}: {} a step on {} workers{}", exchange.name, text(outcome.step), outcome.workers,
                             outcome.servers > 0 ? fmt::format(" and {} servers", outcome.servers) : "")});
    std::vector<KeyFigure> figures{
        {.label = "step time", .value = outcome.step, .note = "measured: mean after the first quarter"}};
    add_prediction(outcome, figures);
    figures.push_back({.label = "compute", .value = outcome.compute, .note = "of a worker, in a step"});
    figures.push_back(
        {.label = "loss",
         .value = fmt::format("{} to {}", three_digits(outcome.first_loss), three_digits(outcome.last_loss)),
         .note = fmt::format("of the first worker, in {} steps", settings.steps)});
    figures.push_back({.label = "agreement", .value = agreement_text(outcome), .note = {}});
    if (exchange.compression.kind != exchange::CompressionKind::none) {
        figures.push_back({.label = "compression", .value = account_text(outcome), .note = {}});
    }
    if (outcome.staleness) {
        figures.push_back({.label = "staleness",
                           .value = fmt::format("{} updates", three_digits(*outcome.staleness)),
                           .note = fmt::format("at most {}", three_digits(*outcome.most_stale))});
    }
    if (outcome.lead > 0) {
        figures.push_back({.label = "lead", .value = fmt::format("{} steps", outcome.lead), .note = "at most"});
    }
    add(document, KeyFigures{figures});
    document.record = {{"schema", "dodona/exchange-run/1"},
                       {"exchange", exchange.name},
                       {"workers", outcome.workers},
                       {"servers", outcome.servers},
                       {"elements", outcome.elements},
                       {"steps", settings.steps},
                       {"period", exchange.period},
                       {"step_s", outcome.step},
                       {"compute_s", outcome.compute},
                       {"first_loss", outcome.first_loss},
                       {"last_loss", outcome.last_loss},
                       {"digest", outcome.digest},
                       {"equal", outcome.equal},
                       {"distance", outcome.distance},
                       {"distances", outcome.distances},
                       {"imbalance", outcome.imbalance},
                       {"unsent", outcome.unsent},
                       {"misapplied", outcome.misapplied},
                       {"kept", outcome.kept},
                       {"always_kept", outcome.always_kept},
                       {"staleness", outcome.staleness},
                       {"most_stale", outcome.most_stale},
                       {"lead", outcome.lead},
                       {"predicted", prediction_record(outcome)}};
    return document;
}

}  // namespace dodona::calibrate
