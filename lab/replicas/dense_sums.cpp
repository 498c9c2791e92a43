// Sums in which every worker takes the same part.
//
//   ring           2 (n-1) steps of 1/n; element by element the sum starts at another worker, so rounding differs from
//                  that of a sum in the order of workers
//   doubling       ceil(log2 n) rounds of everything; with n no power of two the first workers fold in others before,
//                  and tell them after
//   sharded        reduce-scatter, each worker updates its part, all-gather of weights
//
// Source: Patarasuk and Yuan, JPDC 69 (2009); Thakur, Rabenseifner and Gropp, IJHPCA 19 (2005).
#include <bit>

#include "lab/replicas/party.hpp"

namespace dodona::calibrate {

namespace {

template <class T>
std::span<T> part(std::span<T> values, std::size_t place, std::size_t places) {
    const Part own = part_of(values.size(), place % places, places);
    return values.subspan(own.first, own.count);
}

void add_to(std::span<float> sum, std::span<const float> values) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += values[i];
    }
}

}  // namespace

void ring_reduce_scatter(Messenger& messenger, const Ring& ring, std::span<float> values) {
    const std::size_t p = ring.size();
    std::vector<float> arrived(values.size() / p + 1);
    for (std::size_t step = 0; step + 1 < p; ++step) {
        const std::span<float> out = part(values, ring.place + 2 * p - 1 - step, p);
        const std::span<float> sum = part(values, ring.place + 2 * p - 2 - step, p);
        const std::span<float> in = std::span(arrived).first(sum.size());
        messenger.swap<float>(out, ring.after(1), in, ring.before(1));
        add_to(sum, in);
    }
}

void ring_all_gather(Messenger& messenger, const Ring& ring, std::span<float> values) {
    const std::size_t p = ring.size();
    for (std::size_t step = 0; step + 1 < p; ++step) {
        messenger.swap<float>(part(values, ring.place + p - step, p), ring.after(1),
                              part(values, ring.place + 2 * p - 1 - step, p), ring.before(1));
    }
}

void by_all_reduce(Party& party, Part range) {
    const std::span<float> values = party.replica.payload_of(range);
    const Ring ring = party.all_workers();
    ring_reduce_scatter(party.messenger, ring, values);
    ring_all_gather(party.messenger, ring, values);
    party.replica.apply(range, values, party.workers);
}

void by_recursive_doubling(Party& party, Part range) {
    const std::span<float> values = party.replica.payload_of(range);
    std::vector<float> arrived(values.size());
    const std::size_t core = std::bit_floor(party.workers);  // workers that double
    const std::size_t folded = party.workers - core;
    const std::size_t rank = party.rank();
    Messenger& messenger = party.messenger;
    if (rank >= core) {
        messenger.send<float>(values, static_cast<int>(rank - core));
        messenger.receive(values, static_cast<int>(rank - core));
        messenger.wait();
        party.replica.apply(range, values, party.workers);
        return;
    }
    if (rank < folded) {
        messenger.receive(std::span(arrived), static_cast<int>(rank + core));
        messenger.wait();
        add_to(values, arrived);
    }
    for (std::size_t distance = 1; distance < core; distance *= 2) {
        const auto other = static_cast<int>(rank ^ distance);
        messenger.swap<float>(values, other, arrived, other);
        add_to(values, arrived);
    }
    if (rank < folded) {
        messenger.send<float>(values, static_cast<int>(rank + core));
        messenger.wait();
    }
    party.replica.apply(range, values, party.workers);
}

void by_sharded_update(Party& party, Part range) {
    const std::span<float> values = party.replica.payload_of(range);
    const Ring ring = party.all_workers();
    ring_reduce_scatter(party.messenger, ring, values);
    const Part own = part_of(range, ring.place, ring.size());
    party.replica.apply(own, party.replica.payload_of(own), party.workers);
    ring_all_gather(party.messenger, ring, party.replica.target_of(range));
}

}  // namespace dodona::calibrate
