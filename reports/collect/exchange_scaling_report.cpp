#include "reports/collect/exchange_scaling_report.hpp"

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "reports/collect/exchange_report.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

/// Efficiency of exchange `i` at a point; where there is nothing to exchange, of the plan's own.
double efficiency_at(const ExchangeScaling& scaling, const ExchangeScalingPoint& point, std::size_t i) {
    return point.rates[i].value_or(point.own) / scaling.points.front().own;
}

/// The most devices up to which an exchange keeps the efficiency.
std::int64_t kept_to(const ExchangeScaling& scaling, std::size_t i) {
    std::int64_t most = 0;
    for (const ExchangeScalingPoint& point : scaling.points) {
        if (efficiency_at(scaling, point, i) < scaling.efficiency) {
            break;
        }
        most = point.devices;
    }
    return most;
}

Table scaling_table(const ExchangeScaling& scaling) {
    std::vector<Column> columns{{"GPUs", Align::right}, {"own", Align::right}};
    for (const std::string& exchange : scaling.exchanges) {
        columns.push_back({exchange, Align::right});
    }
    Table table(std::move(columns));
    for (const ExchangeScalingPoint& point : scaling.points) {
        std::vector<Cell> cells{Count{point.devices}, Percent{point.own / scaling.points.front().own}};
        for (std::size_t i = 0; i < scaling.exchanges.size(); ++i) {
            cells.emplace_back(Percent{efficiency_at(scaling, point, i)});
        }
        table.row(std::move(cells));
    }
    return table;
}

}  // namespace

Document exchange_scaling_document(const Subject& subject, const ExchangeScaling& scaling) {
    Document document;
    std::vector<Record>& rows = document.rows.emplace();
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < scaling.exchanges.size() && !scaling.points.empty(); ++i) {
        const std::int64_t most = kept_to(scaling, i);
        kept.push_back(fmt::format("{} GPUs with {}", most, scaling.exchanges[i]));
        Record points = no_elements();
        for (const ExchangeScalingPoint& point : scaling.points) {
            points.push_back({{"gpus", point.devices}, {"efficiency", efficiency_at(scaling, point, i)}});
        }
        rows.push_back({{"exchange", scaling.exchanges[i]}, {"gpus", most}, {"points", points}});
    }
    document.record = {{"schema", "dodona/exchange-scaling/1"},
                       {"strategy", scaling.strategy},
                       {"efficiency", scaling.efficiency},
                       {"exchanges", rows}};
    set_asked(document, subject.model, subject.machine, 0);
    if (scaling.points.empty()) {
        add(document, Headline{fmt::format("{} fits no number of GPUs of {} with strategy {}", subject.model,
                                           subject.machine, scaling.strategy)});
        return document;
    }
    add(document, Headline{fmt::format("{} on {}, strategy {}, keeps {} of its speed a GPU on {}", subject.model,
                                       subject.machine, scaling.strategy, percent(scaling.efficiency), join(kept))});
    add(document, scaling_table(scaling));
    add(document, Note{"efficiency: samples a second and GPU over those of the plan on the fewest GPUs that fit; of "
                       "asynchronous exchanges at most"});
    add(document, Note{statistical_note()});
    return document;
}

}  // namespace dodona::reports
