#include "exchange/delays.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dodona::exchange {

std::vector<Delays> delays(const std::vector<Exchange>& exchanges, const DelayQuestion& question) {
    constexpr double kElement = 4;
    const Buffer gradients{question.size.in(unit::byte) / kElement, question.size};
    const ReplicaWork work{.layers = {}, .compute = question.compute, .gradients = gradients};
    std::vector<Delays> rows;
    for (const Exchange& exchange : exchanges) {
        if (exchange.endpoints) {
            fail(exchange.where,
                 fmt::format("{}: endpoints take cores from a device, and there is none here", exchange.name),
                 "`dodona predict MODEL --machine M --exchange FILE`");
        }
        Delays row{exchange, {}};
        row.exchange.overlap = false;
        for (const std::int64_t workers : question.workers) {
            const Network network = network_of(EqualWorkers{workers, question.link, kReductionRate, kUpdateRate});
            row.by_workers.push_back(exchange_cost(row.exchange, network, work));
        }
        rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Delays& a, const Delays& b) {
        return a.by_workers.back().exposed < b.by_workers.back().exposed;
    });
    return rows;
}

}  // namespace dodona::exchange
