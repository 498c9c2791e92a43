#include "exchange/delays.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dodona::exchange {

namespace {

/// Whether workers update their weights themselves, with the sum of all gradients or of their neighbours'; others count
/// it in their pattern.
bool updates_on_workers(const Exchange& exchange) {
    switch (exchange.pattern) {
        case Pattern::all_reduce:
        case Pattern::recursive_doubling:
        case Pattern::ring:
        case Pattern::torus: return exchange.sends == Sent::gradients;
        default: return false;
    }
}

/// Cost of an exchange of which nothing is hidden.
ExchangeCost cost_on(Exchange exchange, const DelayQuestion& question, std::int64_t workers) {
    constexpr double kElement = 4;
    const Buffer gradients{question.size.in(unit::byte) / kElement, question.size};
    exchange.overlap = false;
    const Network network = network_of(EqualWorkers{workers, question.link, question.reduction, question.update});
    ExchangeCost cost =
        exchange_cost(exchange, network, {.layers = {}, .compute = question.compute, .gradients = gradients});
    if (updates_on_workers(exchange)) {
        cost.exposed += network.update(question.size);
        cost.step = cost.compute + cost.exposed;
        cost.utilisation = cost.compute / cost.step;
    }
    return cost;
}

bool is_crossing(const Exchange& exchange) {
    return exchange.scheduling == Scheduling::synchronous && exchange.period == 1 && !exchange.rows &&
           (exchange.pattern == Pattern::ring || exchange.pattern == Pattern::torus);
}

}  // namespace

std::vector<Crossover> crossovers(const std::vector<Exchange>& exchanges, const DelayQuestion& question) {
    std::vector<Crossover> found;
    for (const Exchange& near : exchanges) {
        for (const Exchange& other : exchanges) {
            if (!is_crossing(near) || other.pattern == Pattern::ring || other.pattern == Pattern::torus ||
                other.pattern == Pattern::gossip || other.scheduling != Scheduling::synchronous) {
                continue;
            }
            // Numbers of workers on a ring; on a torus, of rows.
            const auto workers = [&](std::int64_t size) { return near.pattern == Pattern::torus ? size * size : size; };
            const auto is_less = [&](std::int64_t size) {
                return cost_on(near, question, workers(size)).exposed < cost_on(other, question, workers(size)).exposed;
            };
            std::int64_t from = 2;
            std::int64_t to = 3;
            while (!is_less(to) && workers(to) < kMaxCrossover) {
                from = to;
                to *= 2;
            }
            const bool crosses = is_less(to);
            while (crosses && to - from > 1) {
                const std::int64_t middle = (from + to) / 2;
                (is_less(middle) ? to : from) = middle;
            }
            found.push_back({near.name, other.name, {}});
            if (crosses && workers(to) <= kMaxCrossover) {
                found.back().workers = workers(to);
            }
        }
    }
    return found;
}

std::vector<Delays> delays(const std::vector<Exchange>& exchanges, const DelayQuestion& question) {
    std::vector<Delays> rows;
    for (const Exchange& exchange : exchanges) {
        if (exchange.endpoints) {
            fail(exchange.where,
                 fmt::format("{}: endpoints take cores from a device, and there is none here", exchange.name),
                 "`dodona predict MODEL --machine M --exchange FILE`");
        }
        Delays row{exchange, {}};
        for (const std::int64_t workers : question.workers) {
            row.by_workers.push_back(cost_on(exchange, question, workers));
        }
        rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Delays& a, const Delays& b) {
        return a.by_workers.back().exposed < b.by_workers.back().exposed;
    });
    return rows;
}

}  // namespace dodona::exchange
