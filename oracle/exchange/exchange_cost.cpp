#include "exchange/exchange_cost.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::exchange {

namespace {

Seconds kernel_time(const Exchange& exchange, const Network& network, const Buffer& buffer) {
    const bool compresses = exchange.compression.kind != CompressionKind::none && buffer.bytes > Bytes{};
    return compresses ? network.compress(exchange.compression, buffer) : Seconds{};
}

/// Of hierarchical sparse sums only the part of a worker is compressed.
Buffer compressed_buffer(const Exchange& exchange, const Network& network, const Buffer& buffer) {
    const Compression& how = exchange.compression;
    if (how.kind != CompressionKind::top_k || how.scheme != SparseScheme::hierarchical) {
        return buffer;
    }
    const auto parts = static_cast<double>(network.workers.per_node);
    return {buffer.elements / parts, buffer.bytes / parts};
}

/// One exchange of all workers: kernels and wires.
Seconds together(const Exchange& exchange, const Network& network, const Buffer& buffer) {
    return pattern_cost(exchange, network, buffer).together +
           kernel_time(exchange, network, compressed_buffer(exchange, network, buffer));
}

struct Queued {
    Seconds all;      ///< messages of a step, one after the other
    Seconds exposed;  ///< of them, in the queue
};

Queued queued_gradients(const Exchange& exchange, const Network& network, const ReplicaWork& work) {
    std::vector<Message> messages = messages_of(work.layers, exchange.bucket);
    Seconds all;
    Bytes bytes;
    for (Message& message : messages) {
        message.time = together(exchange, network, {message.elements, message.bytes});
        all += message.time;
        bytes += message.bytes;
    }
    const Seconds chunk = bytes > Bytes{} ? exchange.chunk / bytes * all : Seconds{};
    return {all, exposed_messages(work.layers, messages, exchange.order, chunk)};
}

Seconds exposed_time(const Exchange& exchange, const Network& network, const ReplicaWork& work, Seconds one) {
    const auto period = static_cast<double>(exchange.period);
    if (!exchange.overlap || exchange.period > 1) {
        return one / period;
    }
    if (exchange.sends == Sent::gradients) {
        const Queued queued = queued_gradients(exchange, network, work);
        return work.shown.exposed * (queued.all - work.shown.hidden * (queued.all - queued.exposed));
    }
    return max(Seconds{}, one - work.compute);
}

/// Workers whose updates meet in one copy; none: there is no such copy.
std::optional<double> sharers(const Exchange& exchange, std::int64_t workers) {
    switch (exchange.pattern) {
        case Pattern::ring:
        case Pattern::torus:
        case Pattern::gossip: return std::nullopt;
        case Pattern::tree: return std::ceil(std::log2(static_cast<double>(workers + 1)));
        default: return static_cast<double>(workers);
    }
}

Staleness staleness_of(const Exchange& exchange, std::int64_t workers) {
    const std::optional<double> sharing = sharers(exchange, workers);
    if (exchange.scheduling == Scheduling::synchronous) {
        return {0.0, 0.0};
    }
    if (!sharing) {
        return {{}, {}};
    }
    const double others = *sharing - 1;
    if (exchange.scheduling == Scheduling::bounded) {
        return {others, static_cast<double>(2 * (exchange.bound + 1)) * others};
    }
    return {others, {}};
}

bool has_servers(const Exchange& exchange) {
    return exchange.pattern == Pattern::servers || exchange.pattern == Pattern::master;
}

}  // namespace

bool overlaps_next_step(const Exchange& exchange) {
    const bool near = exchange.pattern == Pattern::ring || exchange.pattern == Pattern::torus;
    return near && exchange.scheduling != Scheduling::synchronous && exchange.overlap && exchange.period == 1;
}

Shown shown_by(const Network& network, const ReplicaWork& work, Seconds own) {
    const Queued queued = queued_gradients({}, network, work);
    if (own <= queued.exposed) {
        return {.exposed = queued.exposed > Seconds{} ? own / queued.exposed : 1};
    }
    const Seconds hidden = queued.all - queued.exposed;
    return {.hidden = hidden > Seconds{} ? std::max(0.0, (queued.all - own) / hidden) : 1};
}

ExchangeCost exchange_cost(const Exchange& exchange, const Network& network, const ReplicaWork& work) {
    const auto period = static_cast<double>(exchange.period);
    ExchangeCost cost{.pattern = pattern_cost(exchange, network, work.gradients)};
    cost.compression = kernel_time(exchange, network, compressed_buffer(exchange, network, work.gradients));
    cost.one = cost.pattern.together + cost.compression;
    cost.spread = spread_of(exchange, network.workers.count);
    cost.staleness = staleness_of(exchange, network.workers.count);
    cost.sent = cost.pattern.sent / period;
    if (exchange.scheduling == Scheduling::synchronous) {
        cost.exposed = exposed_time(exchange, network, work, cost.one);
    } else {
        const bool overlaps = overlaps_next_step(exchange);
        const Seconds sends = cost.pattern.alone - cost.pattern.sums;
        const Seconds working = work.compute + (cost.pattern.sums + cost.compression) / period;
        const Seconds alone = overlaps ? max(working, sends) : working + sends / period;
        cost.exposed = max(alone, cost.pattern.busiest / period) - work.compute;
        cost.is_bound = true;
    }
    if (exchange.best_worker) {
        const Wire wire = network.workers.to_far();
        const auto others = static_cast<double>(network.workers.count - 1);
        cost.best_worker = others * (one_transfer(wire, 4_B) + one_transfer(wire, work.gradients.bytes));
        cost.exposed += cost.best_worker / static_cast<double>(*exchange.best_worker);
    }
    cost.compute = work.compute;
    cost.step = work.compute + cost.exposed;
    cost.utilisation = cost.step > Seconds{} ? work.compute / cost.step : 1;
    if (has_servers(exchange) && work.compute > Seconds{}) {
        cost.servers_to_hide = servers_to_hide(compressed(exchange.compression, work.gradients), network.workers.count,
                                               network.workers.outermost().bandwidth, period * work.compute);
    }
    return cost;
}

}  // namespace dodona::exchange
