#include "reports/collect/exchange_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "files/exchange_file.hpp"
#include "reports/collect/described_record.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

using exchange::CompressionKind;
using exchange::Exchange;
using exchange::ExchangeCost;
using exchange::ReplicaExchange;
using exchange::Scheduling;

std::string scheduling_text(const Exchange& exchange) {
    std::string text(name(exchange.scheduling));
    if (exchange.scheduling == Scheduling::bounded) {
        text += fmt::format(" by {}", counted(exchange.bound, "step"));
    }
    if (exchange.period > 1) {
        text += fmt::format(", every {} steps", exchange.period);
    }
    return exchange.best_worker
               ? fmt::format("{}, the best worker's weights every {} steps", text, *exchange.best_worker)
               : text;
}

std::string compression_text(const Exchange& exchange) {
    const exchange::Compression& how = exchange.compression;
    if (how.kind == CompressionKind::none) {
        return "none";
    }
    if (how.kind == CompressionKind::top_k) {
        return fmt::format("top-k {} %, {}", three_digits(100 * how.density), name(how.scheme));
    }
    return fmt::format("{}, blocks of {}", name(how.kind), how.block);
}

std::string endpoints_text(const exchange::Endpoints& endpoints) {
    const std::string cores = endpoints.cores
                                  ? counted(*endpoints.cores, "core")
                                  : fmt::format("the best number of up to {}", counted(endpoints.most, "core"));
    return fmt::format("{}, {} each", cores, text(endpoints.rate));
}

std::string pattern_text(const Exchange& exchange) {
    std::string text(name(exchange.pattern));
    if (exchange.servers) {
        text += fmt::format(", {}", counted(*exchange.servers, "server"));
    }
    if (exchange.rows) {
        text += fmt::format(" of {}", counted(*exchange.rows, "row"));
    }
    return exchange.algorithm ? fmt::format("{} by {}", text, cluster::name(*exchange.algorithm)) : text;
}

Record exchange_record(const Exchange& exchange) {
    return {{"schema", "dodona/exchange/1"},
            {"name", exchange.name},
            {"summary", exchange.summary},
            {"pattern", name(exchange.pattern)},
            {"scheduling", name(exchange.scheduling)},
            {"period", exchange.period},
            {"sends", name(exchange.sends)},
            {"outer", name(exchange.outer)},
            {"compression", name(exchange.compression.kind)},
            {"source", exchange.source}};
}

std::string staleness_text(const exchange::Staleness& staleness) {
    if (!staleness.mean) {
        return "of no common copy: see agreement";
    }
    if (*staleness.mean <= 0) {
        return "none";
    }
    const std::string most = staleness.most ? fmt::format(", at most {}", whole(*staleness.most)) : ", without bound";
    return counted(*staleness.mean, "update") + most;
}

Cell staleness_cell(const exchange::Staleness& staleness) {
    if (!staleness.mean) {
        return {};
    }
    return *staleness.mean > 0 ? Cell(Number{*staleness.mean}) : Cell("none");
}

std::string spread_text(const exchange::Spread& spread) {
    return spread.second_eigenvalue <= 0
               ? fmt::format("after {} all have the same", counted(spread.diameter, "exchange"))
               : fmt::format("{} from one to all; second eigenvalue {:.5f}, {} to 1 %",
                             counted(std::round(spread.diameter), "exchange"), spread.second_eigenvalue,
                             counted(std::ceil(spread.exchanges_to_mix(0.01)), "exchange"));
}

std::string step_note(const ReplicaExchange& made) {
    return made.cost.is_bound ? "at least; `dodona simulate --exchange` plays it" : "";
}

KeyFigures answer_figures(const ExchangeAnswer& answer, const ReplicaExchange& made) {
    const ExchangeCost& cost = made.cost;
    const exchange::Workers& workers = made.workers;
    std::vector<KeyFigure> figures{
        {.label = "step time", .value = made.step, .note = step_note(made)},
        {.label = "own exchange",
         .value = answer.prediction.step,
         .note = fmt::format("with the plan's all-reduce, of which {} shows", text(answer.own.own_exposed))},
        {.label = "throughput", .value = Rate{made.samples_per_second, "samples"}, .note = {}},
        {.label = "exposed",
         .value = cost.exposed,
         .note = fmt::format("a step; one exchange takes {}, compute {}", text(cost.one), text(cost.compute))},
        {.label = "sent",
         .value = cost.sent,
         .note = fmt::format("by a worker in a step; gradients have {}", text(answer.own.work.gradients.bytes))},
        {.label = "workers",
         .value = Count{workers.count},
         .note = fmt::format("{} a node, which share {}", workers.per_node, text(workers.outermost().bandwidth))},
        {.label = "staleness", .value = staleness_text(cost.staleness), .note = {}},
        {.label = "agreement", .value = spread_text(cost.spread), .note = {}}};
    if (cost.compression > Seconds{}) {
        figures.push_back({.label = "compression",
                           .value = cost.compression,
                           .note = made.compression_measured ? "in kernels, as measured"
                                                             : "in kernels, at the bandwidth of device memory"});
    }
    if (made.exchange.best_worker) {
        figures.push_back({.label = "best worker",
                           .value = cost.best_worker,
                           .note = fmt::format("to all, every {} steps", *made.exchange.best_worker)});
    }
    if (made.endpoints) {
        figures.push_back({.label = "endpoints",
                           .value = Count{*made.endpoints},
                           .note = made.exchange.endpoints->cores
                                       ? "cores of each worker that only send and receive"
                                       : "cores of each worker that only send and receive: the step is shortest"});
    }
    if (cost.pattern.server > Bytes{}) {
        figures.push_back(
            {.label = "a server",
             .value = cost.pattern.server,
             .note = fmt::format("comes in and goes out in an exchange of all{}",
                                 cost.servers_to_hide ? fmt::format("; {} would hide their traffic",
                                                                    counted(*cost.servers_to_hide, "server"))
                                                      : "")});
    }
    return {figures};
}

Table answer_table(const ExchangeAnswer& answer) {
    Table table({{"exchange"},
                 {"step", Align::right},
                 {"against own", Align::right},
                 {"exposed", Align::right},
                 {"sent a step", Align::right},
                 {"staleness"},
                 {"eigenvalue", Align::right}});
    for (const ReplicaExchange& made : answer.exchanges) {
        const ExchangeCost& cost = made.cost;
        table.row({made.exchange.name, fmt::format("{}{}", cost.is_bound ? ">= " : "", text(cost.step)),
                   Percent{cost.step / answer.prediction.step.value - 1, true}, cost.exposed, cost.sent,
                   staleness_cell(cost.staleness),
                   cost.spread.second_eigenvalue > 0 ? Cell(fmt::format("{:.5f}", cost.spread.second_eigenvalue))
                                                     : Cell("0")});
    }
    return table;
}

std::string headline(const Subject& subject, const ExchangeAnswer& answer) {
    const ReplicaExchange& first = answer.exchanges.front();
    return fmt::format("{} on {} GPUs of {}: {} {} a step with {}", subject.model, answer.prediction.plan.devices(),
                       subject.machine, first.cost.is_bound ? "at least" : "predicted", text(first.cost.step),
                       first.exchange.name);
}

}  // namespace

std::string statistical_note() {
    return "how many more steps stale, sparse or rarely averaged replicas need is not predicted: times are of a step, "
           "not to an accuracy";
}

Document exchange_document(const Exchange& exchange) {
    Document document;
    set_record(document, exchange_record(exchange), exchange);
    add(document, Headline{exchange.name});
    add(document, Paragraph{exchange.summary});
    KeyFigures all{{{.label = "pattern", .value = pattern_text(exchange), .note = {}},
                    {.label = "scheduling", .value = scheduling_text(exchange), .note = {}},
                    {.label = "sends", .value = std::string(name(exchange.sends)), .note = {}},
                    {.label = "weights",
                     .value = std::string(name(exchange.outer)),
                     .note = fmt::format("({})", enumerator_of(exchange.outer).meaning)},
                    {.label = "compression", .value = compression_text(exchange), .note = {}}}};
    if (exchange.endpoints) {
        all.figures.push_back({.label = "endpoints", .value = endpoints_text(*exchange.endpoints), .note = {}});
    }
    all.figures.push_back({.label = "source", .value = exchange.source, .note = {}});
    add(document, std::move(all));
    return document;
}

std::string exchange_facts(const Exchange& exchange) {
    return fmt::format("{} {} {} {} {}", exchange.name, name(exchange.pattern), name(exchange.scheduling),
                       compression_text(exchange), exchange.summary);
}

Document exchanges_document(const std::vector<Exchange>& exchanges) {
    Document document;
    Table table({{"exchange"}, {"pattern"}, {"scheduling"}, {"what happens"}});
    std::vector<Record>& rows = document.rows.emplace();
    for (const Exchange& exchange : exchanges) {
        table.row({exchange.name, pattern_text(exchange), scheduling_text(exchange), exchange.summary});
        rows.push_back(exchange_record(exchange));
    }
    document.record = {{"schema", "dodona/exchanges/1"}, {"exchanges", rows}};
    add(document, std::move(table));
    return document;
}

Document exchange_answer_document(const Subject& subject, const ExchangeAnswer& answer) {
    Document document;
    set_asked(document, subject.model, subject.machine, answer.prediction.plan.devices());
    add(document, Headline{headline(subject, answer)});
    add(document, Paragraph{plan_text(answer.prediction)});
    if (answer.exchanges.size() == 1) {
        add(document, answer_figures(answer, answer.exchanges.front()));
    } else {
        add(document, answer_table(answer));
        add(document, Note{fmt::format("own: the plan's all-reduce, {} a step, of which {} shows",
                                       text(answer.prediction.step.value), text(answer.own.own_exposed))});
    }
    const bool all_equal = all_of(answer.exchanges, [](const ReplicaExchange& made) {
        return made.exchange.keeps_replicas_equal() && made.exchange.compression.kind == CompressionKind::none;
    });
    if (!all_equal) {
        add(document, Note{statistical_note()});
    }
    return document;
}

Document played_exchange_document(const Subject& subject, const PlayedAnswer& answer) {
    const exchange::PlayedExchange& played = answer.played;
    const ExchangeCost& cost = answer.made.cost;
    Document document;
    document.record = {{"schema", "dodona/played-exchange/1"},
                       {"exchange", answer.made.exchange.name},
                       {"steps", played.steps},
                       {"step_time_s", played.step},
                       {"slowest_step_time_s", played.slowest},
                       {"waiting", played.waiting},
                       {"staleness_updates", played.has_servers ? Record(played.staleness) : Record()},
                       {"most_stale_updates", played.has_servers ? Record(played.most_stale) : Record()},
                       {"lead_steps", played.lead},
                       {"servers_on_workers", played.servers_on_workers},
                       {"closed_form", described_record(answer.made)}};
    document.rows = {document.record};
    set_asked(document, subject.model, subject.machine, answer.prediction.plan.devices());
    add(document, Headline{fmt::format("{} on {} GPUs of {}: {} a step with {}, played", subject.model,
                                       answer.prediction.plan.devices(), subject.machine, text(played.step),
                                       answer.made.exchange.name)});
    add(document, Paragraph{plan_text(answer.prediction)});
    KeyFigures all{
        {{.label = "step time",
          .value = played.step,
          .note =
              fmt::format("mean of {} of {}; closed form {}{}", counted(played.steps, "step"),
                          counted(answer.made.workers.count, "worker"), cost.is_bound ? ">= " : "", text(cost.step))},
         {.label = "slowest", .value = played.slowest, .note = "of a worker, on average"},
         {.label = "waiting", .value = Percent{played.waiting}, .note = "of the time workers do not compute"},
         {.label = "lead",
          .value = counted(played.lead, "step"),
          .note = "that the fastest worker was ahead of the slowest"}}};
    if (played.has_servers) {
        all.figures.push_back({.label = "staleness",
                               .value = counted(std::round(10 * played.staleness) / 10, "update"),
                               .note = fmt::format("on average, at most {}; closed form {}", whole(played.most_stale),
                                                   staleness_text(cost.staleness))});
    }
    add(document, std::move(all));
    if (played.servers_on_workers) {
        add(document, Note{"servers are on the devices of workers"});
    }
    add(document, Note{statistical_note()});
    return document;
}

void add_plan_exchanges(Document& document, const std::string& exchange, const std::vector<step::Prediction>& plans,
                        const std::vector<std::optional<exchange::ReplicaExchange>>& made) {
    Table table({{"#", Align::right},
                 {"strategy, mesh"},
                 {"own exchange", Align::right},
                 {exchange, Align::right},
                 {"change", Align::right}});
    Seconds fastest;
    std::size_t fastest_rank = 0;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const Seconds own = plans[i].step.value;
        const Seconds step = made[i] ? made[i]->cost.step : own;
        table.row({Count{static_cast<std::int64_t>(i + 1)}, strategy_and_mesh(plans[i].plan), own,
                   made[i] ? Cell(step) : Cell("as it is"), made[i] ? Cell(Percent{step / own - 1, true}) : Cell()});
        if (fastest_rank == 0 || step < fastest) {
            fastest = step;
            fastest_rank = i + 1;
        }
    }
    add_section(
        document, {fmt::format("With {}", exchange)},
        {std::move(table),
         Note{fmt::format("with {} No. {} is fastest of these; the search ranks by the plans' own exchange, and "
                          "plans that shard states over all replicas have none to replace",
                          exchange, fastest_rank)},
         Note{statistical_note()}});
}

}  // namespace dodona::reports
