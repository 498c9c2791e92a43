#include "play/exchange_flows.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/check.hpp"

namespace dodona::play {

namespace {

/// Of every part of the buffer: an all-reduce is a reduce-scatter and an all-gather.
double passes(const ExchangeFlows& exchange) { return exchange.collective == cluster::Collective::all_reduce ? 2 : 1; }

/// Rings over the pairs of a group without a switch: next is `shift` members on, for shifts that reach all members.
std::vector<std::vector<std::int64_t>> shifted_rings(const std::vector<std::int64_t>& ranks, std::size_t most) {
    std::vector<std::vector<std::int64_t>> rings;
    const std::size_t n = ranks.size();
    // 1, n - 1, 2, n - 2 ...: both directions of a pair at once
    for (std::size_t i = 0; i + 1 < n && rings.size() < most; ++i) {
        const std::size_t shift = i % 2 == 0 ? i / 2 + 1 : n - i / 2 - 1;
        if (std::gcd(shift, n) == 1) {
            std::vector<std::int64_t> ring;
            for (std::size_t k = 0; k < n; ++k) {
                ring.push_back(ranks[k * shift % n]);
            }
            rings.push_back(std::move(ring));
        }
    }
    return rings;
}

}  // namespace

std::vector<std::vector<std::int64_t>> FlowBuilder::rings(std::vector<std::int64_t> ranks) const {
    std::sort(ranks.begin(), ranks.end());
    std::map<std::int64_t, std::vector<std::int64_t>> nodes;
    for (const std::int64_t rank : ranks) {
        nodes[rank / cluster_.node_size()].push_back(rank);
    }
    const cluster::Level& inner = cluster_.levels.front();
    if (nodes.size() == 1) {
        const bool pairs = inner.kind == cluster::LevelKind::all_to_all;
        const bool both_ways = inner.kind == cluster::LevelKind::ring && inner.links > 1;
        if (pairs || both_ways) {
            return shifted_rings(ranks, pairs ? ranks.size() : 2);
        }
        return {ranks};
    }
    std::size_t channels = ranks.size();
    for (const auto& [node, members] : nodes) {
        channels = std::min(channels, members.size());
    }
    std::vector<std::vector<std::int64_t>> all(channels);
    for (std::size_t channel = 0; channel < channels; ++channel) {
        std::size_t turn = channel;  // a ring leaves a node at the position at which it enters the next
        for (const auto& [node, members] : nodes) {
            const std::size_t m = members.size();
            for (std::size_t k = 0; k < m; ++k) {
                all[channel].push_back(members[(turn + k) % m]);
            }
            turn = (turn % m + m - 1) % m;
        }
    }
    return all;
}

simulate::RouteId FlowBuilder::route(std::int64_t from, std::int64_t to) {
    const auto ends = routes_.topology().endpoints();
    return routes_.between(ends[static_cast<std::size_t>(from)], ends[static_cast<std::size_t>(to)]);
}

/// The longest start-up of the levels that the ranks cross, of the protocol that the topology is of.
Seconds FlowBuilder::start_up(std::span<const std::int64_t> ranks) const {
    Seconds longest;
    const auto of_job = static_cast<std::int64_t>(routes_.topology().endpoints().size());
    for (std::size_t i = 0; i < cluster_.levels.size(); ++i) {
        const std::int64_t child = i == 0 ? 1 : cluster_.domain_size(i - 1, of_job);
        const bool crosses = std::any_of(ranks.begin(), ranks.end(),
                                         [&](std::int64_t rank) { return rank / child != ranks.front() / child; });
        const cluster::Level& level = cluster_.levels[i];
        cluster::LinkTiming best = level.timing(0);
        for (std::size_t protocol = 1; protocol < level.protocols(); ++protocol) {
            best = level.timing(protocol).efficiency > best.efficiency ? level.timing(protocol) : best;
        }
        longest = crosses ? max(longest, best.start) : longest;
    }
    return longest;
}

simulate::TaskId FlowBuilder::add_flow(const ExchangeFlows& exchange, std::int64_t from, std::int64_t to, Bytes bytes,
                                       Seconds wait) {
    return tasks_.add({.duration = wait, .kind = exchange.kind}, {.route = route(from, to), .bytes = bytes},
                      exchange.after);
}

void FlowBuilder::add_ring(const ExchangeFlows& exchange, const std::vector<std::int64_t>& ring, double share,
                           std::vector<simulate::TaskId>& added) {
    const auto p = static_cast<double>(ring.size());
    const double steps = passes(exchange) * (p - 1);
    const auto next = [&](std::size_t i) { return ring[(i + 1) % ring.size()]; };
    Seconds latencies;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        latencies += routes_.latency(route(ring[i], next(i)));
    }
    const Seconds wait = exchange.times * (start_up(ring) + steps / p * latencies);
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Seconds own = routes_.latency(route(ring[i], next(i)));  // the flow has it by itself
        added.push_back(add_flow(exchange, ring[i], next(i), share * exchange.times * steps / p * exchange.size,
                                 max(Seconds{}, wait - own)));
    }
}

void FlowBuilder::add_pairs(const ExchangeFlows& exchange, std::vector<simulate::TaskId>& added) {
    const std::size_t p = exchange.ranks.size();
    const Bytes part = exchange.times * passes(exchange) / static_cast<double>(p) * exchange.size;
    const Seconds start = start_up(exchange.ranks);
    for (std::size_t distance = 1; distance < p; ++distance) {
        for (std::size_t i = 0; i < p; ++i) {
            const std::int64_t from = exchange.ranks[i];
            const std::int64_t to = exchange.ranks[(i + distance) % p];
            const Seconds later = (passes(exchange) - 1) * routes_.latency(route(from, to));
            added.push_back(add_flow(exchange, from, to, part, exchange.times * (start + later)));
        }
    }
}

std::vector<simulate::TaskId> FlowBuilder::add(const ExchangeFlows& exchange) {
    check(exchange.ranks.size() > 1, "an exchange has several ranks");
    std::vector<simulate::TaskId> added;
    switch (exchange.flows) {
        case cost::Flows::rings: {
            const std::vector<std::vector<std::int64_t>> all = rings(exchange.ranks);
            for (const std::vector<std::int64_t>& ring : all) {
                add_ring(exchange, ring, 1.0 / static_cast<double>(all.size()), added);
            }
            break;
        }
        case cost::Flows::pairs: add_pairs(exchange, added); break;
        case cost::Flows::message:
            added.push_back(add_flow(exchange, exchange.ranks[0], exchange.ranks[1], exchange.times * exchange.size,
                                     exchange.times * start_up(exchange.ranks)));
            break;
        case cost::Flows::none: throw InternalError("an exchange without flows is played in the time of the table");
    }
    return added;
}

}  // namespace dodona::play
