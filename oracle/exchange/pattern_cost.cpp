#include "exchange/pattern_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"

namespace dodona::exchange {

namespace {

struct PatternRow {
    Pattern pattern;
    PatternCost (*cost)(const Round& round);
};

constexpr std::array kPatternCosts{PatternRow{Pattern::all_reduce, all_reduce_cost},
                                   PatternRow{Pattern::recursive_doubling, recursive_doubling_cost},
                                   PatternRow{Pattern::sharded_update, sharded_update_cost},
                                   PatternRow{Pattern::servers, servers_cost},
                                   PatternRow{Pattern::scatter_reduce, scatter_reduce_cost},
                                   PatternRow{Pattern::tree, tree_cost},
                                   PatternRow{Pattern::ring, neighbours_cost},
                                   PatternRow{Pattern::torus, neighbours_cost},
                                   PatternRow{Pattern::gossip, gossip_cost},
                                   PatternRow{Pattern::master, master_cost}};
static_assert(kPatternCosts.size() == kPatternTable.size());

}  // namespace

PatternCost pattern_cost(const Exchange& exchange, const Network& network, const Buffer& dense) {
    const Round round{exchange, network, dense, compressed(exchange.compression, dense)};
    if (exchange.compression.kind == CompressionKind::top_k) {
        return sparse_cost(round);
    }
    for (const PatternRow& row : kPatternCosts) {
        if (row.pattern == exchange.pattern) {
            return row.cost(round);
        }
    }
    throw InternalError("a pattern without a row in the table of costs");
}

std::int64_t servers_to_hide(Bytes size, std::int64_t workers, BytesPerSecond server, Seconds compute) {
    const double servers = 2.0 * static_cast<double>(workers) * size / (compute * server);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(servers)));
}

}  // namespace dodona::exchange
