#include <array>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "lab/replicas/party.hpp"

namespace dodona::calibrate {

namespace {

using exchange::CompressionKind;
using exchange::Outer;
using exchange::Pattern;
using exchange::SparseScheme;

using ByPattern = void (*)(Party& party, Part range);

struct PatternRow {
    Pattern pattern;
    ByPattern run;
};

constexpr std::array kPatterns{PatternRow{Pattern::all_reduce, by_all_reduce},
                               PatternRow{Pattern::recursive_doubling, by_recursive_doubling},
                               PatternRow{Pattern::sharded_update, by_sharded_update},
                               PatternRow{Pattern::servers, by_servers},
                               PatternRow{Pattern::scatter_reduce, by_scatter_reduce},
                               PatternRow{Pattern::tree, by_tree},
                               PatternRow{Pattern::ring, by_neighbours},
                               PatternRow{Pattern::torus, by_neighbours},
                               PatternRow{Pattern::gossip, by_gossip},
                               PatternRow{Pattern::master, by_servers}};
static_assert(kPatterns.size() == exchange::kPatternTable.size());

ByPattern compressed_sum(const exchange::Compression& how) {
    if (how.kind != CompressionKind::top_k) {
        return by_quantised_sum;
    }
    switch (how.scheme) {
        case SparseScheme::all_gather: return by_sparse_all_gather;
        case SparseScheme::tree: return by_sparse_tree;
        case SparseScheme::hierarchical: break;
    }
    return by_sparse_hierarchy;
}

ByPattern run_of(const exchange::Exchange& exchange) {
    if (exchange.compression.kind != CompressionKind::none) {
        return compressed_sum(exchange.compression);
    }
    for (const PatternRow& row : kPatterns) {
        if (row.pattern == exchange.pattern) {
            return row.run;
        }
    }
    throw InternalError("a pattern that nothing runs");
}

}  // namespace

Ring Party::ring(std::size_t first, std::size_t count, std::size_t stride) const {
    Ring ring;
    for (std::size_t place = 0; place < count; ++place) {
        const std::size_t of = first + place * stride;
        ring.place = of == rank() ? place : ring.place;
        ring.ranks.push_back(static_cast<int>(of));
    }
    return ring;
}

CodeFormat code_format(CompressionKind kind) {
    switch (kind) {
        case CompressionKind::int8: return CodeFormat::int8;
        case CompressionKind::fp8: return CodeFormat::fp8;
        case CompressionKind::int4: return CodeFormat::int4;
        case CompressionKind::one_bit: return CodeFormat::one_bit;
        case CompressionKind::none:
        case CompressionKind::top_k: break;
    }
    throw InternalError("a compression without codes");
}

std::size_t servers_of(const exchange::Exchange& exchange) {
    switch (exchange.pattern) {
        case Pattern::servers: return static_cast<std::size_t>(exchange.servers.value_or(0));
        case Pattern::master:
        case Pattern::tree:
        case Pattern::scatter_reduce: return static_cast<std::size_t>(exchange.servers.value_or(1));
        default: return 0;
    }
}

void check_runs(const exchange::Exchange& exchange) {
    const bool synchronous = exchange.scheduling == exchange::Scheduling::synchronous;
    if (exchange.compression.kind != CompressionKind::none &&
        (exchange.pattern != Pattern::all_reduce || !synchronous)) {
        fail(exchange.where, fmt::format("{}: compressed messages run in a synchronous all-reduce only", exchange.name),
             "pattern: all-reduce, or no compression");
    }
    if (exchange.outer == Outer::elastic && exchange.pattern != Pattern::master &&
        (exchange.pattern != Pattern::tree || synchronous)) {
        fail(exchange.where,
             fmt::format("{}: elastic averaging runs with a master or in an asynchronous tree only", exchange.name),
             "pattern: master");
    }
    if (exchange.endpoints) {
        fail(exchange.where, fmt::format("{}: endpoints do not run: a thread of each rank exchanges", exchange.name),
             "no `endpoints`");
    }
    const bool near = exchange.pattern == Pattern::ring || exchange.pattern == Pattern::torus;
    if ((near && !synchronous) || exchange.best_worker) {
        fail(exchange.where,
             fmt::format("{}: neighbours who do not wait, and the weights of the best worker, do not run",
                         exchange.name),
             "scheduling: synchronous, and no `best_worker`");
    }
    if (servers_of(exchange) > 1 && exchange.pattern != Pattern::servers) {
        fail(exchange.where, fmt::format("{}: several servers run in the pattern servers only", exchange.name),
             "pattern: servers, or servers: 1");
    }
}

void exchange_range(Party& party, Part range) { run_of(party.exchange)(party, range); }

}  // namespace dodona::calibrate
