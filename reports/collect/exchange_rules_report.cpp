#include "reports/collect/exchange_rules_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "exchange/lemmas.hpp"
#include "reports/collect/exchange_report.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

using exchange::Delays;
using exchange::ExchangeCost;
using exchange::LayerGroups;

Table delay_table(const exchange::DelayQuestion& question, const std::vector<Delays>& rows) {
    std::vector<Column> columns{{"delay a step of"}};
    for (const std::int64_t workers : question.workers) {
        columns.push_back({fmt::format("{} workers", workers), Align::right});
    }
    columns.push_back({"utilisation", Align::right});
    columns.push_back({"servers to hide it", Align::right});
    Table table(std::move(columns));
    for (const Delays& row : rows) {
        std::vector<Cell> cells{row.exchange.name};
        append(cells, row.by_workers, &ExchangeCost::exposed);
        const ExchangeCost& last = row.by_workers.back();
        cells.emplace_back(Percent{last.utilisation});
        cells.push_back(last.servers_to_hide ? Cell(Count{*last.servers_to_hide}) : Cell());
        table.row(std::move(cells));
    }
    return table;
}

Record delay_record(const exchange::DelayQuestion& question, const Delays& row) {
    Record points = no_elements();
    for (std::size_t i = 0; i < question.workers.size(); ++i) {
        const ExchangeCost& cost = row.by_workers[i];
        points.push_back({{"workers", question.workers[i]},
                          {"delay_s", cost.exposed},
                          {"utilisation", cost.utilisation},
                          {"is_lower_bound", cost.is_bound},
                          {"servers_to_hide", cost.servers_to_hide},
                          {"second_eigenvalue", cost.spread.second_eigenvalue}});
    }
    return {{"exchange", row.exchange.name}, {"delays", points}};
}

std::string crossover_text(const exchange::Crossover& one) {
    return one.workers ? fmt::format("{} delays a step less than {} from {} on", one.neighbours, one.other,
                                     counted(*one.workers, "worker"))
                       : fmt::format("{} delays a step more than {} on up to {}", one.neighbours, one.other,
                                     counted(exchange::kMaxCrossover, "worker"));
}

/// What keeps the efficiency, and the next number that does not.
Table overhead_table(double overhead, double most) {
    Table table({{"GPUs", Align::right}, {"efficiency", Align::right}, {"speed-up", Align::right}});
    const double kept = std::max(1.0, std::floor(most));
    for (const double devices : {kept, kept + 1}) {
        const double efficiency = exchange::efficiency_with_overhead(overhead, devices);
        table.row({Count{static_cast<std::int64_t>(devices)}, Percent{efficiency}, Number{efficiency * devices}});
    }
    return table;
}

}  // namespace

Document delays_document(const exchange::DelayQuestion& question, const std::vector<Delays>& rows,
                         const std::vector<exchange::Crossover>& crossovers) {
    Document document;
    std::vector<Record>& records = document.rows.emplace();
    append(records, rows, [&](const Delays& row) { return delay_record(question, row); });
    document.record = {
        {"schema", "dodona/delays/1"},
        {"size_bytes", question.size},
        {"bandwidth_bytes_per_s", question.link.bandwidth},
        {"latency_s", question.link.latency},
        {"compute_s", question.compute},
        {"reduction_bytes_per_s", question.reduction},
        {"update_bytes_per_s", question.update},
        {"exchanges", records},
        {"crossovers", list_of(crossovers, [](const exchange::Crossover& one) {
             return Record{{"neighbours", one.neighbours}, {"other", one.other}, {"workers", one.workers}};
         })}};
    add(document,
        Headline{fmt::format("{} over {}, {} of compute a step: {} delays a step least", text(question.size),
                             text(question.link.bandwidth), text(question.compute), rows.front().exchange.name)});
    add(document, delay_table(question, rows));
    List crossing;
    append(crossing.items, crossovers, [](const exchange::Crossover& one) { return crossover_text(one); });
    if (!crossing.items.empty()) {
        add(document, std::move(crossing));
    }
    add(document,
        Note{"equal workers with one link each; nothing is hidden behind compute; utilisation is that of most "
             "workers"});
    const auto gibibytes = [](BytesPerSecond rate) { return rate.in(unit::byte_per_second) / 0x1p30; };
    const exchange::DelayQuestion published;
    const bool is_default = question.reduction == published.reduction && question.update == published.update;
    add(document,
        Note{fmt::format("gradients are added at {:.0f} GiB/s and weights updated at {:.0f} GiB/s{}; kernels that "
                         "compress move memory at the first",
                         gibibytes(question.reduction), gibibytes(question.update),
                         is_default ? ", as in Langer et al., arXiv:2007.03970, Figure 14" : "")});
    add(document, Note{statistical_note()});
    return document;
}

Document overhead_document(double overhead, double efficiency) {
    const double most = exchange::devices_at_efficiency(overhead, efficiency);
    const bool any = std::isinf(most);
    const std::int64_t kept = any ? 0 : static_cast<std::int64_t>(std::max(1.0, std::floor(most)));
    Document document;
    document.record = {{"schema", "dodona/overhead-limit/1"},
                       {"overhead", overhead},
                       {"efficiency", efficiency},
                       {"gpus", any ? Record() : Record(kept)},
                       {"limit", any ? Record() : Record(most)}};
    document.rows = {document.record};
    add(document, Headline{any ? "any number of GPUs keeps an efficiency of 100 % without an overhead"
                               : fmt::format("{} keep an efficiency of {} with an overhead of {}", counted(kept, "GPU"),
                                             percent(efficiency), percent(overhead))});
    if (!any) {
        add(document, overhead_table(overhead, most));
    }
    add(document, Note{"the overhead that one GPU does not overlap, over its compute, is taken to grow with the number "
                       "of GPUs; `dodona limits MODEL --machine M` predicts it instead"});
    return document;
}

Document groups_document(const GroupsQuestion& question, const std::vector<LayerGroups>& rows) {
    Document document;
    Table table({{"layer"},
                 {"times", Align::right},
                 {"parameters", Align::right},
                 {"FLOP a byte", Align::right},
                 {"groups", Align::right},
                 {"data parallel", Align::right},
                 {"in groups", Align::right}});
    std::vector<Record>& records = document.rows.emplace();
    for (const LayerGroups& row : rows) {
        table.row({row.layer, Count{row.instances}, Large{row.parameters}, Number{row.ratio},
                   row.groups ? Cell(Count{*row.groups}) : Cell(), row.data_volume, row.best_volume});
        records.push_back({{"layer", row.layer},
                           {"instances", row.instances},
                           {"parameters", row.parameters},
                           {"flop_per_byte", row.ratio},
                           {"groups", row.groups},
                           {"data_parallel_bytes", row.data_volume},
                           {"group_bytes", row.best_volume}});
    }
    document.record = {{"schema", "dodona/layer-groups/1"},
                       {"model", question.model},
                       {"nodes", question.nodes},
                       {"batch", question.batch},
                       {"layers", records}};
    add(document, Headline{fmt::format("{} on {}, batch {}: groups of nodes for each layer", question.model,
                                       counted(question.nodes, "node"), question.batch)});
    add(document, std::move(table));
    add(document, Note{"FLOP a byte: arithmetic of a step over what data parallelism exchanges; groups: in how many "
                       "the nodes exchange least where a group splits the features of the layer; bytes of a node in "
                       "fp32"});
    return document;
}

}  // namespace dodona::reports
