// Patterns without a centre. A worker's sum has its own payload and those of its neighbours, in the order of workers.
#include "exchange/neighbours.hpp"

#include <algorithm>

#include "lab/replicas/party.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::calibrate {

namespace {

/// Sends the payload to some, sums those of others with its own and applies the sum.
void mix(Party& party, Part range, const std::vector<int>& to, std::vector<int> from) {
    from.push_back(party.messenger.rank());
    std::sort(from.begin(), from.end());
    std::vector<std::vector<float>> arrived(from.size(), std::vector<float>(range.count));
    const std::span<const float> own = party.replica.payload_of(range);
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] == party.messenger.rank()) {
            arrived[i].assign(own.begin(), own.end());
        } else {
            party.messenger.receive(std::span(arrived[i]), from[i]);
        }
    }
    for (const int other : to) {
        party.messenger.send(own, other);
    }
    party.messenger.wait();
    std::vector<float> sum(range.count, 0.0F);
    for (const std::vector<float>& values : arrived) {
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += values[i];
        }
    }
    party.replica.apply(range, sum, from.size());
}

/// Whom a worker sends to in a round, or itself. All workers draw the same.
int peer_of(const Party& party, std::size_t worker) {
    const auto bits = [&](std::uint64_t what) {
        const std::uint64_t drawn = simulate::random_bits(party.seed, party.round, worker, what);
        return static_cast<double>(drawn >> 11U) * 0x1p-53;
    };
    if (bits(0) >= party.exchange.probability) {
        return static_cast<int>(worker);
    }
    const auto other = static_cast<std::size_t>(bits(1) * static_cast<double>(party.workers - 1));
    return static_cast<int>(other < worker ? other : other + 1);
}

}  // namespace

void by_neighbours(Party& party, Part range) {
    std::vector<int> others;
    for (const std::int64_t other : exchange::neighbours(party.exchange, static_cast<std::int64_t>(party.workers),
                                                         static_cast<std::int64_t>(party.rank()))) {
        others.push_back(static_cast<int>(other));
    }
    mix(party, range, others, others);
}

void by_gossip(Party& party, Part range) {
    std::vector<int> to;
    std::vector<int> from;
    for (std::size_t worker = 0; worker < party.workers; ++worker) {
        const int peer = peer_of(party, worker);
        if (static_cast<std::size_t>(peer) == worker) {
            continue;
        }
        if (worker == party.rank()) {
            to.push_back(peer);
        }
        if (peer == party.messenger.rank()) {
            from.push_back(static_cast<int>(worker));
        }
    }
    mix(party, range, to, from);
}

}  // namespace dodona::calibrate
