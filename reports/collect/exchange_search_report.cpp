#include "reports/collect/exchange_search_report.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "reports/collect/exchange_report.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

std::string exchange_name(const ExchangeChoice& choice) { return choice.made ? choice.made->exchange.name : "its own"; }

/// What is not as with the plan's own all-reduce.
std::string statistics_text(const ExchangeChoice& choice) {
    const ExchangeKind kind = choice.made ? kind_of(choice.made->exchange) : ExchangeKind::exchange;
    switch (kind) {
        case ExchangeKind::compress: return "compressed";
        case ExchangeKind::asynchronous: return "replicas differ";
        case ExchangeKind::exchange: break;
    }
    return "the same";
}

std::string best_text(const ExchangeSearch& found) {
    const ExchangeChoice& best = found.choices.front();
    const auto own = std::min_element(
        found.choices.begin(), found.choices.end(),
        [](const ExchangeChoice& a, const ExchangeChoice& b) { return a.plan->step.value < b.plan->step.value; });
    if (!best.made) {
        return "no exchange is faster than the plans' own";
    }
    return fmt::format("No. {} with {} is fastest: {} against {} of the fastest plan with its own exchange",
                       best.rank + 1, best.made->exchange.name, text(best.step()), text(own->plan->step.value));
}

}  // namespace

ExchangeKind kind_of(const exchange::Exchange& exchange) {
    if (!exchange.keeps_replicas_equal()) {
        return ExchangeKind::asynchronous;
    }
    return exchange.compression.kind == exchange::CompressionKind::none ? ExchangeKind::exchange
                                                                        : ExchangeKind::compress;
}

void add_exchange_search(Document& document, const ExchangeSearch& found, std::size_t shown) {
    Table table({{"No.", Align::right},
                 {"strategy, mesh"},
                 {"exchange"},
                 {"step", Align::right},
                 {"to its own", Align::right},
                 {"gradients"}});
    for (std::size_t i = 0; i < std::min(shown, found.choices.size()); ++i) {
        const ExchangeChoice& choice = found.choices[i];
        table.row({Count{choice.rank + 1}, strategy_and_mesh(choice.plan->plan), exchange_name(choice), choice.step(),
                   Percent{choice.step() / choice.plan->step.value - 1, true}, statistics_text(choice)});
    }
    std::vector<std::string> items{best_text(found)};
    if (found.without > 0) {
        items.push_back(fmt::format("{} shard states over all replicas, or have one: no exchange to replace",
                                    counted(found.without, "plan")));
    }
    if (!found.kinds[static_cast<std::size_t>(ExchangeKind::asynchronous)]) {
        items.emplace_back(
            "exchanges whose replicas differ or are stale change training and are left out (--vary "
            "asynchronous)");
    }
    add_section(document, {"With other exchanges"}, {std::move(table), List{std::move(items)}});
    if (found.kinds[static_cast<std::size_t>(ExchangeKind::compress)] ||
        found.kinds[static_cast<std::size_t>(ExchangeKind::asynchronous)]) {
        add(document, Note{statistical_note()});
    }
}

}  // namespace dodona::reports
